//! Reads PostgreSQL's `tsvector` from the server's bytes (tsearch/ts_type.h): after the varlena header an int32 count,
//! then one 32-bit entry for each lexeme (bit 0: has positions, 11 bits length, 20 bits offset), then the lexemes;
//! after a lexeme with positions, 2-byte aligned, a u16 count and that many u16 (14 bits position, 2 bits weight: D 0,
//! C 1, B 2, A 3).
//!
//! Integers are in the machine's byte order. Every offset is checked, so bytes that are no tsvector give an error and
//! never a wrong read.

use memory_search_core::text::document::{Document, Occurrences, PREFIX_BYTES, prefix};
use memory_search_core::{Error, ErrorKind, Result};

const COUNT_BYTES: usize = 4;
const ENTRY_BYTES: usize = 4;

/// The masks for eight bytes, by the length of the lexeme that they begin with.
const MASKS: [u64; PREFIX_BYTES + 1] = {
    let mut masks = [u64::MAX; PREFIX_BYTES + 1];
    let mut length = 0;
    while length < PREFIX_BYTES {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// A tsvector's payload (without the varlena header).
#[derive(Debug, Clone, Copy)]
pub struct TsVector<'a> {
    entries: &'a [u8],
    text: &'a [u8],
}

impl<'a> TsVector<'a> {
    /// Checks the frame: the count and the room for its entries.
    #[inline]
    pub fn new(payload: &'a [u8]) -> Result<Self> {
        let (count, rest) = payload.split_first_chunk::<COUNT_BYTES>().ok_or_else(corrupted)?;
        let count = usize::try_from(i32::from_ne_bytes(*count)).map_err(|_| corrupted())?;
        let entries_bytes = count.checked_mul(ENTRY_BYTES).ok_or_else(corrupted)?;
        if rest.len() < entries_bytes {
            return Err(corrupted());
        }
        let (entries, text) = rest.split_at(entries_bytes);
        Ok(TsVector { entries, text })
    }

    fn entry(&self, index: usize) -> Result<(bool, usize, usize)> {
        let at = index * ENTRY_BYTES;
        let bytes = self.entries.get(at..at + ENTRY_BYTES).ok_or_else(corrupted)?;
        Ok(unpacked(u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
    }

    fn weighted_positions(&self, index: usize) -> Result<impl Iterator<Item = u16> + 'a> {
        let (has_positions, start, length) = self.entry(index)?;
        let mut list: &[u8] = &[];
        if has_positions {
            let at = (start + length).next_multiple_of(2);
            let count = self.text.get(at..at + 2).ok_or_else(corrupted)?;
            let count = usize::from(u16::from_ne_bytes([count[0], count[1]]));
            list = self.text.get(at + 2..at + 2 + 2 * count).ok_or_else(corrupted)?;
        }
        Ok(list.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])))
    }
}

impl Document for TsVector<'_> {
    /// The length, as PostgreSQL's `length(tsvector)` returns it.
    #[inline]
    fn lexeme_count(&self) -> usize {
        self.entries.len() / ENTRY_BYTES
    }

    fn lexeme(&self, index: usize) -> Result<&[u8]> {
        let (_, start, length) = self.entry(index)?;
        self.text.get(start..start + length).ok_or_else(corrupted)
    }

    fn occurrences(&self, index: usize) -> Result<Occurrences> {
        let mut found = Occurrences::default();
        for position in self.weighted_positions(index)? {
            let weight = usize::from(position >> 14);
            found.by_weight[weight] = found.by_weight[weight].saturating_add(1);
        }
        if found == Occurrences::default() {
            found.by_weight[0] = 1;
        }
        Ok(found)
    }

    fn positions(&self, index: usize) -> Result<impl Iterator<Item = u32>> {
        Ok(self.weighted_positions(index)?.map(|position| u32::from(position & 0x3fff)))
    }

    #[inline]
    fn each_prefix(&self, mut each: impl FnMut(usize, u64) -> Result<()>) -> Result<()> {
        for (index, entry) in self.entries.chunks_exact(ENTRY_BYTES).enumerate() {
            let (_, start, length) = unpacked(u32::from_ne_bytes([entry[0], entry[1], entry[2], entry[3]]));
            // Positions or other lexemes follow a lexeme, so that nearly always eight bytes can be read.
            let prefix = match self.text.get(start..start + PREFIX_BYTES) {
                Some(&[a, b, c, d, e, f, g, h]) => {
                    u64::from_le_bytes([a, b, c, d, e, f, g, h]) & MASKS[length.min(PREFIX_BYTES)]
                }
                _ => prefix(self.text.get(start..start + length).ok_or_else(corrupted)?),
            };
            each(index, prefix)?;
        }
        Ok(())
    }
}

