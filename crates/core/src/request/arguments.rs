//! The rules for single arguments, in all functions that take them: one rule and one message for each.

use std::collections::HashSet;

use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result, shown};
use crate::request::names::MemoryId;
use crate::request::null_arguments;
use crate::text::entity_key;

/// The cosine similarity in an argument.
pub fn similarity(name: &str, value: f64) -> Result<f64> {
    let (least, most) = (bounds_and_defaults::SIMILARITY.start(), bounds_and_defaults::SIMILARITY.end());
    if bounds_and_defaults::SIMILARITY.contains(&value) {
        return Ok(value);
    }
    Err(Error::invalid(format!("{name} must be a cosine similarity from {least} to {most}, not {value}"))
        .hint("1 is the same direction, 0 none in common: near duplicates have 0.9 and more."))
}

/// Refuses an entry with both an expiry time and a time to live.
pub fn both_expiries(ttl: &str, expires_at: &str) -> Error {
    Error::invalid(format!("{ttl} and {expires_at} contradict each other"))
        .hint("Give one of them: ttl begins anew with each use, expires_at stays.")
}

/// The feedback of a user on entries: 1, or -1.
pub fn feedback(value: i64) -> Result<bool> {
    match value {
        1 => Ok(true),
        -1 => Ok(false),
        other => Err(Error::invalid(format!("feedback must be 1 or -1, not {other}"))
            .hint("1 says that the entries helped, -1 that they did not.")),
    }
}

/// A required value (22004).
pub fn required<T>(name: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Error::null(name).hint(null_arguments::hint(name)))
}

/// An identifier that fits a btree key and is not empty.
pub fn identifier(name: &str, value: Option<String>) -> Result<Option<String>> {
    match value {
        Some(text) if text.is_empty() => {
            Err(Error::invalid(format!("{name} must not be empty"))
                .hint("Give the id that the application has for it."))
        }
        Some(text) if text.len() > bounds_and_defaults::MAX_IDENTIFIER_BYTES => Err(Error::new(
            ErrorKind::LimitExceeded,
            format!(
                "{name} has {} bytes, more than {}: \"{}\"",
                text.len(),
                bounds_and_defaults::MAX_IDENTIFIER_BYTES,
                shown(&text)
            ),
        )
        .hint("Indexes hold this value: give a hash of a longer one.")),
        other => Ok(other),
    }
}

/// A required identifier.
pub fn required_identifier(name: &str, value: Option<String>) -> Result<String> {
    required(name, identifier(name, value)?)
}

/// The memory that a function works on.
pub fn memory_id(value: Option<String>) -> Result<MemoryId> {
    required_identifier("memory_id", value).map(MemoryId::new)
}

/// An importance within its range.
pub fn importance(importance: i64) -> Result<i64> {
    if bounds_and_defaults::IMPORTANCE.contains(&importance) {
        return Ok(importance);
    }
    let (least, most) = (bounds_and_defaults::IMPORTANCE.start(), bounds_and_defaults::IMPORTANCE.end());
    let usual = bounds_and_defaults::DEFAULT_IMPORTANCE;
    Err(Error::invalid(format!("importance must be from {least} to {most}, not {importance}"))
        .hint(format!("{least} is trivial, {most} vital. An entry without importance has {usual}.")))
}

/// The hint for metadata that are a list or a single value.
pub const METADATA_FORM: &str = "Write {\"page\": 5}: a key names each value, by which filters find it.";

/// Metadata: the text of a JSON object.
pub fn metadata(metadata: String) -> Result<String> {
    if metadata.trim_start().starts_with('{') {
        return Ok(metadata);
    }
    Err(Error::invalid(format!("metadata must be a JSON object, not {}", shown(&metadata))).hint(METADATA_FORM))
}

/// Names of entities: each once, in its first spelling. A blank or long name is refused (22023), and so are too many
/// (54000).
pub fn entities(path: &str, names: Vec<String>) -> Result<Vec<String>> {
    if names.len() > bounds_and_defaults::MAX_ENTITIES {
        let refusal = format!("{path} has {} names, more than {}", names.len(), bounds_and_defaults::MAX_ENTITIES);
        return Err(
            Error::new(ErrorKind::LimitExceeded, refusal).hint("Name only the entities that the entry is about.")
        );
    }
    let (mut kept, mut seen) = (Vec::with_capacity(names.len()), HashSet::new());
    for (at, name) in names.into_iter().enumerate() {
        if seen.insert(entity_key::required(&format!("{path}[{at}]"), &name)?) {
            kept.push(name);
        }
    }
    Ok(kept)
}

/// The most rows that a function works on; `None` means all.
pub fn max_rows(max_rows: Option<i64>) -> Result<Option<u64>> {
    match max_rows {
        Some(rows) if rows < 1 => {
            Err(Error::invalid(format!("max_rows must be at least 1, not {rows}"))
                .hint("Leave it out for all of them."))
        }
        rows => Ok(rows.map(i64::unsigned_abs)),
    }
}

