//! Stored texts on their way into a response.

use memory_search_core::limits;
use memory_search_core::{Error, ErrorKind, Result};

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
