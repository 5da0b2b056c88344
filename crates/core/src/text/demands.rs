//! A query's demands on the words of an entry: phrases that it must hold, words and phrases that it must not. The
//! result equals that of `search_vector @@ tsquery`, where a tsvector has all places of the words. The server merges
//! lists of places, two for each word of a phrase, which takes half a millisecond for a phrase of 256 words and an entry
//! that repeats them. Here 64 places are compared at once.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::Result;
use crate::text::document::Document;
use crate::text::phrase::Phrase;
use crate::{Error, ErrorKind};

/// The number of bits in an element of a set of places.
const PLACES: usize = u64::BITS as usize;

/// The demands.
#[derive(Debug, Clone, Default)]
pub struct Demands {
    /// Bytewise sorted, each once.
    lexemes: Vec<Vec<u8>>,
    wanted: Vec<Words>,
    excluded: Vec<Words>,
}

/// A phrase as numbers of lexemes, each with its distance from the one before.
type Words = Vec<(usize, usize)>;

impl Demands {
    /// An entry must hold each of some phrases, and none of others.
    pub fn new(wanted: &[Phrase], excluded: &[Phrase]) -> Demands {
        let words = wanted.iter().chain(excluded).flat_map(Phrase::words);
        let mut numbers: BTreeMap<&[u8], usize> = words.map(|(_, lexeme)| (lexeme.as_bytes(), 0)).collect();
        numbers.values_mut().enumerate().for_each(|(number, value)| *value = number);
        let of = |phrase: &Phrase| {
            let mut last = None;
            let numbered = phrase.words().map(|(place, lexeme)| {
                let distance = (place - last.replace(place).unwrap_or(place)) as usize;
                (numbers[lexeme.as_bytes()], distance)
            });
            numbered.collect()
        };
        let (wanted, excluded) = (wanted.iter().map(of).collect(), excluded.iter().map(of).collect());
        Demands { lexemes: numbers.into_keys().map(<[u8]>::to_vec).collect(), wanted, excluded }
    }
}

/// Tests demands on one document after another.
pub struct Judge<'a> {
    demands: &'a Demands,
    /// The data of each lexeme in the document.
    known: Vec<Option<Known>>,
    /// Sets of places, a bit for each.
    bits: Vec<u64>,
    /// The places at which the part of a phrase that was read so far ends.
    ends: Ends,
    steps: u64,
}

/// The places of a lexeme in a document.
#[derive(Clone)]
enum Known {
    Absent,
    At { index: usize, bits: Option<Range<usize>> },
}

