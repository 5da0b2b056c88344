//! The response of a search: always the same five fields, serialised once.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::entry_fields::ENTRY_FIELDS;
use crate::error::{Error, ErrorKind, Result};
use crate::output::snippet::Snippet;
use crate::request::detail::Detail;
use crate::text::typo::Taken;

/// Scores have six digits after the point: enough to distinguish entries, and few enough to read.
const SCORE_SCALE: f64 = 1e6;

/// The document that `memory_search` returns.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    /// By score, best first.
    #[serde(serialize_with = "Entries::serialize")]
    pub entries: Entries,
    /// The number of entries.
    pub count: usize,
    /// The newest context; empty if there is none.
    pub latest_context: String,
    /// When it was made; null if there is none.
    pub latest_context_timestamp: Option<String>,
    /// Older contexts, by relevance.
    pub contexts: Vec<ContextResponse>,
    /// The cursor of the next page; left out unless pages were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<NextCursor>,
    /// The diagnostics; left out unless they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Diagnostics>,
    /// Short: for a language model.
    #[serde(skip)]
    pub detail: Detail,
}

/// The cursor of the next page; null after the last page.
#[derive(Debug, Serialize)]
pub struct NextCursor(pub Option<String>);

/// The diagnostics of a search.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostics {
    /// Each way in which rows were read, in order.
    reads: Vec<ReadDiagnostics>,
    /// Words that no entry holds, with the words that they were taken for; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    typos: Vec<Taken>,
    /// Milliseconds of each phase, and of the whole search.
    phases_ms: serde_json::Map<String, serde_json::Value>,
}

/// One way in which rows were read.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadDiagnostics {
    /// `entries` or `contexts`.
    pub relation: &'static str,
    /// `memory index`; `table`: a query over the rows; `newest`: the newest rows by an index.
    pub path: &'static str,
    /// Visible rows that were read.
    pub rows: u64,
    /// Rows of these that hold a word of the query.
    pub matching: u64,
    /// Rows of the table that were read for their exact distances; null if the distance of each row was computed.
    pub distances: Option<u64>,
    /// Rows that were read but not compared, because another embedder made their embeddings; left out if there were
    /// none.
    #[serde(skip_serializing_if = "is_zero")]
    pub other_embedder: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Diagnostics {
    /// Made from the ways in which rows were read, the phases, and the milliseconds of the whole search.
    pub fn new(reads: &[ReadDiagnostics], typos: Vec<Taken>, phases: &[(&'static str, f64)], total_ms: f64) -> Self {
        let milliseconds = |ms: f64| serde_json::Value::from((ms * 1e3).round() / 1e3);
        let mut phases_ms: serde_json::Map<_, _> =
            phases.iter().map(|(name, ms)| ((*name).to_owned(), milliseconds(*ms))).collect();
        phases_ms.insert("total".to_owned(), milliseconds(total_ms));
        Diagnostics { reads: reads.to_vec(), typos, phases_ms }
    }
}

/// The entries of a response, with the fields that were asked for.
#[derive(Debug, Default)]
pub struct Entries {
    /// The entries in their order.
    pub all: Vec<EntryResponse>,
    /// The fields; `None` means all.
    pub fields: Option<Vec<&'static str>>,
}

impl Entries {
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match &self.fields {
            None => self.all.serialize(serializer),
            Some(fields) => {
                serializer.collect_seq(self.all.iter().map(|entry| Brief { entry, fields, with_nulls: true }))
            }
        }
    }
}

/// Some fields of an entry.
pub(super) struct Brief<'a> {
    pub(super) entry: &'a EntryResponse,
    pub(super) fields: &'a [&'static str],
    /// Whether a missing value is shown as null.
    pub(super) with_nulls: bool,
}

