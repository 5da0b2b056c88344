//! The columns of an entry that a change can empty. A null argument leaves its column unchanged, so the columns to
//! empty are given by name.

use crate::error::{Error, Result};
use crate::json_fields::{Choice, choice, words};
use crate::rank::choices::word_of;

/// A column that can be empty: null, without tags, or `{}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ClearedColumn {
    Summary,
    Tags,
    Entities,
    Metadata,
    SourceType,
    UserId,
    AgentId,
    SessionId,
    EntryKey,
    ExpiresAt,
}

impl Choice for ClearedColumn {
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("summary", ClearedColumn::Summary),
        ("tags", ClearedColumn::Tags),
        ("entities", ClearedColumn::Entities),
        ("metadata", ClearedColumn::Metadata),
        ("source_type", ClearedColumn::SourceType),
        ("user_id", ClearedColumn::UserId),
        ("agent_id", ClearedColumn::AgentId),
        ("session_id", ClearedColumn::SessionId),
        ("entry_key", ClearedColumn::EntryKey),
        ("expires_at", ClearedColumn::ExpiresAt),
    ];
}

impl ClearedColumn {
    /// Its name in a store.
    pub fn name(self) -> &'static str {
        word_of(self)
    }
}

/// The columns that the argument `clear` names, each once.
pub fn parse(names: Vec<Option<String>>) -> Result<Vec<ClearedColumn>> {
    let mut cleared = Vec::new();
    for name in names {
        let name = name.ok_or_else(|| {
            Error::null("a name in clear").hint(format!("Name columns: {}.", words::<ClearedColumn>().join(", ")))
        })?;
        let column = match name.as_str() {
            "raw_entry" | "importance" | "creation_time" => {
                return Err(Error::invalid(format!("clear names {name}, which an entry always has"))
                    .hint(format!("Columns that can be emptied are {}.", words::<ClearedColumn>().join(", "))));
            }
            name => choice("clear", name)?,
        };
        if !cleared.contains(&column) {
            cleared.push(column);
        }
    }
    Ok(cleared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(names: &[&str]) -> Result<Vec<ClearedColumn>> {
        parse(names.iter().map(|name| Some((*name).to_owned())).collect())
    }

    #[test]
    fn columns_are_named_as_in_the_store_each_once() {
        assert_eq!(parsed(&["tags", "user_id", "tags"]), Ok(vec![ClearedColumn::Tags, ClearedColumn::UserId]));
        assert_eq!(parsed(&[]), Ok(Vec::new()));
    }

    #[test]
    fn what_cannot_be_empty_and_what_is_no_column_are_refused() {
        assert_eq!(parsed(&["sesion_id"]).unwrap_err().hint.unwrap(), "Did you mean \"session_id\"?");
        assert!(parsed(&["raw_entry"]).unwrap_err().message.contains("always has"));
        assert_eq!(parse(vec![None]).unwrap_err().kind, crate::ErrorKind::NullArgument);
    }
}
