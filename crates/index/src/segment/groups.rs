//! Codes in groups: those of a group are of the same number of dimensions, and were made against the same mean.
//!
//! What the table says of a group, little-endian: dimensions u32, bytes of the mean u32 (all bits set: it has none),
//! where the mean starts u64, bytes of an item u32, items u32, where they start u64. An item is the number of a
//! document u32 and its code; items ascend by document.

use memory_search_core::error::out_of_memory;

use super::bytes;
use super::header::GROUP_BYTES;
use super::run::Run;
use crate::blob::PagedBytes;
use crate::fault::{Outcome, damaged_content};

/// Bytes of an item before its code.
pub const NUMBER_BYTES: usize = 4;
const NO_MEAN: u32 = u32::MAX;

/// What the codes of a group have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Group {
    /// Dimensions of the embeddings.
    pub dimensions: u32,
    /// The mean against which they were coded, as its bytes; none for zero.
    pub mean: Option<Vec<u8>>,
}

/// A group where it lies.
#[derive(Debug, Clone, Copy)]
pub struct StoredGroup {
    dimensions: u32,
    mean: Option<(u64, u32)>,
    /// Its items.
    pub items: Run,
}

impl StoredGroup {
    /// Appends the group's mean and items, which are `codes` by the numbers of their documents.
    pub fn write(group: &Group, codes: &[(u32, &[u8])], out: &mut Vec<u8>) -> Option<StoredGroup> {
        let code_bytes = codes.first().map_or(0, |(_, code)| code.len());
        if codes.iter().any(|(_, code)| code.len() != code_bytes) {
            return None;
        }
        let mean = match &group.mean {
            None => None,
            Some(mean) => {
                let at = (out.len() as u64, u32::try_from(mean.len()).ok().filter(|&bytes| bytes != NO_MEAN)?);
                out.extend_from_slice(mean);
                Some(at)
            }
        };
        let items = Run::new(out.len() as u64, NUMBER_BYTES + code_bytes, u32::try_from(codes.len()).ok()?)?;
        items.write(out, |item, out| {
            let (document, code) = codes[item as usize];
            out.extend_from_slice(&document.to_le_bytes());
            out.extend_from_slice(code);
        });
        Some(StoredGroup { dimensions: group.dimensions, mean, items })
    }

    /// What the table says of it.
    pub fn to_bytes(self) -> [u8; GROUP_BYTES] {
        let (mean_start, mean_bytes) = self.mean.unwrap_or((0, NO_MEAN));
        let mut out = [0; GROUP_BYTES];
        out[..4].copy_from_slice(&self.dimensions.to_le_bytes());
        out[4..8].copy_from_slice(&mean_bytes.to_le_bytes());
        out[8..16].copy_from_slice(&mean_start.to_le_bytes());
        out[16..20].copy_from_slice(&(self.items.stride() as u32).to_le_bytes());
        out[20..24].copy_from_slice(&self.items.items().to_le_bytes());
        out[24..].copy_from_slice(&self.items.start().to_le_bytes());
        out
    }

    fn from_bytes(bytes: &[u8; GROUP_BYTES], length: u64) -> Outcome<StoredGroup> {
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        if (u32_at(16) as usize) < NUMBER_BYTES {
            return Err(damaged_content("a group of codes has items that are too short"));
        }
        let items = Run::checked(u64_at(24), u32_at(16) as usize, u32_at(20), length)?;
        let mean = (u32_at(4) != NO_MEAN).then(|| (u64_at(8), u32_at(4)));
        Ok(StoredGroup { dimensions: u32_at(0), mean, items })
    }

    /// Reads its mean.
    pub fn group(&self, bytes: &impl PagedBytes) -> Outcome<Group> {
        let mean = match self.mean {
            None => None,
            Some((start, length)) => Some(bytes::range(bytes, start, u64::from(length))?),
        };
        Ok(Group { dimensions: self.dimensions, mean })
    }
}

/// Reads the table of groups of a segment that is `length` bytes long.
pub fn table(bytes: &impl PagedBytes, (groups, start): (u32, u64), length: u64) -> Outcome<Vec<StoredGroup>> {
    let table = bytes::range(bytes, start, u64::from(groups) * GROUP_BYTES as u64)?;
    let mut all = Vec::new();
    all.try_reserve_exact(groups as usize).map_err(|_| out_of_memory())?;
    let mut end = 0;
    for bytes in table.as_chunks().0 {
        let stored = StoredGroup::from_bytes(bytes, length)?;
        // So no byte is read for two groups, whatever a damaged table says.
        let (mean, mean_bytes) = stored.mean.unwrap_or((end, 0));
        if mean < end || mean.saturating_add(u64::from(mean_bytes)) > stored.items.start() {
            return Err(damaged_content("groups of codes overlap"));
        }
        end = stored.items.end();
        all.push(stored);
    }
    Ok(all)
}

/// The number of the document and the code of an item.
#[inline]
pub fn item(bytes: &[u8]) -> Option<(u32, &[u8])> {
    bytes.split_first_chunk().map(|(document, code)| (u32::from_le_bytes(*document), code))
}