impl Serialize for Brief<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let entry = self.entry;
        let mut map = serializer.serialize_map(None)?;
        let shown = |name: &str| self.fields.contains(&name) && (self.with_nulls || !entry.lacks(name));
        for &name in ENTRY_FIELDS.iter().filter(|name| shown(name)) {
            match name {
                "entryId" => map.serialize_entry(name, &entry.entry_id)?,
                "memoryId" => map.serialize_entry(name, &entry.memory_id)?,
                "userId" => map.serialize_entry(name, &entry.user_id)?,
                "agentId" => map.serialize_entry(name, &entry.agent_id)?,
                "sessionId" => map.serialize_entry(name, &entry.session_id)?,
                "entryKey" => map.serialize_entry(name, &entry.entry_key)?,
                "summary" => map.serialize_entry(name, &entry.summary)?,
                "rawEntry" => map.serialize_entry(name, &entry.raw_entry)?,
                "snippet" => {
                    if let Some(snippet) = &entry.snippet {
                        map.serialize_entry(name, snippet)?;
                    }
                }
                "tags" => map.serialize_entry(name, &entry.tags)?,
                "entities" => {
                    if let Some(entities) = &entry.entities {
                        map.serialize_entry(name, entities)?;
                    }
                }
                "metadata" => map.serialize_entry(name, &entry.metadata)?,
                "sourceType" => map.serialize_entry(name, &entry.source_type)?,
                "importance" => map.serialize_entry(name, &entry.importance)?,
                "accessCount" => map.serialize_entry(name, &entry.access_count)?,
                "creationTime" => map.serialize_entry(name, &entry.creation_time)?,
                "validFrom" => {
                    if let Some(valid_from) = &entry.valid_from {
                        map.serialize_entry(name, valid_from)?;
                    }
                }
                "validUntil" => {
                    if let Some(valid_until) = &entry.valid_until {
                        map.serialize_entry(name, valid_until)?;
                    }
                }
                "strategy" => map.serialize_entry(name, &entry.strategy)?,
                "score" => map.serialize_entry(name, &entry.score)?,
                "scores" if self.with_nulls => map.serialize_entry(name, &entry.scores)?,
                "scores" => map.serialize_entry(name, &entry.scores.without_nulls())?,
                "embedding" => map.serialize_entry(name, &entry.embedding)?,
                _ => {
                    if let Some(superseded_by) = &entry.superseded_by {
                        map.serialize_entry(name, superseded_by)?;
                    }
                }
            }
        }
        if let Some(neighbours) = &entry.neighbours {
            map.serialize_entry("neighbours", neighbours)?;
        }
        map.end()
    }
}

impl EntryResponse {
    /// Whether the field is null or empty.
    fn lacks(&self, name: &str) -> bool {
        match name {
            "userId" => self.user_id.is_none(),
            "agentId" => self.agent_id.is_none(),
            "sessionId" => self.session_id.is_none(),
            "entryKey" => self.entry_key.is_none(),
            "summary" => self.summary.is_none(),
            "tags" => matches!(self.tags.get(), "[]" | "null"),
            "metadata" => matches!(self.metadata.get(), "{}" | "null"),
            "sourceType" => self.source_type.is_none(),
            "importance" => self.importance.is_none(),
            "creationTime" => self.creation_time.is_none(),
            "embedding" => self.embedding.is_none(),
            _ => false,
        }
    }

    /// Cuts its texts to `most` characters.
    pub fn cut(&mut self, most: usize) {
        self.raw_entry = cut(&self.raw_entry, most);
        self.summary = self.summary.as_deref().map(|text| cut(text, most));
        for neighbour in self.neighbours.iter_mut().flatten() {
            neighbour.raw_entry = cut(&neighbour.raw_entry, most);
            neighbour.summary = neighbour.summary.as_deref().map(|text| cut(text, most));
        }
    }
}

/// A text of at most `most` characters, the last of which marks a cut.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(most.saturating_sub(1)).collect();
            format!("{kept}…")
        }
    }
}

