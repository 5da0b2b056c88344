//! Lines of an exported memory: the input of `request::entry_rows`.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};

/// A line: an entry, a context, a link or an alias, with everything that is stored of it. Missing values are left out.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[allow(missing_docs, clippy::large_enum_variant)] // one at a time
pub enum Line {
    Entry {
        memory_id: String,
        entry_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        user_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        agent_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        session_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        entry_key: Option<String>,
        raw_entry: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        context: Option<String>,
        tags: Box<RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        entities: Option<Box<RawValue>>,
        metadata: Box<RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        source_type: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        importance: Option<i64>,
        access_count: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        last_accessed_at: Option<String>,
        #[serde(skip_serializing_if = "is_zero")]
        helpful: i64,
        #[serde(skip_serializing_if = "is_zero")]
        unhelpful: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        creation_time: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        expires_at: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        deletion_scheduled_time: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        valid_from: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        valid_until: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ttl: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        superseded_by: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        superseded_time: Option<String>,
        #[serde(flatten)]
        embedding: Option<ExportedEmbedding>,
    },
    Context {
        memory_id: String,
        context_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        entry_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        user_id: Option<String>,
        context: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        creation_time: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        deletion_scheduled_time: Option<String>,
        #[serde(flatten)]
        embedding: Option<ExportedEmbedding>,
    },
    Link {
        memory_id: String,
        from_entry: String,
        to_entry: String,
        /// A link's own kind; the kind of the line is `link`.
        link_kind: String,
        weight: f32,
        #[serde(skip_serializing_if = "Option::is_none")]
        valid_from: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        valid_until: Option<String>,
        metadata: Box<RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        creation_time: Option<String>,
    },
    Alias {
        memory_id: String,
        alias: String,
        entity: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        creation_time: Option<String>,
    },
}

/// An embedding; null means that there is none, and a missing field that it is not exported.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct ExportedEmbedding {
    pub embedding: Option<Vec<f32>>,
    /// The embeddings of the passages of a long text, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage_embeddings: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding_model: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_zero(count: &i64) -> bool {
    *count == 0
}

