//! The header of a memory, which lists its segments. It is the first of the memory's records in the tree; a memory that
//! was never sealed has none.
//!
//! Its bytes, little-endian: format u8, flags u8, count of changes u32, count of segments u16, then of each segment its
//! id u64, the root of its blob u32, and its documents u32.

use crate::fault::{Outcome, damaged_content};
use crate::tree::MAX_RECORD;

const FORMAT: u8 = 1;
const TAIL_HOLDS_SEALED: u8 = 1;
const FIXED_BYTES: usize = 8;
const SEGMENT_BYTES: usize = 16;
/// A header has room for so many segments.
pub const MAX_SEGMENTS: usize = (MAX_RECORD - FIXED_BYTES) / SEGMENT_BYTES;

/// A segment of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentEntry {
    /// The id of its blob.
    pub id: u64,
    /// The root of its blob.
    pub root: u32,
    /// The number of documents that it was built from.
    pub documents: u32,
}

/// The header of a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The number of its changes. A reader that reads it before and after another part sees whether both are of one
    /// state.
    pub changes: u32,
    /// Whether the tail may still hold documents of the last segment: they count once, in the segment.
    pub tail_holds_sealed: bool,
    /// The segments, the oldest first.
    pub segments: Vec<SegmentEntry>,
}

impl Header {
    /// The header as a record of the tree.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT, if self.tail_holds_sealed { TAIL_HOLDS_SEALED } else { 0 }];
        bytes.extend_from_slice(&self.changes.to_le_bytes());
        bytes.extend_from_slice(&(self.segments.len() as u16).to_le_bytes());
        for segment in &self.segments {
            bytes.extend_from_slice(&segment.id.to_le_bytes());
            bytes.extend_from_slice(&segment.root.to_le_bytes());
            bytes.extend_from_slice(&segment.documents.to_le_bytes());
        }
        bytes
    }

    /// From a record of the tree.
    pub fn decode(bytes: &[u8]) -> Outcome<Header> {
        let broken = || damaged_content("the header of a memory cannot be read");
        let (fixed, rest) = bytes.split_first_chunk::<FIXED_BYTES>().ok_or_else(broken)?;
        let [format, flags, a, b, c, d, e, f] = *fixed;
        let count = usize::from(u16::from_le_bytes([e, f]));
        if format != FORMAT || flags & !TAIL_HOLDS_SEALED != 0 || rest.len() != count * SEGMENT_BYTES {
            return Err(broken());
        }
        let segment = |bytes: &[u8]| {
            let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            let id = u64::from(u32_at(0)) | u64::from(u32_at(4)) << 32;
            SegmentEntry { id, root: u32_at(8), documents: u32_at(12) }
        };
        Ok(Header {
            changes: u32::from_le_bytes([a, b, c, d]),
            tail_holds_sealed: flags & TAIL_HOLDS_SEALED != 0,
            segments: rest.chunks_exact(SEGMENT_BYTES).map(segment).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_as_it_was_written_and_a_cut_one_is_damage() {
        let segments = vec![SegmentEntry { id: u64::MAX - 3, root: 7, documents: 512 }; 3];
        let header = Header { changes: 70_000, tail_holds_sealed: true, segments };
        let bytes = header.encode();
        assert_eq!(Header::decode(&bytes), Ok(header));
        assert!((0..bytes.len()).all(|length| Header::decode(&bytes[..length]).is_err()));
    }
}
