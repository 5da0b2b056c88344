//! `options.cursor`: the pages of a search. Every page is a part of one ranking, with the most entries that a search
//! may return. The pages together are therefore that search, for any sizes of pages.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::error::{Error, Result, shown};
use crate::json_fields::described;
use crate::request::opaque::fingerprint;
use crate::request::search_request::Purpose;
use crate::request::searched_memories::SearchedMemories;

/// The requested page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedPage {
    /// The first one.
    First,
    /// The page after those that the cursor's pages have shown.
    Behind(String),
}

impl AskedPage {
    /// Reads the option: true for the first page, a cursor for the next one, `false` for a search without pages.
    pub fn parse(path: &str, value: Value) -> Result<Option<Self>> {
        match value {
            Value::Bool(false) => Ok(None),
            Value::Bool(true) => Ok(Some(AskedPage::First)),
            Value::String(cursor) => Ok(Some(AskedPage::Behind(cursor))),
            other => Err(Error::invalid(format!(
                "{path} must be true or the nextCursor of an answer, not {}",
                described(&other)
            ))
            .hint("true asks for the first page, whose answer has nextCursor.")),
        }
    }

    /// The JSON Schema of the option.
    pub fn schema() -> Value {
        json!({"type": ["boolean", "string"]})
    }
}

/// A page of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPage {
    /// The requested page.
    pub asked: AskedPage,
    /// The most entries on the page.
    pub size: usize,
    /// The search that the page belongs to.
    pub of: SearchOf,
}

/// The parts of a request that decide what is searched, and the most entries of its ranking.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Searched<'a> {
    pub memories: &'a SearchedMemories,
    pub query: &'a str,
    pub embedding: Option<&'a [f32]>,
    /// JSON text.
    pub filters: Option<&'a str>,
    /// JSON text.
    pub options: Option<&'a str>,
    pub depth: i64,
    /// From the setting, if the options do not say.
    pub typos: bool,
}

/// Refuses pages in functions without them.
pub fn check_pages(purpose: Purpose, size: i64) -> Result<()> {
    match purpose {
        Purpose::Rows => Err(Error::invalid("options.cursor applies only to a JSON response")
            .hint("Call memory_search for pages; memory_search_entries returns up to k rows at once.")),
        Purpose::Prompt => Err(Error::invalid("options.cursor does not apply to a prompt")
            .hint("token_budget bounds the entries of a prompt.")),
        Purpose::Answer if size == 0 => Err(Error::invalid("options.cursor needs a top_ke above 0")
            .hint("Give the number of entries of a page as top_ke.")),
        Purpose::Answer => Ok(()),
    }
}

/// The parts of a request, except the size of pages: a cursor is valid only for the same ones. Each argument by its
/// name, with a fingerprint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchOf(Vec<(&'static str, String)>);

impl SearchOf {
    /// From a request.
    pub fn of(searched: &Searched<'_>) -> Self {
        let options = match searched.options.map(serde_json::from_str::<Value>) {
            Some(Ok(Value::Object(mut options))) => {
                options.remove("cursor");
                Value::Object(options).to_string()
            }
            _ => String::new(),
        };
        SearchOf::default()
            .and("memory_id", &named(searched.memories))
            .and("query", searched.query)
            .and("embedding", &format!("{:?}", searched.embedding))
            .and("filters", searched.filters.filter(|text| *text != "{}").unwrap_or_default())
            .and("options", &options)
            .and("memory_search.highest_top_ke", &searched.depth.to_string())
            .and("memory_search.typos", &searched.typos.to_string())
    }

    /// The parts, with another one that decides what is found.
    #[must_use]
    pub fn and(mut self, name: &'static str, value: &str) -> Self {
        self.0.push((name, fingerprint(value)));
        self
    }

    /// All fingerprints, one after the other.
    pub fn written(&self) -> String {
        self.0.iter().map(|(_, part)| part.as_str()).collect()
    }

    /// Refuses the text of [`SearchOf::written`] for another search.
    pub fn check(&self, written: &str) -> Result<()> {
        let mut rest = written;
        for (name, part) in &self.0 {
            rest = rest.strip_prefix(part.as_str()).ok_or_else(|| {
                Error::invalid(format!("the cursor is of another search: it was given for another value of {name}"))
                    .hint(
                        "Give it with the same request as the page before (only top_ke and top_kc may differ), or \
                         {\"cursor\": true} for the first page.",
                    )
            })?;
        }
        Ok(())
    }
}

