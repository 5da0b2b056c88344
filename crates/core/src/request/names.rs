//! Names of stores, and ids of memories and entries, as separate types, so that they are not confused.

use std::fmt;
use std::ops::Deref;

use crate::bounds_and_defaults;
use crate::error::{Error, Result};

macro_rules! text_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }

        impl From<&$name> for String {
            fn from(text: &$name) -> String {
                text.0.clone()
            }
        }
    };
}

text_type!(
    /// A memory's id as a caller wrote it: not empty, and short enough for a key
    /// ([`crate::request::arguments::memory_id`]).
    MemoryId
);

text_type!(
    /// The id of an entry of a store's own table, as the store writes it.
    EntryId
);

text_type!(
    /// The name of a store, which is the name of its schema: as it is, not quoted.
    StoreName
);

impl MemoryId {
    pub(crate) fn new(checked: String) -> Self {
        MemoryId(checked)
    }
}

impl EntryId {
    /// The id for PostgreSQL's notation.
    pub fn new(written: String) -> Self {
        EntryId(written)
    }
}

impl StoreName {
    /// The store that a caller names (22023 when empty).
    pub fn named(name: String) -> Result<Self> {
        if name.is_empty() {
            return Err(Error::invalid("store must not be empty")
                .hint("Name a store, or leave it out for the one in memory_search.store."));
        }
        Ok(StoreName(name))
    }

    /// The store of the setting. An empty value names no store; the error comes when the store is looked up.
    pub fn of_setting(value: String) -> Self {
        StoreName(value)
    }

    /// Refuses a name for a new store that PostgreSQL would cut.
    pub fn check_length(&self) -> Result<()> {
        if self.len() <= bounds_and_defaults::MAX_NAME_BYTES {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "store \"{self}\" has a name of {} bytes, more than {}",
            self.len(),
            bounds_and_defaults::MAX_NAME_BYTES
        ))
        .hint("Choose a shorter name: PostgreSQL would cut it."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_by_a_text_that_a_schema_can_have() {
        assert_eq!(StoreName::named(String::new()).unwrap_err().message, "store must not be empty");
        let of_length = |bytes| StoreName::named("s".repeat(bytes)).unwrap().check_length();
        assert!(of_length(bounds_and_defaults::MAX_NAME_BYTES).is_ok());
        assert!(
            of_length(bounds_and_defaults::MAX_NAME_BYTES + 1).unwrap_err().message.contains("64 bytes, more than 63")
        );
    }
}
