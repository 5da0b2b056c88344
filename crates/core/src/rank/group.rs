//! Groups of entries: an answer has at most a number of entries of one group (`options.atMost`).

use std::collections::HashMap;

use crate::bounds_and_defaults;
use crate::error::{Error, Result};
use crate::filter::condition::TextField;
use crate::filter::metadata;
use crate::json_fields::{described, nearest};

/// The property by which entries are grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupKey {
    /// A column.
    Column(TextField),
    /// The value at a path of metadata.
    Metadata(Vec<String>),
}

/// At most `most` entries with the same value; any number of entries without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtMost {
    /// Its name in the request: `userId`, `metadata.thread`.
    pub name: String,
    /// The property by which entries are grouped.
    pub key: GroupKey,
    /// The most entries of a group.
    pub most: usize,
}

/// The columns that entries may be grouped by.
pub const COLUMNS: [(&str, TextField); 4] = [
    ("userId", TextField::UserId),
    ("agentId", TextField::AgentId),
    ("sessionId", TextField::SessionId),
    ("sourceType", TextField::SourceType),
];

/// The prefix of a path of metadata.
const METADATA: &str = "metadata.";

/// Reads `options.atMost`: `{"userId": 2, "metadata.thread": 1}`.
pub fn at_most(path: &str, limits_of: serde_json::Map<String, serde_json::Value>) -> Result<Vec<AtMost>> {
    if limits_of.len() > bounds_and_defaults::MAX_GROUPINGS {
        return Err(Error::invalid(format!(
            "{path} has {} keys, more than {}",
            limits_of.len(),
            bounds_and_defaults::MAX_GROUPINGS
        ))
        .hint("Keep the keys whose groups are to be limited."));
    }
    limits_of
        .into_iter()
        .filter(|(_, most)| !most.is_null())
        .map(|(name, most)| {
            let key = key(path, &name)?;
            let (least, highest) = (bounds_and_defaults::AT_MOST.start(), bounds_and_defaults::AT_MOST.end());
            let most = most.as_i64().filter(|most| bounds_and_defaults::AT_MOST.contains(most)).ok_or_else(|| {
                Error::invalid(format!(
                    "{path}.{name} must be a whole number from {least} to {highest}, not {}",
                    described(&most)
                ))
                .hint("It is the largest number of entries of a group; leave the key out for no limit.")
            })?;
            Ok(AtMost { name, key, most: most as usize })
        })
        .collect()
}

fn key(path: &str, name: &str) -> Result<GroupKey> {
    if let Some((_, field)) = COLUMNS.iter().find(|(column, _)| *column == name) {
        return Ok(GroupKey::Column(*field));
    }
    match name.strip_prefix(METADATA) {
        Some(keys) => {
            let path = format!("{path}.{}", crate::error::shown(name));
            metadata::keys_of_path(&path, keys).map(GroupKey::Metadata)
        }
        _ => {
            let refusal = Error::invalid(format!("unknown key \"{}\" in {path}", crate::error::shown(name)));
            let columns: Vec<&str> = COLUMNS.iter().map(|(column, _)| *column).collect();
            Err(match nearest(name, &columns) {
                Some(column) => refusal.hint(format!("Did you mean \"{column}\"?")),
                None => refusal.hint(format!("Valid keys are {}, metadata.KEY.", columns.join(", "))),
            })
        }
    }
}

/// Counts the entries of each group that were taken.
#[derive(Debug)]
pub struct Groups<'a> {
    limits: &'a [AtMost],
    taken: Vec<HashMap<String, usize>>,
}

impl<'a> Groups<'a> {
    /// Groups of which no entry is taken yet.
    pub fn new(limits: &'a [AtMost]) -> Self {
        Groups { limits, taken: limits.iter().map(|_| HashMap::new()).collect() }
    }

    /// The limit that an entry would exceed; `values` has its value for each.
    pub fn full(&self, values: &[Option<String>]) -> Option<&'a AtMost> {
        let of_groups = self.limits.iter().zip(&self.taken).zip(values);
        of_groups
            .filter_map(|((limit, taken), value)| Some((limit, taken.get(value.as_ref()?)?)))
            .find(|(limit, taken)| **taken >= limit.most)
            .map(|(limit, _)| limit)
    }

    /// Takes an entry.
    pub fn take(&mut self, values: Vec<Option<String>>) {
        for (taken, value) in self.taken.iter_mut().zip(values) {
            if let Some(value) = value {
                *taken.entry(value).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(value: serde_json::Value) -> Result<Vec<AtMost>> {
        at_most("options.atMost", value.as_object().unwrap().clone())
    }

    #[test]
    fn columns_and_paths_of_metadata_are_keys() {
        let limits = parsed(json!({"metadata.a.b": 1, "userId": 2, "agentId": null})).unwrap();
        let keys: Vec<&GroupKey> = limits.iter().map(|limit| &limit.key).collect();
        assert_eq!(keys, [&GroupKey::Metadata(vec!["a".into(), "b".into()]), &GroupKey::Column(TextField::UserId)]);
    }

    #[test]
    fn what_is_no_key_and_no_count_is_refused() {
        assert_eq!(parsed(json!({"userid": 1})).unwrap_err().hint.unwrap(), "Did you mean \"userId\"?");
        for bad in [
            json!({"metadata": 1}),
            json!({"metadata.": 1}),
            json!({"metadata.a..b": 1}),
            json!({"metadata.$in": 1}),
            json!({"userId": 0}),
            json!({"userId": "1"}),
        ] {
            assert!(parsed(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn entries_without_a_value_are_not_limited() {
        let limits = parsed(json!({"userId": 1})).unwrap();
        let mut groups = Groups::new(&limits);
        for value in [Some("a"), None, None, Some("b")] {
            let values = vec![value.map(str::to_owned)];
            assert_eq!(groups.full(&values), None);
            groups.take(values);
        }
        assert_eq!(groups.full(&[Some("b".into())]).unwrap().name, "userId");
    }
}
