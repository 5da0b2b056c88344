//! Entities that entries name: their frequency, the times of their entries, and the entities that they occur with.

pub mod aliases;
pub mod facets;
pub mod flat_aliases;
pub mod found;
pub mod occurrences;

use std::cmp::Ordering;

use crate::error::{Error, ErrorKind};

/// The order of spellings of a name, to choose the one that is shown: a name usually has a capital letter and small
/// ones.
fn better_written(a: &str, b: &str) -> Ordering {
    let is_mixed = |name: &str| name.contains(char::is_uppercase) && name.contains(char::is_lowercase);
    is_mixed(b).cmp(&is_mixed(a)).then_with(|| a.cmp(b))
}

fn with_single_blanks(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Refuses a request that exceeds the memory of a backend (54000).
fn too_many() -> Error {
    Error::new(ErrorKind::LimitExceeded, "the entries have too many different values to count them in memory")
        .hint("Narrow them with filters, or split the memory.")
}
