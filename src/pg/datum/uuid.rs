//! uuid, as the server writes it, as a result.

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::datum::Uuid;

/// The uuid in a text from the server.
pub fn read(text: &str) -> Result<Uuid> {
    let digits: String = text.chars().filter(|character| *character != '-').collect();
    u128::from_str_radix(&digits, 16)
        .map(|number| Uuid::from_bytes(number.to_be_bytes()))
        .map_err(|_| Error::new(ErrorKind::Internal, format!("\"{text}\" came back as an id, but is no uuid")))
}