impl<'a> Judge<'a> {
    /// For some demands.
    pub fn of(demands: &'a Demands) -> Judge<'a> {
        Judge { demands, known: Vec::new(), bits: Vec::new(), ends: Ends::default(), steps: 0 }
    }

    /// Whether a document meets them.
    ///
    /// # Errors
    /// Fails if the stored bytes are damaged, and with 54000 if there is no memory for sets of places.
    pub fn is_met_by(&mut self, document: &impl Document) -> Result<bool> {
        self.known.clear();
        self.known.resize(self.demands.lexemes.len(), None);
        self.bits.clear();
        for phrase in &self.demands.wanted {
            if !self.stands(phrase, document)? {
                return Ok(false);
            }
        }
        for phrase in &self.demands.excluded {
            if self.stands(phrase, document)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The number of comparisons so far: elements of sets, and lexemes.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    fn stands(&mut self, phrase: &Words, document: &impl Document) -> Result<bool> {
        // Most entries lack a word.
        for &(lexeme, _) in phrase {
            if self.find(lexeme, document)?.is_none() {
                return Ok(false);
            }
        }
        let [(first, _), rest @ ..] = &phrase[..] else { return Ok(true) };
        if rest.is_empty() {
            return Ok(true);
        }
        let bits = self.places(*first, document)?;
        self.ends.begin(&self.bits[bits])?;
        for &(lexeme, distance) in rest {
            let bits = self.places(lexeme, document)?;
            self.steps += self.ends.go_on(distance, &self.bits[bits])?;
            if self.ends.range.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The index of a lexeme among the document's lexemes.
    fn find(&mut self, lexeme: usize, document: &impl Document) -> Result<Option<usize>> {
        if let Some(known) = &self.known[lexeme] {
            return Ok(match known {
                Known::Absent => None,
                Known::At { index, .. } => Some(*index),
            });
        }
        let wanted = self.demands.lexemes[lexeme].as_slice();
        let (mut from, mut to) = (0, document.lexeme_count());
        while from < to {
            self.steps += 1;
            let middle = from + (to - from) / 2;
            if document.lexeme(middle)? < wanted { from = middle + 1 } else { to = middle }
        }
        let is_there = from < document.lexeme_count() && document.lexeme(from)? == wanted;
        self.known[lexeme] = Some(if is_there { Known::At { index: from, bits: None } } else { Known::Absent });
        Ok(is_there.then_some(from))
    }

    /// The places of a lexeme as a set, at its position among the bits; empty if places were not stored.
    fn places(&mut self, lexeme: usize, document: &impl Document) -> Result<Range<usize>> {
        let Some(Known::At { index, bits }) = &mut self.known[lexeme] else { return Ok(0..0) };
        if let Some(bits) = bits {
            return Ok(bits.clone());
        }
        let most = document.positions(*index)?.max();
        let from = self.bits.len();
        let elements = most.map_or(0, |most| most as usize / PLACES + 1);
        self.bits.try_reserve(elements).map_err(|_| too_long())?;
        self.bits.resize(from + elements, 0);
        for place in document.positions(*index)? {
            let place = place as usize;
            self.bits[from + place / PLACES] |= 1 << (place % PLACES);
            self.steps += 1;
        }
        *bits = Some(from..self.bits.len());
        Ok(from..self.bits.len())
    }
}

fn too_long() -> Error {
    Error::new(ErrorKind::LimitExceeded, "the quoted phrases of the query take more memory than there is")
        .hint("Quote fewer or shorter passages.")
}

/// A set of places, zero outside of a range of its elements.
#[derive(Default)]
struct Ends {
    bits: Vec<u64>,
    range: Range<usize>,
}

impl Ends {
    fn begin(&mut self, places: &[u64]) -> Result<()> {
        self.make_room(places.len())?;
        self.bits[..places.len()].copy_from_slice(places);
        self.range = 0..places.len();
        Ok(())
    }

    /// The places at this distance after one of the set that are also among some places. Returns the number of elements
    /// that it read.
    fn go_on(&mut self, distance: usize, places: &[u64]) -> Result<u64> {
        let (elements, shift) = (distance / PLACES, distance % PLACES);
        let old = self.range.clone();
        let (from, to) = (old.start + elements, (old.end + elements + 1).min(places.len()));
        self.make_room(to)?;
        if to <= from {
            self.range = 0..0;
            return Ok(1);
        }
        let (mut first, mut end) = (to, from);
        // From the last on: what is read was not yet written.
        for at in (from..to).rev() {
            let source = at - elements;
            let upper = if old.contains(&source) { self.bits[source] << shift } else { 0 };
            let carries = shift > 0 && source > 0 && old.contains(&(source - 1));
            let lower = if carries { self.bits[source - 1] >> (PLACES - shift) } else { 0 };
            self.bits[at] = (upper | lower) & places[at];
            if self.bits[at] != 0 {
                first = at;
                end = end.max(at + 1);
            }
        }
        self.range = first..end;
        Ok((to - from) as u64 + 1)
    }

    fn make_room(&mut self, elements: usize) -> Result<()> {
        if self.bits.len() < elements {
            self.bits.try_reserve(elements - self.bits.len()).map_err(|_| too_long())?;
            self.bits.resize(elements, 0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::document::WordList;

    type Stands = Vec<(String, Vec<u16>)>;

    fn document(lexemes: &Stands) -> WordList {
        let places: Vec<Vec<(u16, u16)>> =
            lexemes.iter().map(|(_, places)| places.iter().map(|&place| (place, 0)).collect()).collect();
        WordList::new(
            &lexemes.iter().zip(&places).map(|((word, _), places)| (word.as_str(), &places[..])).collect::<Vec<_>>(),
        )
    }

    fn phrase(words: &[(u16, String)]) -> Phrase {
        let mut by_lexeme: BTreeMap<String, Vec<u16>> = BTreeMap::new();
        words.iter().for_each(|(place, word)| by_lexeme.entry(word.clone()).or_default().push(*place));
        Phrase::of(&document(&by_lexeme.into_iter().collect())).unwrap().unwrap()
    }

    /// "a b" in order, each directly after the one before.
    fn phrase_of(text: &str) -> Phrase {
        let words: Vec<(u16, String)> =
            text.split(' ').map(str::to_owned).enumerate().map(|(at, word)| (at as u16 + 1, word)).collect();
        phrase(&words)
    }

    /// By a test of each place.
    fn stands(document: &Stands, phrase: &Phrase) -> bool {
        let words: Vec<(u32, &str)> = phrase.words().collect();
        let places = |word: &str| document.iter().find(|(other, _)| other == word).map(|(_, places)| places);
        let all: Option<Vec<&Vec<u16>>> = words.iter().map(|(_, word)| places(word)).collect();
        let Some(all) = all else { return false };
        words.len() == 1
            || all[0].iter().any(|begin| {
                let stands = |at: u32, places: &[u16]| places.iter().any(|&place| u32::from(place) == at);
                words
                    .iter()
                    .zip(&all)
                    .all(|((place, _), places)| stands(u32::from(*begin) + place - words[0].0, places))
            })
    }

    fn is_met(document: &WordList, wanted: &[Phrase], excluded: &[Phrase]) -> bool {
        Judge::of(&Demands::new(wanted, excluded)).is_met_by(document).unwrap()
    }

    #[test]
    fn a_word_without_places_stands_alone_and_in_no_phrase() {
        let stripped = document(&vec![("boat".to_owned(), vec![]), ("red".to_owned(), vec![])]);
        assert!(is_met(&stripped, &[phrase_of("boat")], &[phrase_of("red boat")]));
        assert!(!is_met(&stripped, &[phrase_of("red boat")], &[]));
    }

    /// An entry that repeats the same words.
    fn repeated(words: usize) -> (WordList, Vec<String>) {
        let names: Vec<String> = (0..words).map(|at| format!("w{at:02}")).collect();
        let places = |at: usize| (0..255).map(|time| (time * words + at + 1) as u16).collect();
        (document(&names.iter().enumerate().map(|(at, name)| (name.clone(), places(at))).collect()), names)
    }

    #[test]
    fn phrases_over_a_repetitive_entry_take_few_steps() {
        for words in [2, 16, 64] {
            let (entry, names) = repeated(words);
            // 64 phrases of 250 words or so, all of which occur in it at nearly all places.
            let text = |begin: usize| {
                (begin..begin + 250 - begin % 7).map(|at| &*names[at % words]).collect::<Vec<_>>().join(" ")
            };
            let wanted: Vec<Phrase> = (0..64).map(|begin| phrase_of(&text(begin))).collect();
            let demands = Demands::new(&wanted, &[]);
            let mut judge = Judge::of(&demands);
            assert!(judge.is_met_by(&entry).unwrap());
            let all_places = 255 * words as u64;
            let all_words = 64 * 250;
            // Merging two lists of places for each word takes 510 steps a word.
            let most = all_places + all_words * (all_places / 64 + 3);
            assert!(judge.steps() <= most, "{words}: {} of {most}", judge.steps());
        }
    }

    #[test]
    fn few_places_that_are_left_take_few_steps() {
        let (_, names) = repeated(64);
        let mut lexemes: Stands =
            (0..64).map(|at| (names[at].clone(), (0..255).map(|time| (time * 64 + at + 1) as u16).collect())).collect();
        lexemes.push(("x".to_owned(), vec![65]));
        let entry = document(&lexemes);
        let text = ["x"].into_iter().chain((1..250).map(|at| &*names[at % 64])).collect::<Vec<_>>().join(" ");
        let demands = Demands::new(&[phrase_of(&text)], &[]);
        let mut judge = Judge::of(&demands);
        assert!(judge.is_met_by(&entry).unwrap());
        assert!(judge.steps() < 65 * 255 + 65 * 8 + 250 * 3, "{}", judge.steps());
    }

    proptest! {
        // Few words, so that they repeat, at places near each other and far from each other.
        #[test]
        fn demands_are_met_where_trying_each_place_says_so(
            lexemes in proptest::collection::btree_map("[a-d]", proptest::collection::btree_set(prop_oneof![1..12u16, 55..75u16, 125..135u16, 16_370..16_390u16, 65_500..=65_535u16], 0..14), 1..5),
            wanted in proptest::collection::vec(proptest::collection::btree_set((prop_oneof![1..6u16, 60..70u16, Just(16_000)], "[a-d]"), 1..4), 0..3),
            excluded in proptest::collection::vec(proptest::collection::btree_set((1..6u16, "[a-e]"), 1..4), 0..3),
        ) {
            let lexemes: Stands = lexemes.into_iter().map(|(word, places)| (word, places.into_iter().collect())).collect();
            let phrases = |all: Vec<std::collections::BTreeSet<(u16, String)>>| -> Vec<Phrase> {
                all.into_iter().map(|words| phrase(&words.into_iter().collect::<Vec<_>>())).collect()
            };
            let (wanted, excluded) = (phrases(wanted), phrases(excluded));
            let expected = wanted.iter().all(|phrase| stands(&lexemes, phrase))
                && !excluded.iter().any(|phrase| stands(&lexemes, phrase));
            let demands = Demands::new(&wanted, &excluded);
            let mut judge = Judge::of(&demands);
            // Nothing is left of a document before.
            judge.is_met_by(&document(&vec![("a".to_owned(), vec![3, 4, 65]), ("b".to_owned(), vec![4, 5])])).unwrap();
            prop_assert_eq!(judge.is_met_by(&document(&lexemes)).unwrap(), expected);
        }
    }
}
