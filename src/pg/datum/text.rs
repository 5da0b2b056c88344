//! Stored texts on their way into a response.

use memory_search_core::limits;
use memory_search_core::text::author::OPENING_CHARACTERS;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::datum::varlena;

/// Bytes of the longest character.
const CHARACTER_BYTES: usize = 4;

/// Bytes of a variable-length datum's header (VARHDRSZ), which its size counts.
const HEADER_BYTES: usize = 4;

/// How a text begins, and how long it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    /// Its first [`OPENING_CHARACTERS`] characters.
    pub beginning: String,
    /// Bytes of the whole.
    pub bytes: u32,
}

impl Opening {
    /// Of a text that may be stored elsewhere or compressed: no more of it is fetched than is wanted.
    ///
    /// # Safety
    /// `datum` must be a text that lives as long as the call.
    pub unsafe fn of(datum: pg_sys::Datum) -> Opening {
        // SAFETY: by the caller's promise; the slice is a plain text of its own, freed here.
        unsafe {
            let bytes = pg_sys::toast_raw_datum_size(datum).saturating_sub(HEADER_BYTES);
            let first = (OPENING_CHARACTERS * CHARACTER_BYTES) as i32;
            let slice = pg_sys::pg_detoast_datum_slice(datum.cast_mut_ptr(), 0, first);
            let beginning = varlena::with_bytes(slice.into(), |bytes| {
                String::from_utf8_lossy(bytes).chars().take(OPENING_CHARACTERS).collect()
            });
            pg_sys::pfree(slice.cast());
            Opening { beginning, bytes: u32::try_from(bytes).unwrap_or(u32::MAX) }
        }
    }
}

/// A text of any size must not be copied blindly: an allocation that fails ends the server.
pub fn copied(bytes: &[u8]) -> Result<String> {
    if bytes.len() > limits::MAX_RESPONSE_BYTES {
        return Err(too_much(bytes.len()));
    }
    String::from_utf8(bytes.to_vec()).map_err(|_| Error::new(ErrorKind::Corrupted, "stored text is not UTF-8"))
}

/// Refuses what no response can hold (54000).
pub fn too_much(bytes: usize) -> Error {
    Error::new(
        ErrorKind::LimitExceeded,
        format!("a text of {bytes} bytes is more than the {} that a response may hold", limits::MAX_RESPONSE_BYTES),
    )
    .hint("Ask for fewer entries, or keep documents in parts: an entry is one remembered thing.")
}
