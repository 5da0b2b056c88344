//! Sets of documents by their numbers: a bit each.

use std::ops::Range;

use memory_search_core::error::out_of_memory;

use crate::fault::Outcome;

/// A set of numbers below a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bitset {
    words: Vec<u64>,
    size: u32,
}

impl Bitset {
    /// An empty set of numbers below `size`. Fails if memory does.
    pub fn empty(size: u32) -> Outcome<Bitset> {
        Bitset::filled(size, 0)
    }

    /// All of the numbers below `size`. Fails where memory does.
    pub fn full(size: u32) -> Outcome<Bitset> {
        let mut full = Bitset::filled(size, u64::MAX)?;
        full.cut();
        Ok(full)
    }

    fn filled(size: u32, word: u64) -> Outcome<Bitset> {
        let length = size.div_ceil(64) as usize;
        let mut words = Vec::new();
        words.try_reserve_exact(length).map_err(|_| out_of_memory())?;
        words.resize(length, word);
        Ok(Bitset { words, size })
    }

    /// A copy. Fails where memory does.
    pub fn copy(&self) -> Outcome<Bitset> {
        let mut copy = Bitset::empty(self.size)?;
        copy.words.copy_from_slice(&self.words);
        Ok(copy)
    }

    /// Clears the bits beyond the size, because all other functions rely on it.
    fn cut(&mut self) {
        if let (Some(last), used @ 1..) = (self.words.last_mut(), self.size % 64) {
            *last &= (1 << used) - 1;
        }
    }

    /// Numbers below this may be in it.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Whether a number is in it; none from its size on is.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Puts a number in; one from its size on is ignored.
    #[inline]
    pub fn insert(&mut self, number: u32) {
        if number < self.size {
            self.words[number as usize / 64] |= 1 << (number % 64);
        }
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        if number < self.size {
            self.words[number as usize / 64] &= !(1 << (number % 64));
        }
    }

    /// Puts in those of the 64 numbers from `64 * word` on whose bits are set.
    #[inline]
    pub fn insert_word(&mut self, word: usize, bits: u64) {
        if let Some(own) = self.words.get_mut(word) {
            *own |= bits;
            if word + 1 == self.words.len() {
                self.cut();
            }
        }
    }

    /// Puts in all numbers of a range; those from its size on are ignored.
    pub fn insert_range(&mut self, range: Range<u32>) {
        let end = range.end.min(self.size);
        let mut next = range.start;
        while next < end {
            let after = (next - next % 64).saturating_add(64).min(end);
            let (skipped, bits) = (next % 64, after - next);
            self.words[next as usize / 64] |= (u64::MAX >> (64 - bits)) << skipped;
            next = after;
        }
    }

    /// The bits of the numbers, 64 a word, lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Keeps the numbers that are in both sets, which have the same size.
    pub fn intersect(&mut self, other: &Bitset) {
        self.zip(other, |own, other| own & other);
    }

    /// Adds the numbers of the other set, which has the same size.
    pub fn unite(&mut self, other: &Bitset) {
        self.zip(other, |own, other| own | other);
    }

    /// Removes the numbers of the other set, which has the same size.
    pub fn subtract(&mut self, other: &Bitset) {
        self.zip(other, |own, other| own & !other);
    }

    fn zip(&mut self, other: &Bitset, combined: impl Fn(u64, u64) -> u64) {
        debug_assert_eq!(self.size, other.size);
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own = combined(*own, *other));
    }

    /// Exchanges the numbers in the set and the numbers outside of it.
    pub fn negate(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.cut();
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The number of its elements.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// The numbers in it, from the greatest on.
    pub fn iter_from_last(&self) -> impl Iterator<Item = u32> {
        let words = self.words.iter().enumerate().rev();
        words.flat_map(|(index, &word)| OnesFromLast(word).map(move |bit| index as u32 * 64 + bit))
    }

    /// The numbers in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(index, &word)| Ones(word).map(move |bit| index as u32 * 64 + bit))
    }
}

/// The places of the bits that are set, lowest first.
struct Ones(u64);

impl Iterator for Ones {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let bit = self.0.trailing_zeros();
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            bit
        })
    }
}

/// The ones from the highest on.
struct OnesFromLast(u64);

impl Iterator for OnesFromLast {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let bit = self.0.checked_ilog2()?;
        self.0 &= !(1 << bit);
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn of(size: u32, numbers: &BTreeSet<u32>) -> Bitset {
        let mut set = Bitset::empty(size).unwrap();
        numbers.iter().for_each(|&number| set.insert(number));
        set
    }

    fn changed(set: &Bitset, change: impl Fn(&mut Bitset)) -> Vec<u32> {
        let mut copy = set.copy().unwrap();
        change(&mut copy);
        assert_eq!(copy.count() as usize, copy.iter().count());
        copy.iter().collect()
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_set_of_numbers(
            size in 1_u32..200,
            a in prop::collection::btree_set(0_u32..200, 0..60),
            b in prop::collection::btree_set(0_u32..200, 0..60),
            word: u64,
        ) {
            let (a, b): (BTreeSet<u32>, BTreeSet<u32>) =
                (a.into_iter().filter(|n| *n < size).collect(), b.into_iter().filter(|n| *n < size).collect());
            let (one, other) = (of(size, &a), of(size, &b));
            let all: BTreeSet<u32> = (0..size).collect();
            prop_assert!((0..256).all(|number| one.contains(number) == a.contains(&number)));
            prop_assert_eq!(changed(&one, |set| set.intersect(&other)), Vec::from_iter(a.intersection(&b).copied()));
            prop_assert_eq!(changed(&one, |set| set.unite(&other)), Vec::from_iter(a.union(&b).copied()));
            prop_assert_eq!(changed(&one, |set| set.subtract(&other)), Vec::from_iter(a.difference(&b).copied()));
            prop_assert_eq!(changed(&one, Bitset::negate), Vec::from_iter(all.difference(&a).copied()));
            prop_assert_eq!(Vec::from_iter(Bitset::full(size).unwrap().iter()), Vec::from_iter(all));
            prop_assert_eq!(Vec::from_iter(one.iter_from_last()), Vec::from_iter(a.iter().rev().copied()));
            prop_assert_eq!(one.is_empty(), a.is_empty());
            let range = (word as u32 % 210)..((word >> 32) as u32 % 210);
            prop_assert_eq!(
                changed(&one, |set| set.insert_range(range.clone())),
                Vec::from_iter((0..size).filter(|n| a.contains(n) || range.contains(n)))
            );
            let last = (size - 1) / 64;
            let bits = |n: &u32| *n / 64 == last && word >> (n % 64) & 1 == 1;
            prop_assert_eq!(
                changed(&one, |set| set.insert_word(last as usize, word)),
                Vec::from_iter((0..size).filter(|n| a.contains(n) || bits(n)))
            );
        }
    }

    #[test]
    fn a_number_beyond_its_size_is_never_in_it() {
        let mut set = Bitset::full(3).unwrap();
        set.insert(3);
        set.remove(70);
        set.insert(u32::MAX);
        assert_eq!(Vec::from_iter(set.iter()), [0, 1, 2]);
        assert!(!set.contains(u32::MAX));
    }
}