/// One entry of the response. Its fields are in the order of `jsonb`, shorter names first, so that they need not be
/// sorted for each entry.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct EntryResponse {
    pub tags: Box<RawValue>,
    pub score: f64,
    pub scores: ScoresResponse,
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub entry_id: String,
    /// The passages that fit the query; left out unless they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Snippet>,
    pub summary: Option<String>,
    /// Names of the people, places and things that it is about; left out if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities: Option<Box<RawValue>>,
    /// The id in the application.
    pub entry_key: Option<String>,
    pub memory_id: String,
    pub metadata: Box<RawValue>,
    pub raw_entry: String,
    pub strategy: &'static str,
    pub session_id: Option<String>,
    /// From when it holds; left out if that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Null if an adopted table has none.
    pub importance: Option<i64>,
    /// Entries before and after it in its session; left out if none were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<Vec<NeighbourResponse>>,
    pub source_type: Option<String>,
    /// Until when it holds; left out if that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    pub access_count: i64,
    /// Null if an adopted table has none.
    pub creation_time: Option<String>,
    /// The entry that corrects this one; left out if it is not corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The embedding, if it was asked for; null if the entry has none.
    #[serde(skip)]
    pub embedding: Option<Vec<f32>>,
}

/// An entry of the same session as a found one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct NeighbourResponse {
    /// Its distance in the session: positive after the found entry, negative before it.
    pub place: i64,
    pub entry_id: String,
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub summary: Option<String>,
    pub raw_entry: String,
    pub creation_time: Option<String>,
    /// From when it holds; left out if that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Until when it holds; left out if that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
}

/// The parts of an entry's score. A signal that the entry lacks is null. Also in the order of `jsonb`.
#[derive(Debug, Serialize)]
#[allow(missing_docs)]
pub struct ScoresResponse {
    pub date: f64,
    pub author: f64,
    pub length: f64,
    /// The score by a reranker; left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<f64>,
    /// BM25 divided by the best of this search.
    pub keyword: Option<f64>,
    pub recency: f64,
    /// The factor on relevance by the feedback of users; left out if it has no weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<f64>,
    /// Cosine similarity.
    pub semantic: Option<f64>,
    pub relevance: f64,
    pub importance: f64,
    pub popularity: f64,
    /// The association with the best entries; left out if nobody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub association: Option<f64>,
    /// The factor of recency of use; left out if it has no weight.
    #[serde(rename = "usedRecency", skip_serializing_if = "Option::is_none")]
    pub used_recency: Option<f64>,
}

impl ScoresResponse {
    /// Without signals.
    fn without_nulls(&self) -> serde_json::Value {
        let mut scores = serde_json::to_value(self).unwrap_or_default();
        if let Some(signals) = scores.as_object_mut() {
            signals.retain(|_, signal| !signal.is_null());
        }
        scores
    }
}

/// One relevant context of the response.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct ContextResponse {
    pub context_id: String,
    pub memory_id: String,
    pub context: String,
    /// Null if an adopted table has none.
    pub creation_time: Option<String>,
    pub score: f64,
}

/// A score as a response shows it.
pub fn rounded(score: f64) -> f64 {
    (score * SCORE_SCALE).round() / SCORE_SCALE
}

/// JSON text from the database, to be spliced in verbatim.
pub fn verbatim(json: String) -> Result<Box<RawValue>> {
    RawValue::from_string(json)
        .map_err(|error| Error::new(ErrorKind::Corrupted, format!("stored JSON cannot be read: {error}")))
}

impl SearchResponse {
    /// The JSON text with all fields.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| {
            Error::new(ErrorKind::Corrupted, format!("the response cannot be written as JSON: {error}"))
        })
    }
}

