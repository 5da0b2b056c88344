//! A document for the engine: its distinct lexemes in bytewise order, each with its positions and their weights.
//! Implementations of the trait decide the format.

use crate::error::Result;

/// The number of bytes of a lexeme that are compared as one number.
pub const PREFIX_BYTES: usize = 8;

/// The first [`PREFIX_BYTES`] of a word as a number, the first byte lowest; a shorter word is padded with zeros.
pub fn prefix(word: &[u8]) -> u64 {
    let mut bytes = [0; PREFIX_BYTES];
    let length = word.len().min(PREFIX_BYTES);
    bytes[..length].copy_from_slice(&word[..length]);
    u64::from_le_bytes(bytes)
}

/// Occurrences of one lexeme by weight; a lexeme without positions counts as one of weight D.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// Counts for D, C, B, A.
    pub by_weight: [u16; 4],
}

/// The lexemes of one text. Reading fails where stored bytes are damaged.
pub trait Document {
    /// Distinct lexemes: |d| of BM25.
    fn lexeme_count(&self) -> usize;

    /// The lexeme at `index`, in bytewise order.
    fn lexeme(&self, index: usize) -> Result<&[u8]>;

    /// The number and the weights of the occurrences of the lexeme at `index`.
    fn occurrences(&self, index: usize) -> Result<Occurrences>;

    /// The positions of the lexeme at `index` in its text, from 1; empty if positions were not stored.
    fn positions(&self, index: usize) -> Result<impl Iterator<Item = u32>>;

    /// Calls `each` with the index and the [`prefix`] of every lexeme, in order. A lexeme holds no zero
    /// byte, so a prefix that ends in one is the whole lexeme.
    fn each_prefix(&self, each: impl FnMut(usize, u64) -> Result<()>) -> Result<()>;
}

/// A document in memory, for tests: lexemes with `(position, weight)` pairs.
#[cfg(test)]
pub struct WordList(std::collections::BTreeMap<Vec<u8>, Vec<(u16, u16)>>);

#[cfg(test)]
impl WordList {
    /// From `(lexeme, [(position, weight)])`.
    pub fn new(lexemes: &[(&str, &[(u16, u16)])]) -> Self {
        WordList(lexemes.iter().map(|(word, positions)| (word.as_bytes().to_vec(), positions.to_vec())).collect())
    }

    fn at(&self, index: usize) -> (&Vec<u8>, &Vec<(u16, u16)>) {
        self.0.iter().nth(index).expect("an index below the count")
    }
}

#[cfg(test)]
impl Document for WordList {
    fn lexeme_count(&self) -> usize {
        self.0.len()
    }

    fn lexeme(&self, index: usize) -> Result<&[u8]> {
        Ok(self.at(index).0)
    }

    fn occurrences(&self, index: usize) -> Result<Occurrences> {
        let mut found = Occurrences::default();
        self.at(index).1.iter().for_each(|&(_, weight)| found.by_weight[usize::from(weight)] += 1);
        if found == Occurrences::default() {
            found.by_weight[0] = 1;
        }
        Ok(found)
    }

    fn positions(&self, index: usize) -> Result<impl Iterator<Item = u32>> {
        Ok(self.at(index).1.iter().map(|&(position, _)| u32::from(position)))
    }

    fn each_prefix(&self, mut each: impl FnMut(usize, u64) -> Result<()>) -> Result<()> {
        self.0.keys().enumerate().try_for_each(|(index, word)| each(index, prefix(word)))
    }
}
