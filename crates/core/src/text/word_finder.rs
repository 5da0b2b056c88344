//! Finds the words of a query in one document after another.
//!
//! Nearly all lexemes of nearly all entries are no word of the query. A bit, selected by its first bytes, rules out
//! each of them without a branch that depends on the data. A binary search would need such a branch for every word and
//! step. Only lexemes whose bit is set are compared.

use crate::error::Result;
use crate::text::document::{Document, PREFIX_BYTES, prefix};
use crate::text::query_lexemes::QueryLexemes;

/// Bits of the filter: for the most words of a query, one in eight lexemes is compared in vain; for a few words, almost
/// none.
const FILTER_BITS: u32 = 2048;
/// The golden ratio, as in Knuth's multiplicative hashing (TAOCP 3, 6.4).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The words of a query, prepared for the search.
#[derive(Debug, Clone)]
pub struct WordFinder {
    filter: [u64; (FILTER_BITS / u64::BITS) as usize],
    /// Prefix, number and bytes, sorted by prefix.
    words: Vec<(u64, usize, Vec<u8>)>,
}

impl WordFinder {
    /// For the lexemes of one query, which are numbered in their order.
    pub fn new(query: &QueryLexemes) -> Self {
        let numbered = query.iter().map(str::as_bytes).enumerate();
        let mut words: Vec<(u64, usize, Vec<u8>)> =
            numbered.map(|(number, word)| (prefix(word), number, word.to_vec())).collect();
        words.sort_unstable();
        let mut filter = [0; (FILTER_BITS / u64::BITS) as usize];
        for (prefix, ..) in &words {
            let (element, bit) = element_and_bit(*prefix);
            filter[element] |= bit;
        }
        WordFinder { filter, words }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Calls `found` with the number of each word that `document` holds, and with its index there.
    pub fn find(&self, document: &impl Document, mut found: impl FnMut(usize, usize) -> Result<()>) -> Result<()> {
        document.each_prefix(|index, prefix| {
            let (element, bit) = element_and_bit(prefix);
            if self.filter[element] & bit == 0 {
                return Ok(());
            }
            let first = self.words.partition_point(|(other, ..)| *other < prefix);
            for (_, number, word) in self.words[first..].iter().take_while(|(other, ..)| *other == prefix) {
                // A prefix that ends in zeros is the whole word.
                if word.len() < PREFIX_BYTES || document.lexeme(index)? == word.as_slice() {
                    return found(*number, index);
                }
            }
            Ok(())
        })
    }
}

#[inline]
fn element_and_bit(prefix: u64) -> (usize, u64) {
    let hash = prefix.wrapping_mul(MULTIPLIER) >> (u64::BITS - FILTER_BITS.ilog2());
    ((hash / u64::from(u64::BITS)) as usize, 1 << (hash % u64::from(u64::BITS)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::document::WordList;

    fn document(words: &[String]) -> WordList {
        WordList::new(&words.iter().map(|word| (word.as_str(), &[(1, 1)][..])).collect::<Vec<_>>())
    }

    proptest! {
        // Few letters and lengths around a prefix's, so that words begin alike and contain each other.
        #[test]
        fn every_word_that_is_there_is_found_where_it_stands_and_no_other(
            entry in proptest::collection::vec("[ab]{1,3}|[ab]{7,10}|[a-z\u{e4}]{1,12}", 0..30),
            query in proptest::collection::vec("[ab]{1,3}|[ab]{7,10}|[a-z\u{e4}]{1,12}", 1..12),
        ) {
            let entry = document(&entry);
            let query = QueryLexemes::of(&document(&query)).unwrap();
            let mut found = Vec::new();
            WordFinder::new(&query).find(&entry, |number, index| {
                found.push((number, index));
                Ok(())
            }).unwrap();
            let mut naive = Vec::new();
            for index in 0..entry.lexeme_count() {
                let lexeme = entry.lexeme(index).unwrap();
                naive.extend(query.iter().position(|word| word.as_bytes() == lexeme).map(|number| (number, index)));
            }
            prop_assert_eq!(found, naive);
        }
    }
}