/// Whether a lexeme has positions, where it starts, and its length. The bit fields of `WordEntry` start at
/// the least significant bit on little-endian machines and at the most significant on big-endian ones.
#[inline]
fn unpacked(word: u32) -> (bool, usize, usize) {
    let (has_positions, length, start) = if cfg!(target_endian = "little") {
        (word & 1, (word >> 1) & 0x7ff, word >> 12)
    } else {
        (word >> 31, (word >> 20) & 0x7ff, word & 0xf_ffff)
    };
    (has_positions == 1, start as usize, length as usize)
}

fn corrupted() -> Error {
    Error::new(ErrorKind::Corrupted, "a stored tsvector is damaged")
        .hint("Rewrite the row, or fill its column of words anew.")
}

/// Builds the bytes of a tsvector from `(lexeme, positions with weights)`, sorted: for tests, here
/// and in the crates that use this one.
#[doc(hidden)]
pub fn encode(lexemes: &[(&str, &[(u16, u16)])]) -> Vec<u8> {
    let mut sorted = lexemes.to_vec();
    sorted.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
    let (mut entries, mut text) = (Vec::new(), Vec::new());
    for (lexeme, positions) in &sorted {
        let word = u32::from(!positions.is_empty()) | (lexeme.len() as u32) << 1 | (text.len() as u32) << 12;
        entries.extend_from_slice(&word.to_ne_bytes());
        text.extend_from_slice(lexeme.as_bytes());
        if !positions.is_empty() {
            text.resize(text.len().next_multiple_of(2), 0);
            text.extend_from_slice(&(positions.len() as u16).to_ne_bytes());
            for (position, weight) in *positions {
                text.extend_from_slice(&(position | weight << 14).to_ne_bytes());
            }
        }
    }
    [(sorted.len() as i32).to_ne_bytes().to_vec(), entries, text].concat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(vector: TsVector<'_>, word: &str) -> Option<usize> {
        (0..vector.lexeme_count()).find(|&index| vector.lexeme(index).unwrap() == word.as_bytes())
    }

    #[test]
    fn lexemes_and_their_weights_come_back_as_they_were_written() {
        let bytes = encode(&[("tea", &[(1, 3), (4, 2), (16_383, 2)]), ("e1042", &[]), ("a", &[(2, 0)])]);
        let vector = TsVector::new(&bytes).unwrap();
        assert_eq!(vector.lexeme_count(), 3);
        let tea = find(vector, "tea").unwrap();
        assert_eq!(vector.occurrences(tea).unwrap().by_weight, [0, 0, 2, 1]);
        assert_eq!(vector.positions(tea).unwrap().collect::<Vec<_>>(), [1, 4, 16_383]);
        let code = find(vector, "e1042").unwrap();
        assert_eq!(vector.occurrences(code).unwrap().by_weight, [1, 0, 0, 0]);
    }

    #[test]
    fn a_tsvector_cut_anywhere_is_an_error_or_reads_within_its_bytes() {
        let bytes = encode(&[("alpha", &[(1, 3)]), ("beta", &[(2, 2), (5, 2)])]);
        for length in 0..bytes.len() {
            if let Ok(vector) = TsVector::new(&bytes[..length]) {
                for index in 0..vector.lexeme_count() {
                    let _ = (vector.lexeme(index), vector.occurrences(index), vector.each_prefix(|_, _| Ok(())));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(vector) = TsVector::new(&bytes) {
                for index in 0..vector.lexeme_count().min(64) {
                    let _ = (vector.lexeme(index), vector.occurrences(index), vector.positions(index).map(Iterator::count));
                }
                let _ = vector.each_prefix(|_, _| Ok(()));
            }
        }

        #[test]
        fn every_lexeme_is_found_where_it_stands(words in proptest::collection::btree_set("[a-zü0-9]{1,9}", 0..40)) {
            let lexemes: Vec<(&str, &[(u16, u16)])> = words.iter().map(|w| (w.as_str(), &[(7, 1)][..])).collect();
            let bytes = encode(&lexemes);
            let vector = TsVector::new(&bytes).unwrap();
            prop_assert_eq!(vector.lexeme_count(), words.len());
            let mut prefixes = Vec::new();
            vector.each_prefix(|_, prefix| { prefixes.push(prefix); Ok(()) }).unwrap();
            for (word, expected) in words.iter().zip(prefixes) {
                prop_assert_eq!(prefix(word.as_bytes()), expected, "{}", word);
                let at = find(vector, word).unwrap();
                prop_assert_eq!(vector.lexeme(at).unwrap(), word.as_bytes());
                prop_assert_eq!(vector.occurrences(at).unwrap().by_weight, [0, 1, 0, 0]);
            }
        }
    }
}
