//! The hashes that a query looks up. Most hashes of a document are excluded by a look at one bit.

use memory_search_core::error::out_of_memory;

use crate::fault::Outcome;

/// Bits of a hash that choose the word of the filter, and the bucket.
const BUCKET_BITS: u32 = 6;
const BUCKETS: usize = 1 << BUCKET_BITS;

/// The hashes that a query looks up. SipHash spreads them evenly, so the highest bits distinguish them.
#[derive(Debug, Clone)]
pub struct Wanted {
    hashes: Vec<u64>,
    /// 4,096 bits: the bit is set whose number is the highest twelve bits of one of the hashes.
    filter: [u64; BUCKETS],
    /// The start of the hashes with the same highest six bits.
    starts: [u32; BUCKETS + 1],
}

impl Wanted {
    /// A set of hashes in ascending order, each once.
    pub fn new(sorted: &[u64]) -> Outcome<Wanted> {
        debug_assert!(sorted.is_sorted_by(|a, b| a < b));
        let mut hashes = Vec::new();
        hashes.try_reserve_exact(sorted.len()).map_err(|_| out_of_memory())?;
        hashes.extend_from_slice(sorted);
        let (mut filter, mut starts) = ([0; BUCKETS], [0; BUCKETS + 1]);
        for &hash in sorted {
            filter[bucket(hash)] |= 1 << bit(hash);
        }
        for (index, start) in starts.iter_mut().enumerate() {
            *start = sorted.partition_point(|&hash| bucket(hash) < index) as u32;
        }
        Ok(Wanted { hashes, filter, starts })
    }

    /// The hashes.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// 1 if a hash may be among them, 0 if it is not.
    #[inline]
    pub(super) fn maybe(&self, hash: u64) -> u64 {
        self.filter[bucket(hash)] >> bit(hash) & 1
    }

    /// The place of a hash among them.
    #[inline]
    pub fn which(&self, hash: u64) -> Option<usize> {
        let bucket = bucket(hash);
        let (start, end) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
        self.hashes.get(start..end)?.iter().position(|&own| own == hash).map(|at| start + at)
    }
}

#[inline]
fn bucket(hash: u64) -> usize {
    (hash >> (64 - BUCKET_BITS)) as usize
}

#[inline]
fn bit(hash: u64) -> u64 {
    hash >> (64 - 2 * BUCKET_BITS) & (BUCKETS as u64 - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn exactly_the_hashes_of_the_set_are_found(
            hashes in prop::collection::btree_set(any::<u64>(), 0..300), others: [u64; 8],
        ) {
            let sorted = Vec::from_iter(hashes);
            let wanted = Wanted::new(&sorted).unwrap();
            for &hash in sorted.iter().chain(&others).chain(&[0, u64::MAX]) {
                let at = sorted.binary_search(&hash).ok();
                prop_assert_eq!(wanted.which(hash), at);
                prop_assert!(at.is_none() || wanted.maybe(hash) == 1);
            }
        }
    }
}
