//! The words that were made of a text, as a document in memory. Unlike a `tsvector` it keeps every place of a word, and
//! the distances behind the 16,383rd: a phrase at the end of a long text is found, and every occurrence counts.

use crate::error::Result;
use crate::text::document::{Document, Occurrences, prefix};

/// The last place: its [rank](Occurrence::rank) is the last that fits. No text has so many words.
pub const LAST_PLACE: u32 = u32::MAX >> 2;

/// The weight of a word: D, C, B or A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
#[allow(missing_docs)]
pub enum Weight {
    D = 0,
    C = 1,
    B = 2,
    A = 3,
}

/// The place of a lexeme, and its weight there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// From 1 to [`LAST_PLACE`].
    pub place: u32,
    #[allow(missing_docs)]
    pub weight: Weight,
}

impl Occurrence {
    /// Orders the occurrences of one lexeme by their places, and those at one place by weight, the greatest first: that
    /// one is kept.
    pub fn rank(self) -> u32 {
        self.place << 2 | (Weight::A as u32 - self.weight as u32)
    }
}

/// Occurrences of one lexeme, counted: one at each place. They come in the order of their ranks.
pub fn counted(occurrences: impl Iterator<Item = Occurrence>) -> Occurrences {
    let (mut found, mut last) = (Occurrences::default(), 0);
    for Occurrence { place, weight } in occurrences {
        if place != last {
            let count = &mut found.by_weight[weight as usize];
            *count = count.saturating_add(1);
            last = place;
        }
    }
    found
}

/// The words.
#[derive(Debug, Default)]
pub struct MadeWords {
    lexemes: Vec<Lexeme>,
    text: Vec<u8>,
    occurrences: Vec<Occurrence>,
}

/// A lexeme: where its bytes and its occurrences end. They begin at the end of those before.
#[derive(Debug)]
struct Lexeme {
    prefix: u64,
    text_end: usize,
    occurrences_end: usize,
}

impl MadeWords {
    /// Of these occurrences, which must be in the bytewise order of their lexemes and, for one lexeme, of their
    /// [ranks](Occurrence::rank).
    pub fn of<'a>(occurrences: impl Iterator<Item = (&'a [u8], Occurrence)>) -> MadeWords {
        let mut made = MadeWords::default();
        made.occurrences.reserve(occurrences.size_hint().0);
        let mut of_last: Option<(&[u8], u32)> = None;
        for (lexeme, at) in occurrences {
            match of_last {
                Some((last, place)) if last == lexeme => {
                    if place == at.place {
                        continue;
                    }
                }
                _ => {
                    made.text.extend_from_slice(lexeme);
                    let text_end = made.text.len();
                    made.lexemes.push(Lexeme { prefix: prefix(lexeme), text_end, occurrences_end: 0 });
                }
            }
            of_last = Some((lexeme, at.place));
            made.occurrences.push(at);
            if let Some(last) = made.lexemes.last_mut() {
                last.occurrences_end = made.occurrences.len();
            }
        }
        made
    }

    fn before(&self, index: usize) -> Option<&Lexeme> {
        index.checked_sub(1).and_then(|before| self.lexemes.get(before))
    }

    fn found_at(&self, index: usize) -> &[Occurrence] {
        let from = self.before(index).map_or(0, |before| before.occurrences_end);
        self.lexemes.get(index).map_or(&[], |lexeme| &self.occurrences[from..lexeme.occurrences_end])
    }
}

impl Document for MadeWords {
    fn lexeme_count(&self) -> usize {
        self.lexemes.len()
    }

    fn lexeme(&self, index: usize) -> Result<&[u8]> {
        let from = self.before(index).map_or(0, |before| before.text_end);
        Ok(self.lexemes.get(index).map_or(&[], |lexeme| &self.text[from..lexeme.text_end]))
    }

    fn occurrences(&self, index: usize) -> Result<Occurrences> {
        Ok(counted(self.found_at(index).iter().copied()))
    }

    fn positions(&self, index: usize) -> Result<impl Iterator<Item = u32>> {
        Ok(self.found_at(index).iter().map(|occurrence| occurrence.place))
    }

    #[inline]
    fn each_prefix(&self, mut each: impl FnMut(usize, u64) -> Result<()>) -> Result<()> {
        self.lexemes.iter().enumerate().try_for_each(|(index, lexeme)| each(index, lexeme.prefix))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const WEIGHTS: [Weight; 4] = [Weight::D, Weight::C, Weight::B, Weight::A];

    #[test]
    fn a_lexeme_keeps_all_its_places() {
        let places = (1..=300).chain([16_383, 16_384, 99_999]);
        let made = MadeWords::of(places.clone().map(|place| (&b"tea"[..], Occurrence { place, weight: Weight::D })));
        assert_eq!(made.positions(0).unwrap().collect::<Vec<_>>(), places.collect::<Vec<_>>());
        assert_eq!(made.occurrences(0).unwrap().by_weight, [303, 0, 0, 0]);
    }

    #[test]
    fn more_occurrences_than_a_count_holds_are_its_greatest_number() {
        let many = (1..=70_000).map(|place| Occurrence { place, weight: Weight::B });
        assert_eq!(counted(many).by_weight, [0, 0, u16::MAX, 0]);
    }

    proptest! {
        #[test]
        fn words_come_back_as_they_were_given(
            words in proptest::collection::btree_map(
                "[a-zü]{0,12}", proptest::collection::vec((1..2_000_u32, 0..4_usize), 1..20), 0..30),
        ) {
            let mut given: BTreeMap<&[u8], Vec<Occurrence>> = BTreeMap::new();
            for (word, places) in &words {
                let mut all: Vec<Occurrence> =
                    places.iter().map(|&(place, weight)| Occurrence { place, weight: WEIGHTS[weight] }).collect();
                all.sort_unstable_by_key(|occurrence| occurrence.rank());
                given.insert(word.as_bytes(), all);
            }
            let made = MadeWords::of(given.iter().flat_map(|(word, all)| all.iter().map(|&at| (*word, at))));
            prop_assert_eq!(made.lexeme_count(), given.len());
            let mut prefixes = Vec::new();
            made.each_prefix(|_, prefix| { prefixes.push(prefix); Ok(()) }).unwrap();
            for (index, (word, all)) in given.iter().enumerate() {
                prop_assert_eq!(made.lexeme(index).unwrap(), *word);
                prop_assert_eq!(prefixes[index], prefix(word));
                // Of several occurrences at one place the one with the greatest weight counts.
                let mut best: BTreeMap<u32, Weight> = BTreeMap::new();
                for at in all {
                    best.entry(at.place).and_modify(|weight| *weight = (*weight).max(at.weight)).or_insert(at.weight);
                }
                let mut counts = [0; 4];
                best.values().for_each(|&weight| counts[weight as usize] += 1);
                prop_assert_eq!(made.positions(index).unwrap().collect::<Vec<_>>(), best.into_keys().collect::<Vec<_>>());
                prop_assert_eq!(made.occurrences(index).unwrap().by_weight, counts);
            }
        }
    }
}