/// An entry with every field.
#[cfg(test)]
pub(super) fn sample() -> EntryResponse {
    let json = || verbatim("{}".to_owned()).unwrap();
    EntryResponse {
        entry_id: "1".to_owned(),
        memory_id: "m".to_owned(),
        user_id: None,
        agent_id: None,
        session_id: None,
        entry_key: None,
        summary: None,
        raw_entry: "tea".to_owned(),
        snippet: Some(Snippet { text: "<b>tea</b>".to_owned(), ranges: vec![(3, 6)] }),
        tags: json(),
        entities: None,
        metadata: json(),
        source_type: None,
        importance: None,
        access_count: 0,
        creation_time: None,
        valid_from: Some("2025-01-01T00:00:00Z".to_owned()),
        valid_until: Some("2025-02-01T00:00:00Z".to_owned()),
        superseded_by: Some("2".to_owned()),
        strategy: "hybrid",
        score: 0.5,
        scores: ScoresResponse {
            semantic: None,
            keyword: None,
            relevance: 0.0,
            recency: 0.0,
            importance: 0.0,
            popularity: 0.0,
            author: 0.0,
            date: 0.0,
            length: 0.0,
            association: None,
            used_recency: None,
            feedback: None,
            rerank: None,
        },
        embedding: Some(vec![0.1, -2.0]),
        neighbours: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_memory_answers_with_the_same_five_fields() {
        let empty = SearchResponse {
            entries: Entries::default(),
            count: 0,
            latest_context: String::new(),
            latest_context_timestamp: None,
            contexts: Vec::new(),
            next_cursor: None,
            diagnostics: None,
            detail: Detail::Full,
        };
        assert_eq!(
            empty.to_json().unwrap(),
            r#"{"entries":[],"count":0,"latestContext":"","latestContextTimestamp":null,"contexts":[]}"#
        );
    }

    #[test]
    fn all_fields_in_the_brief_form_are_the_whole_entry() {
        let entry = sample();
        let brief = |fields: &[&'static str]| {
            serde_json::to_string(&Brief { entry: &entry, fields, with_nulls: true }).unwrap()
        };
        let all: Vec<&str> = ENTRY_FIELDS.into_iter().filter(|name| *name != "embedding").collect();
        let whole = serde_json::to_value(&entry).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&brief(&all)).unwrap(), whole);
        assert_eq!(brief(&["embedding"]), r#"{"embedding":[0.1,-2.0]}"#);
        assert_eq!(brief(&["score", "rawEntry"]), r#"{"rawEntry":"tea","score":0.5}"#);
        assert_eq!(brief(&["snippet"]), r#"{"snippet":{"text":"<b>tea</b>","ranges":[[3,6]]}}"#);
        assert_eq!(brief(&[]), "{}");
    }

    /// The names of an object, in the order of its text.
    struct Names(Vec<String>);

    impl<'de> serde::Deserialize<'de> for Names {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
            struct Visitor;
            impl<'de> serde::de::Visitor<'de> for Visitor {
                type Value = Names;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> std::result::Result<Names, A::Error> {
                    let mut names = Vec::new();
                    while let Some((name, serde::de::IgnoredAny)) = map.next_entry()? {
                        names.push(name);
                    }
                    Ok(Names(names))
                }
            }
            deserializer.deserialize_map(Visitor)
        }
    }

    #[test]
    fn an_entry_is_written_in_the_order_of_jsonb() {
        let mut entry = sample();
        entry.neighbours = Some(Vec::new());
        let scores = &mut entry.scores;
        (scores.used_recency, scores.feedback, scores.rerank) = (Some(0.0), Some(1.0), Some(0.0));
        scores.association = Some(0.5);
        for json in [serde_json::to_string(&entry).unwrap(), serde_json::to_string(&entry.scores).unwrap()] {
            let Names(names) = serde_json::from_str(&json).unwrap();
            assert!(names.is_sorted_by_key(|name| (name.len(), name.clone())), "{names:?}");
        }
    }

    #[test]
    fn a_cut_text_has_the_characters_asked_for_and_says_so() {
        let text = |most| cut("Grüße", most);
        assert_eq!((text(5), text(4), text(1)), ("Grüße".to_owned(), "Grü…".to_owned(), "…".to_owned()));
    }

    #[test]
    fn stored_json_is_spliced_in_to_the_last_digit() {
        let raw = verbatim(r#"{"id": 123456789012345678901234567890}"#.to_owned()).unwrap();
        assert_eq!(serde_json::to_string(&raw).unwrap(), r#"{"id": 123456789012345678901234567890}"#);
    }
}