impl Line {
    /// The JSON text.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self)
            .map_err(|error| Error::new(ErrorKind::Corrupted, format!("a row cannot be written as JSON: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::response::verbatim;
    use crate::request::entry_rows::{MadeBy, parse_exported};

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let vector = vec![0.1_f32, -1.5, 6.1e-5];
        let line = Line::Entry {
            memory_id: "m".to_owned(),
            entry_id: "00000000-0000-0000-0000-000000000001".to_owned(),
            user_id: None,
            agent_id: Some("a".to_owned()),
            session_id: Some("s".to_owned()),
            entry_key: Some("msg-17".to_owned()),
            raw_entry: "text \"quoted\"\n".to_owned(),
            summary: None,
            context: Some("c".to_owned()),
            tags: verbatim(r#"["t"]"#.to_owned()).unwrap(),
            entities: Some(verbatim(r#"["Ann"]"#.to_owned()).unwrap()),
            metadata: verbatim(r#"{"id": 123456789012345678901234567890}"#.to_owned()).unwrap(),
            source_type: None,
            importance: Some(7),
            access_count: 2,
            last_accessed_at: None,
            helpful: 3,
            unhelpful: 0,
            creation_time: Some("2025-01-01T00:00:00.000001Z".to_owned()),
            expires_at: Some("infinity".to_owned()),
            deletion_scheduled_time: None,
            valid_from: Some("1969-12-31T23:59:59.999995Z".to_owned()),
            valid_until: None,
            ttl: Some("P30D".to_owned()),
            superseded_by: None,
            superseded_time: None,
            embedding: Some(ExportedEmbedding {
                embedding: Some(vector.clone()),
                passage_embeddings: Some(verbatim("[[1, 0.1, 0], [0, 0.25, -1]]".to_owned()).unwrap()),
                embedding_model: None,
            }),
        };
        let entry = parse_exported("lines", &line.to_json().unwrap()).unwrap().entries.remove(0);
        assert_eq!(entry.row.embedding, Some(vector));
        assert_eq!(entry.row.passage_embeddings, Some(vec![vec![1.0, 0.1, 0.0], vec![0.0, 0.25, -1.0]]));
        assert_eq!((entry.row.session_id.as_deref(), entry.row.entry_key.as_deref()), (Some("s"), Some("msg-17")));
        assert_eq!(entry.row.metadata.as_deref(), Some(r#"{"id": 123456789012345678901234567890}"#));
        assert_eq!((entry.row.creation_time, entry.row.expires_at), (Some(1_735_689_600_000_001), Some(i64::MAX)));
        assert_eq!((entry.row.valid_from, entry.row.valid_until, entry.feedback.helpful), (Some(-5), None, 3));
        assert_eq!(entry.row.entities, Some(vec![Some("Ann".to_owned())]));
        assert_eq!(entry.row.ttl.as_deref(), Some("P30D"));
        assert_eq!((entry.access_count, entry.row.importance, entry.made_by), (2, 7, MadeBy::Given(None)));
    }

    #[test]
    fn links_and_aliases_are_read_as_they_were_written() {
        let id = |n| format!("00000000-0000-0000-0000-00000000000{n}");
        let link = Line::Link {
            memory_id: "m".to_owned(),
            from_entry: id(1),
            to_entry: id(2),
            link_kind: "derived_from".to_owned(),
            weight: 0.1,
            valid_from: None,
            valid_until: Some("2025-01-01T00:00:00Z".to_owned()),
            metadata: verbatim(r#"{"page": 7.00}"#.to_owned()).unwrap(),
            creation_time: Some("2025-01-01T00:00:00.000001Z".to_owned()),
        };
        let text = link.to_json().unwrap();
        assert!(text.starts_with(r#"{"kind":"link","memoryId":"m","#), "{text}");
        let read = parse_exported("lines", &text).unwrap().links.remove(0);
        assert_eq!((read.from_entry, read.to_entry, read.kind.as_str()), (id(1), id(2), "derived_from"));
        assert_eq!(
            (read.weight, read.valid_until, read.metadata.as_deref()),
            (0.1, Some(1_735_689_600_000_000), Some(r#"{"page": 7.00}"#))
        );
        let alias = Line::Alias {
            memory_id: "m".to_owned(),
            alias: "mum".to_owned(),
            entity: "Anna".to_owned(),
            creation_time: None,
        };
        let text = alias.to_json().unwrap();
        let read = parse_exported("lines", &text).unwrap().aliases.remove(0);
        assert_eq!((read.alias.as_str(), read.entity.as_str(), read.creation_time), ("mum", "Anna", None));
        let places = [text.clone(), format!("[{{\"kind\": \"context\", \"context\": \"c\"}}, {text}]")]
            .map(|lines| parse_exported("lines", &lines).unwrap().aliases.remove(0).line);
        assert_eq!(places, ["lines", "lines[1]"]);
    }

    #[test]
    fn no_embedding_and_none_exported_differ() {
        let line = |embedding| Line::Context {
            memory_id: "m".to_owned(),
            context_id: "00000000-0000-0000-0000-000000000001".to_owned(),
            entry_id: None,
            user_id: None,
            context: "c".to_owned(),
            creation_time: None,
            deletion_scheduled_time: None,
            embedding,
        };
        let none = line(Some(ExportedEmbedding { embedding: None, passage_embeddings: None, embedding_model: None }))
            .to_json()
            .unwrap();
        let left_out = line(None).to_json().unwrap();
        assert!(none.ends_with(r#""embedding":null}"#) && !left_out.contains("embedding"), "{none} {left_out}");
        assert!(left_out.starts_with(r#"{"kind":"context""#), "{left_out}");
    }
}
