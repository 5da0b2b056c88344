//! Stored texts on their way into a response.

use std::borrow::Cow;

use memory_search_core::bounds_and_defaults;
use memory_search_core::text::author::OPENING_CHARACTERS;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::datum::varlena;
use crate::pg::memory_reserve;

/// The most bytes of an opening: none of its characters takes more than four.
const MOST_OPENING_BYTES: usize = OPENING_CHARACTERS * 4;

/// Bytes of a variable-length datum's header (VARHDRSZ), which its size counts.
const HEADER_BYTES: usize = 4;

/// The beginning of a text, and its length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    /// Its first [`OPENING_CHARACTERS`] characters.
    pub beginning: String,
    /// The bytes of the whole text.
    pub bytes: u32,
}

impl Opening {
    /// The opening of a text that may be stored out of line or compressed: only the necessary part is fetched.
    ///
    /// # Safety
    /// `datum` must be a text that lives as long as the call.
    pub unsafe fn of(datum: pg_sys::Datum) -> Opening {
        // SAFETY: by the caller's promise.
        unsafe { with_opening(datum, |beginning, bytes| Opening { beginning: beginning.to_owned(), bytes }) }
    }
}

/// Calls `read` with an [`Opening`]'s beginning and bytes.
///
/// # Safety
/// As for [`Opening::of`].
pub unsafe fn with_opening<T>(datum: pg_sys::Datum, read: impl FnOnce(&str, u32) -> T) -> T {
    let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    // SAFETY: by the caller's promise; the slice is a plain text of its own, freed here.
    unsafe {
        if varlena::is_plain(datum) {
            return varlena::with_bytes(datum, |bytes| read(&beginning(bytes), length(bytes.len())));
        }
        let bytes = pg_sys::toast_raw_datum_size(datum).saturating_sub(HEADER_BYTES);
        let slice = pg_sys::pg_detoast_datum_slice(datum.cast_mut_ptr(), 0, MOST_OPENING_BYTES as i32);
        let result = varlena::with_bytes(slice.into(), |slice| read(&beginning(slice), length(bytes)));
        pg_sys::pfree(slice.cast());
        result
    }
}

/// The first [`OPENING_CHARACTERS`] characters.
fn beginning(bytes: &[u8]) -> Cow<'_, str> {
    let few = &bytes[..bytes.len().min(OPENING_CHARACTERS)];
    if few.is_ascii() {
        return String::from_utf8_lossy(few);
    }
    // A character that is cut off at the end is not among the first ones.
    let most = &bytes[..bytes.len().min(MOST_OPENING_BYTES)];
    let characters = |text: &str| text.char_indices().nth(OPENING_CHARACTERS).map_or(text.len(), |(end, _)| end);
    match String::from_utf8_lossy(most) {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..characters(text)]),
        Cow::Owned(mut text) => {
            text.truncate(characters(&text));
            Cow::Owned(text)
        }
    }
}

/// A text in place.
pub fn borrowed(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::Corrupted, "stored text is not UTF-8"))
}

/// A copy of a text. A text of any size must be copied with a check: a failed allocation ends the server.
pub fn copied(bytes: &[u8]) -> Result<String> {
    if bytes.len() > bounds_and_defaults::MAX_RESPONSE_BYTES {
        return Err(too_much(bytes.len()));
    }
    let mut copy: Vec<u8> = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| memory_reserve::out_of_memory())?;
    copy.extend_from_slice(bytes);
    String::from_utf8(copy).map_err(|_| Error::new(ErrorKind::Corrupted, "stored text is not UTF-8"))
}

/// Refuses a text that is too long for any response (54000).
pub fn too_much(bytes: usize) -> Error {
    Error::new(
        ErrorKind::LimitExceeded,
        format!(
            "a text of {bytes} bytes is more than the {} that a response may hold",
            bounds_and_defaults::MAX_RESPONSE_BYTES
        ),
    )
    .hint("Ask for fewer entries, or keep documents in parts: an entry is one remembered thing.")
}
