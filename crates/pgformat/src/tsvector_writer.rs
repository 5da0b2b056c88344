//! Writes a `tsvector` as the server keeps it: [`super::tsvector`] has the format; the bounds are from
//! tsearch/ts_type.h.

use memory_search_core::text::document::Occurrences;

/// The last position of a tsvector (MAXENTRYPOS - 1): later occurrences have this position, too.
pub const LAST_PLACE: u16 = (1 << 14) - 1;
/// The most positions of one lexeme (MAXNUMPOS - 1).
const MOST_PLACES: usize = 255;
/// Bytes of lexemes and their positions (MAXSTRPOS).
const MOST_BYTES: usize = (1 << 20) - 1;

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

/// The position of a lexeme, and its weight there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// From 1 to [`LAST_PLACE`].
    pub place: u16,
    #[allow(missing_docs)]
    pub weight: Weight,
}

impl Occurrence {
    /// Orders the occurrences of one lexeme by their positions, and those at one position by weight, the greatest
    /// first: that one is kept.
    pub fn rank(self) -> u32 {
        u32::from(self.place) << 2 | (Weight::A as u32 - self.weight as u32)
    }
}

/// The payload of a tsvector of these occurrences, which must be in the bytewise order of their lexemes and, for one
/// lexeme, of their [ranks](Occurrence::rank). The first 255 positions of a lexeme are kept. The last lexemes are left
/// out if there is no room for them: `bytes_of` tells in advance how much room one takes at most.
pub fn write<'a>(occurrences: impl Iterator<Item = (&'a [u8], Occurrence)>) -> Vec<u8> {
    let (mut entries, mut text): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
    let mut lexeme: Option<&[u8]> = None;
    // The place of the number of the lexeme's positions, and that number.
    let (mut count_at, mut count, mut last) = (0, 0, 0);
    let mut lexemes = 0_i32;
    for (next, Occurrence { place, weight }) in occurrences {
        let position = (weight as u16) << 14 | place;
        if lexeme == Some(next) {
            if count == MOST_PLACES || place == last || text.len() + 2 > MOST_BYTES {
                continue;
            }
        } else {
            if text.len() + bytes_of(next) > MOST_BYTES {
                break;
            }
            lexeme = Some(next);
            lexemes += 1;
            entries.extend_from_slice(&packed(next.len(), text.len()).to_ne_bytes());
            text.extend_from_slice(next);
            text.resize(text.len().next_multiple_of(2), 0);
            (count_at, count) = (text.len(), 0);
            text.extend_from_slice(&[0, 0]);
        }
        count += 1;
        last = place;
        text[count_at..count_at + 2].copy_from_slice(&(count as u16).to_ne_bytes());
        text.extend_from_slice(&position.to_ne_bytes());
    }
    [&lexemes.to_ne_bytes()[..], &entries, &text].concat()
}

/// Occurrences of one lexeme, counted as in the tsvector that [`write`] makes. They come in the order of their ranks.
pub fn counted(occurrences: impl Iterator<Item = Occurrence>) -> Occurrences {
    let (mut found, mut count, mut last) = (Occurrences::default(), 0, 0);
    for Occurrence { place, weight } in occurrences {
        if count < MOST_PLACES && place != last {
            found.by_weight[weight as usize] += 1;
            count += 1;
            last = place;
        }
    }
    found
}

/// The most bytes that an occurrence of a lexeme takes.
pub fn bytes_of(lexeme: &[u8]) -> usize {
    lexeme.len() + 5
}

/// The entry of a lexeme with positions. Bit fields start at the least significant bit on little-endian machines and at
/// the most significant on big-endian ones.
fn packed(length: usize, start: usize) -> u32 {
    let (length, start) = (length as u32, start as u32);
    if cfg!(target_endian = "little") { 1 | length << 1 | start << 12 } else { 1 << 31 | length << 20 | start }
}