/// Memories as text: the same for any order, and for repeated names.
fn named(memories: &SearchedMemories) -> String {
    match memories {
        SearchedMemories::One(memory_id) => format!("{memory_id:?}"),
        SearchedMemories::Several { ids, prefixes } => {
            let ids: BTreeSet<&str> = ids.iter().map(|id| &**id).collect();
            format!("{ids:?} {:?}", prefixes.iter().collect::<BTreeSet<_>>())
        }
    }
}

/// Refuses a text that is no cursor.
pub fn no_cursor(text: &str) -> Error {
    Error::invalid(format!("options.cursor \"{}\" is not the nextCursor of an answer", shown(text)))
        .hint("Give the unchanged nextCursor of the page before, or true for the first page.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::plan::{Bounds, Plan};
    use crate::request::search_request::SearchRequest;
    use crate::request::searched_memories::AskedMemories;

    fn of(request: SearchRequest) -> SearchOf {
        with_bound(request, 1_000)
    }

    fn with_bound(request: SearchRequest, highest_top_ke: i64) -> SearchOf {
        let bounds = Bounds { highest_top_ke, ..Bounds::default() };
        Plan::resolve(request, bounds).unwrap().page.unwrap().of
    }

    fn request() -> SearchRequest {
        SearchRequest {
            memories: "m".into(),
            query: Some("q".into()),
            options: Some(r#"{"cursor": true, "mmr": 0.5}"#.into()),
            ..SearchRequest::default()
        }
    }

    #[test]
    fn the_next_page_is_of_the_same_request_however_long_it_is() {
        for same in [
            SearchRequest { options: Some(r#"{"mmr": 0.5, "cursor": "x"}"#.into()), ..request() },
            SearchRequest { top_ke: Some(3), top_kc: Some(1), ..request() },
            SearchRequest { query: Some(" q ".into()), filters: Some("{}".into()), ..request() },
        ] {
            assert_eq!(of(same).check(&of(request()).written()), Ok(()));
        }
        let over = |ids: &[&str]| {
            let ids = Some(ids.iter().map(|id| (*id).to_owned()).collect());
            of(SearchRequest { memories: AskedMemories::Several { ids, prefixes: Vec::new() }, ..request() })
        };
        assert_eq!(over(&["a", "b"]).check(&over(&["b", "a", "b"]).written()), Ok(()));
        assert!(over(&["a", "b"]).check(&over(&["a"]).written()).is_err());
    }

    #[test]
    fn another_request_is_refused_with_what_is_another_in_it() {
        let others = [
            (of(SearchRequest { memories: "n".into(), ..request() }), "memory_id"),
            (of(SearchRequest { query: Some("r".into()), ..request() }), "query"),
            (of(SearchRequest { embedding: Some(vec![1.0]), ..request() }), "embedding"),
            (of(SearchRequest { filters: Some(r#"{"userId": "u"}"#.into()), ..request() }), "filters"),
            (of(SearchRequest { options: Some(r#"{"cursor": "x"}"#.into()), ..request() }), "options"),
            (with_bound(request(), 11), "memory_search.highest_top_ke"),
        ];
        for (other, name) in others {
            let refusal = other.check(&of(request()).written()).unwrap_err();
            assert!(refusal.message.ends_with(name) && refusal.hint.is_some(), "{refusal}");
        }
    }

    #[test]
    fn pages_are_of_an_answer_with_entries() {
        for (purpose, top_ke) in [(Purpose::Rows, 5), (Purpose::Prompt, 5), (Purpose::Answer, 0)] {
            let request = SearchRequest { purpose, top_ke: Some(top_ke), ..request() };
            let refusal = Plan::resolve(request, Bounds::default()).unwrap_err();
            assert!(refusal.message.starts_with("options.cursor") && refusal.hint.is_some(), "{refusal}");
        }
    }

    #[test]
    fn a_page_is_asked_for_by_true_or_by_a_cursor() {
        let parsed = |value: Value| AskedPage::parse("options.cursor", value);
        assert_eq!(parsed(json!(false)), Ok(None));
        assert_eq!(parsed(json!(true)), Ok(Some(AskedPage::First)));
        assert_eq!(parsed(json!("x")), Ok(Some(AskedPage::Behind("x".into()))));
        for bad in [json!(1), json!({}), json!([])] {
            assert!(parsed(bad).unwrap_err().hint.is_some());
        }
    }
}
