//! The memories of a search: one, or several with one ranking over all of their entries.

use serde_json::{Map, Value};

use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result};
use crate::json_fields::{Fields, described};
use crate::request::arguments;
use crate::request::names::MemoryId;

const MEMORIES_FORM: &str = "Write [\"one memory\", \"another\", {\"prefix\": \"team/\"}].";

/// Memories as a caller names them. An id is never a pattern: prefixes are given separately.
#[derive(Debug, Clone, PartialEq)]
pub enum AskedMemories {
    /// One memory; `None` means "not given".
    One(Option<String>),
    /// The memories with these ids, and all whose ids begin with one of the prefixes, in any order, with repetitions
    /// allowed.
    Several {
        /// The ids; `None` means "not given".
        ids: Option<Vec<String>>,
        /// The prefixes.
        prefixes: Vec<String>,
    },
}

impl Default for AskedMemories {
    fn default() -> Self {
        AskedMemories::One(None)
    }
}

impl From<&str> for AskedMemories {
    fn from(memory_id: &str) -> Self {
        AskedMemories::One(Some(memory_id.to_owned()))
    }
}

/// The memories after the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchedMemories {
    /// One memory.
    One(MemoryId),
    /// The named memories, and those that prefixes find.
    Several {
        /// The memories named.
        ids: Vec<MemoryId>,
        /// Prefixes of the ids of other memories, to the byte.
        prefixes: Vec<String>,
    },
}

impl AskedMemories {
    /// Reads `memoryId` of a JSON request: a text, `{"prefix": "..."}`, or a list of both.
    pub fn take(fields: &mut Fields, key: &'static str) -> Result<Option<Self>> {
        let path = fields.path_of(key);
        let (mut ids, mut prefixes) = (Vec::new(), Vec::new());
        let mut add = |value: Value| match value {
            Value::String(id) => {
                ids.push(id);
                Ok(())
            }
            Value::Object(map) => {
                prefixes.push(prefix_of(&path, map)?);
                Ok(())
            }
            other => Err(Error::invalid(format!(
                "{path} must hold texts and objects {{\"prefix\": ...}}, not {}",
                described(&other)
            ))
            .hint(MEMORIES_FORM)),
        };
        match fields.take(key) {
            None => return Ok(None),
            Some(Value::String(id)) => return Ok(Some(AskedMemories::One(Some(id)))),
            Some(Value::Array(items)) => items.into_iter().try_for_each(&mut add)?,
            Some(value @ Value::Object(_)) => add(value)?,
            Some(other) => {
                return Err(Error::invalid(format!(
                    "{path} must be a text, a list of texts or an object {{\"prefix\": ...}}, not {}",
                    described(&other)
                ))
                .hint(MEMORIES_FORM));
            }
        }
        Ok(Some(AskedMemories::Several { ids: Some(ids), prefixes }))
    }

    /// Checks each.
    pub fn checked(self) -> Result<SearchedMemories> {
        match self {
            AskedMemories::One(memory_id) => arguments::memory_id(memory_id).map(SearchedMemories::One),
            AskedMemories::Several { ids, prefixes } => {
                let ids = arguments::required("memory_ids", ids).map_err(|refusal| {
                    refusal.hint("Give a list of ids; '{}' with prefixes searches only the memories that these find.")
                })?;
                let ids = ids.into_iter().map(|id| arguments::memory_id(Some(id))).collect::<Result<_>>()?;
                let prefixes = prefixes.into_iter().map(prefix).collect::<Result<_>>()?;
                Ok(SearchedMemories::Several { ids, prefixes })
            }
        }
    }
}

fn prefix_of(path: &str, map: Map<String, Value>) -> Result<String> {
    let mut fields = Fields::of_object(path, map);
    let prefix = fields.take_text("prefix")?;
    fields.finish()?;
    prefix.ok_or_else(|| {
        Error::invalid(format!("{path} holds an object without \"prefix\""))
            .hint("Say how the ids of the memories begin: {\"prefix\": \"org/team/*\"}.")
    })
}

/// People write a star at the end to mean that more may follow; it is removed.
fn prefix(given: String) -> Result<String> {
    let prefix = arguments::required_identifier("prefix", Some(given))
        .map_err(|refusal| refusal.hint("'*' is every memory that you see."))?;
    Ok(prefix.strip_suffix('*').map_or_else(|| prefix.clone(), str::to_owned))
}

/// Refuses a search over too many memories (54000).
pub fn check_count(memories: usize) -> Result<()> {
    if memories <= bounds_and_defaults::MAX_SEARCHED_MEMORIES {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::LimitExceeded,
        format!("the search is over more than {} memories", bounds_and_defaults::MAX_SEARCHED_MEMORIES),
    )
    .hint("Name fewer, or keep entries that are searched together in one memory and separate them by filters."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<SearchedMemories> {
        let mut fields = Fields::parse("request", &format!("{{\"memoryId\": {json}}}"))?;
        AskedMemories::take(&mut fields, "memoryId")?.unwrap_or_default().checked()
    }

    fn several(ids: &[&str], prefixes: &[&str]) -> SearchedMemories {
        SearchedMemories::Several {
            ids: ids.iter().map(|id| arguments::memory_id(Some((*id).to_owned())).unwrap()).collect(),
            prefixes: prefixes.iter().map(|prefix| (*prefix).to_owned()).collect(),
        }
    }

    #[test]
    fn an_id_is_never_a_pattern_and_a_prefix_says_that_it_is_one() {
        assert_eq!(read("\"a*\"").unwrap(), SearchedMemories::One(arguments::memory_id(Some("a*".into())).unwrap()));
        assert_eq!(read(r#"["a*", "b"]"#).unwrap(), several(&["a*", "b"], &[]));
        assert_eq!(read(r#"["a", {"prefix": "org/*"}]"#).unwrap(), several(&["a"], &["org/"]));
        assert_eq!(read(r#"{"prefix": "org/"}"#).unwrap(), several(&[], &["org/"]));
        assert_eq!(read("[]").unwrap(), several(&[], &[]));
    }

    #[test]
    fn one_star_at_the_end_is_taken_off() {
        for (given, looked_for) in [("*", ""), ("**", "*"), ("a*b", "a*b"), ("a_%*", "a_%")] {
            assert_eq!(prefix(given.to_owned()).unwrap(), looked_for, "{given}");
        }
    }

    #[test]
    fn what_names_no_memory_is_refused() {
        for bad in ["1", "[1]", "[null]", "[[]]", "{}", r#"{"prefix": 1}"#, r#"{"prefix": ""}"#, r#"[""]"#, "null"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(read(r#"{"prefiks": "a"}"#).unwrap_err().hint.unwrap().contains("prefix"));
    }

    #[test]
    fn the_bound_is_accepted_and_the_next_count_refused() {
        assert!(check_count(bounds_and_defaults::MAX_SEARCHED_MEMORIES).is_ok());
        assert_eq!(
            check_count(bounds_and_defaults::MAX_SEARCHED_MEMORIES + 1).unwrap_err().kind,
            ErrorKind::LimitExceeded
        );
    }
}