#[cfg(test)]
mod tests {
    use memory_search_core::text::document::Document;
    use proptest::prelude::*;

    use super::*;
    use crate::tsvector::TsVector;

    fn at(place: u16, weight: Weight) -> Occurrence {
        Occurrence { place, weight }
    }

    #[test]
    fn words_come_back_as_they_were_written() {
        let words = [
            (&b"a"[..], at(2, Weight::D)),
            (b"tea", at(1, Weight::A)),
            (b"tea", at(4, Weight::B)),
            (b"tea", at(LAST_PLACE, Weight::B)),
        ];
        let bytes = write(words.into_iter());
        let vector = TsVector::new(&bytes).unwrap();
        assert_eq!(vector.lexeme_count(), 2);
        assert_eq!(vector.lexeme(1).unwrap(), b"tea");
        assert_eq!(vector.occurrences(1).unwrap().by_weight, [0, 0, 2, 1]);
        assert_eq!(vector.positions(1).unwrap().collect::<Vec<_>>(), [1, 4, LAST_PLACE]);
    }

    #[test]
    fn a_lexeme_keeps_255_positions_and_one_for_all_behind_the_last_position() {
        let many = (1..=300).map(|place| (&b"tea"[..], at(place, Weight::D)));
        let bytes = write(many);
        assert_eq!(TsVector::new(&bytes).unwrap().positions(0).unwrap().count(), 255);
        let bytes = write((0..9).map(|_| (&b"tea"[..], at(LAST_PLACE, Weight::D))));
        assert_eq!(TsVector::new(&bytes).unwrap().positions(0).unwrap().count(), 1);
    }

    #[test]
    fn lexemes_beyond_a_megabyte_are_left_out_and_the_others_are_whole() {
        let words: Vec<Vec<u8>> = (0..70_000).map(|n| format!("{n:0>20}").into_bytes()).collect();
        let bytes = write(words.iter().map(|word| (word.as_slice(), at(1, Weight::D))));
        let vector = TsVector::new(&bytes).unwrap();
        assert!(vector.lexeme_count() < 70_000);
        for index in [0, vector.lexeme_count() - 1] {
            assert_eq!(vector.lexeme(index).unwrap(), words[index]);
            assert_eq!(vector.positions(index).unwrap().collect::<Vec<_>>(), [1]);
        }
    }

    proptest! {
        #[test]
        fn counts_are_the_counts_of_the_tsvector(
            places in proptest::collection::vec((1..=LAST_PLACE, 0..4_usize), 1..400), near in 1..=LAST_PLACE,
        ) {
            let weights = [Weight::D, Weight::C, Weight::B, Weight::A];
            let mut places: Vec<_> = places.iter().map(|&(place, weight)| at(place.min(near), weights[weight])).collect();
            places.sort_unstable_by_key(|occurrence| occurrence.rank());
            let bytes = write(places.iter().map(|&occurrence| (&b"tea"[..], occurrence)));
            prop_assert_eq!(TsVector::new(&bytes).unwrap().occurrences(0).unwrap(), counted(places.into_iter()));
        }

        #[test]
        fn a_written_tsvector_is_what_the_encoder_of_tests_writes(
            words in proptest::collection::btree_map("[a-zü]{1,9}", proptest::collection::btree_set(1_u16..900, 1..6), 0..30),
        ) {
            let flat: Vec<(&[u8], Occurrence)> = words
                .iter()
                .flat_map(|(word, places)| places.iter().map(|&place| (word.as_bytes(), at(place, Weight::B))))
                .collect();
            let lists: Vec<Vec<(u16, u16)>> =
                words.values().map(|places| places.iter().map(|&place| (place, 2)).collect()).collect();
            let expected: Vec<(&str, &[(u16, u16)])> =
                words.keys().zip(&lists).map(|(word, places)| (word.as_str(), places.as_slice())).collect();
            prop_assert_eq!(write(flat.into_iter()), crate::tsvector::encode(&expected));
        }
    }
}