/// The range of a prompt's budget in tokens.
pub fn token_budget(tokens: Option<i64>) -> Result<usize> {
    let tokens = tokens.unwrap_or(bounds_and_defaults::DEFAULT_TOKEN_BUDGET);
    usize::try_from(tokens).map_err(|_| {
        Error::invalid(format!("token_budget must not be negative, but is {tokens}"))
            .hint(format!("Leave it out for {}.", bounds_and_defaults::DEFAULT_TOKEN_BUDGET))
    })
}

/// The number of partitions of a new store's tables.
pub fn partitions(given: i64) -> Result<usize> {
    let bounds = bounds_and_defaults::PARTITIONS;
    match usize::try_from(given) {
        Ok(number) if bounds.contains(&given) => Ok(number),
        _ => {
            Err(Error::invalid(format!("partitions must be from {} to {}, not {given}", bounds.start(), bounds.end()))
                .hint("Leave it out for a store without partitions: they are of use from some million entries on."))
        }
    }
}

/// The number of shards of a distributed store.
pub fn shard_count(given: i64) -> Result<i64> {
    let bounds = bounds_and_defaults::SHARDS;
    if bounds.contains(&given) {
        return Ok(given);
    }
    Err(Error::invalid(format!("shard_count must be from {} to {}, not {given}", bounds.start(), bounds.end()))
        .hint("Leave it out for as many as citus.shard_count says."))
}

/// The dimension of a new store.
pub fn dimensions(given: i64) -> Result<usize> {
    match usize::try_from(given) {
        Ok(dimensions) if (1..=bounds_and_defaults::MAX_INDEXED_DIMENSIONS).contains(&dimensions) => Ok(dimensions),
        _ => Err(Error::invalid(format!(
            "dimensions must be from 1 to {}, not {given}",
            bounds_and_defaults::MAX_INDEXED_DIMENSIONS
        ))
        .hint("It is the length of your embedding model's vectors; leave it out for the local model's.")),
    }
}

/// Whether `name` is an SQL name, perhaps qualified, perhaps quoted, to write before `(`.
pub fn is_qualified_name(name: &str) -> bool {
    let (mut is_quoted, mut starts_part) = (false, true);
    for character in name.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '.' if !starts_part => {
                starts_part = true;
                continue;
            }
            '0'..='9' | '$' if !starts_part => {}
            '_' => {}
            letter if letter.is_alphabetic() => {}
            _ => return false,
        }
        starts_part = false;
    }
    !is_quoted && !starts_part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Option<String> {
        Some(value.to_owned())
    }

    #[test]
    fn null_and_the_empty_text_name_the_argument() {
        let refusal = memory_id(None).unwrap_err();
        assert_eq!((refusal.kind, refusal.message.as_str()), (ErrorKind::NullArgument, "memory_id must not be null"));
        let refusal = required_identifier("user_id", text("")).unwrap_err();
        assert_eq!((refusal.kind, refusal.message.as_str()), (ErrorKind::InvalidArgument, "user_id must not be empty"));
        assert_eq!(identifier("agent_id", None).unwrap(), None);
    }

    #[test]
    fn the_ends_of_each_range_are_accepted_and_the_next_values_refused() {
        assert!(memory_id(Some("m".repeat(bounds_and_defaults::MAX_IDENTIFIER_BYTES))).is_ok());
        let refusal = memory_id(Some("m".repeat(bounds_and_defaults::MAX_IDENTIFIER_BYTES + 1))).unwrap_err();
        assert_eq!(refusal.kind, ErrorKind::LimitExceeded);
        for (value, is_right) in [(-1, false), (0, true), (100, true), (101, false)] {
            assert_eq!(importance(value).is_ok(), is_right, "importance {value}");
        }
        for (value, is_right) in [(0, false), (1, true), (4_000, true), (4_001, false)] {
            assert_eq!(dimensions(value).is_ok(), is_right, "dimensions {value}");
        }
        assert_eq!((max_rows(None), max_rows(Some(1))), (Ok(None), Ok(Some(1))));
        assert!(max_rows(Some(0)).is_err());
        assert_eq!((token_budget(None), token_budget(Some(0))), (Ok(8_000), Ok(0)));
        assert!(token_budget(Some(-1)).is_err());
    }

    #[test]
    fn metadata_is_an_object() {
        assert!(metadata(" {}".into()).is_ok());
        assert_eq!(metadata("[1]".into()).unwrap_err().message, "metadata must be a JSON object, not [1]");
    }

    #[test]
    fn a_qualified_name_is_told_from_a_call() {
        for name in ["embed", "public.embed", "\"My Schema\".\"f(x)\"", "_a.b$1", "schéma.f"] {
            assert!(is_qualified_name(name), "{name}");
        }
        for text in ["", "a.", ".a", "f(text)", "a b", "1a", "a;b", "\"open", "a..b"] {
            assert!(!is_qualified_name(text), "{text}");
        }
    }
}
