//! Bytes in pages: bytes in memory, and ranges of bytes over several pages.

use memory_search_core::error::out_of_memory;

use crate::blob::{BLOB_PAGE_BYTES, PagedBytes};
use crate::fault::{Outcome, damaged_content};

/// Bytes in memory as a blob shows them: a segment that was just built, or one of a test.
#[derive(Debug, Clone, Copy)]
pub struct InMemory<'a>(pub &'a [u8]);

impl PagedBytes for InMemory<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_page<T>(&self, page: u32, look: impl FnOnce(&[u8]) -> Outcome<T>) -> Outcome<T> {
        let bytes = self.0.chunks(BLOB_PAGE_BYTES).nth(page as usize).ok_or_else(ends_early)?;
        look(bytes)
    }
}

/// The error for missing bytes.
pub fn ends_early() -> crate::fault::Fault {
    damaged_content("a segment ends before an offset that it holds")
}

/// Appends the `length` bytes from `start` on. Checks that they are within the bytes before it allocates memory for
/// them.
pub fn append_range(bytes: &impl PagedBytes, start: u64, length: u64, out: &mut Vec<u8>) -> Outcome<()> {
    let end = start.checked_add(length).filter(|&end| end <= bytes.len()).ok_or_else(ends_early)?;
    out.try_reserve(usize::try_from(length).map_err(|_| ends_early())?).map_err(|_| out_of_memory())?;
    let mut at = start;
    while at < end {
        let (page, offset) = page_of(at)?;
        at += bytes.read_page(page, |page| {
            let rest = page.get(offset..).filter(|rest| !rest.is_empty()).ok_or_else(ends_early)?;
            let taken = (rest.len() as u64).min(end - at) as usize;
            out.extend_from_slice(&rest[..taken]);
            Ok(taken as u64)
        })?;
    }
    Ok(())
}

/// The `length` bytes from `start` on.
pub fn range(bytes: &impl PagedBytes, start: u64, length: u64) -> Outcome<Vec<u8>> {
    let mut out = Vec::new();
    append_range(bytes, start, length, &mut out)?;
    Ok(out)
}

/// The page of a byte, and its offset there.
pub fn page_of(at: u64) -> Outcome<(u32, usize)> {
    let page = u32::try_from(at / BLOB_PAGE_BYTES as u64).map_err(|_| ends_early())?;
    Ok((page, (at % BLOB_PAGE_BYTES as u64) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read_over_the_ends_of_pages_and_not_beyond_the_bytes() {
        let bytes: Vec<u8> = (0..3 * BLOB_PAGE_BYTES + 10).map(|n| (n % 251) as u8).collect();
        let whole = InMemory(&bytes);
        for (start, length) in [(0, bytes.len()), (BLOB_PAGE_BYTES - 1, 2), (5, 2 * BLOB_PAGE_BYTES), (bytes.len(), 0)]
        {
            assert_eq!(range(&whole, start as u64, length as u64).unwrap(), &bytes[start..start + length]);
        }
        assert!(range(&whole, bytes.len() as u64, 1).is_err());
        assert!(range(&whole, u64::MAX, 2).is_err());
    }
}
