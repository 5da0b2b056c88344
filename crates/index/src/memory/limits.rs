//! The sizes of the parts of a memory. Tests use smaller ones, so that a short history reaches all of them.

use super::header::MAX_SEGMENTS;

/// The sizes of the parts of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A tail of so many documents is sealed, because a search reads each of them, in about 80 ns.
    pub long_tail: usize,
    /// At most so many are sealed at once, while a row's inserter waits; the next ones seal the rest.
    pub sealed_at_once: usize,
    /// At most so many bytes of their records.
    pub sealed_bytes: usize,
    /// The number of segments of a size that become one.
    pub segments_of_a_size: usize,
    /// Segments of so many documents together are merged while a row's inserter waits: some milliseconds.
    pub merged_at_once: u32,
    /// Segments of so many documents together are merged by VACUUM, which holds them in memory meanwhile.
    pub merged_by_vacuum: u32,
    /// Segments of so many bytes together are merged.
    pub merged_bytes: u64,
    /// A memory of so many segments must get fewer at any cost, before its header is full; with a quarter of them,
    /// larger segments may be merged.
    pub many_segments: usize,
    /// A build leaves memories of fewer documents as a tail.
    pub least_sealed: usize,
    /// A build makes groups of at least half and at most twice as many embeddings, whose codes are relative to one mean.
    pub group_documents: usize,
    /// A build makes such groups of embeddings that have so many bytes together.
    pub clustered_bytes: usize,
    /// A build makes segments of so many documents at first. In every sixteen segments of a memory the last has twice
    /// as many as the first, so that a header has room for all.
    pub segment_documents: usize,
    /// A build ends a segment of so many lexemes, counted by document; doubled likewise.
    pub segment_lexemes: usize,
    /// A build ends a segment whose codes have so many bytes; doubled likewise.
    pub segment_code_bytes: usize,
}

/// The limits of an index.
pub const LIMITS: Limits = Limits {
    long_tail: 512,
    sealed_at_once: 4_096,
    sealed_bytes: 32 << 20,
    segments_of_a_size: 8,
    // A tail is somewhat longer when an inserter notices that it is long.
    merged_at_once: 2 * 8 * 512,
    merged_by_vacuum: 1 << 15,
    merged_bytes: 512 << 20,
    many_segments: 120,
    least_sealed: 64,
    group_documents: 512,
    clustered_bytes: 32 << 20,
    segment_documents: 32_768,
    segment_lexemes: 4 << 20,
    // 32,768 codes of the most dimensions have fewer.
    segment_code_bytes: 256 << 20,
};

// A seal between two checks adds one segment.
const _: () = assert!(LIMITS.many_segments < MAX_SEGMENTS);

impl Limits {
    /// The number of documents that may be merged into one segment: `at_most` while the memory has few segments, else more.
    pub(super) fn merged(&self, segments: usize, at_most: u32) -> u32 {
        match segments {
            count if count >= self.many_segments => u32::MAX,
            count if count >= self.many_segments / 4 => at_most.saturating_mul(self.segments_of_a_size as u32),
            _ => at_most,
        }
    }

    /// The size class of a segment: `segments_of_a_size` segments of a class become one of the next class.
    pub(super) fn size(&self, documents: u32) -> u32 {
        (documents / self.long_tail.max(1) as u32).max(1).ilog(self.segments_of_a_size.max(2) as u32)
    }
}
