//! The response of a search for a language model: texts, ids and times under short names, without nulls and empty
//! values. Scores are included if `options.fields` names them.

use std::collections::BTreeSet;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::error::{Error, ErrorKind};
use crate::output::response::{Brief, ContextResponse, EntryResponse, NeighbourResponse, SearchResponse};
use crate::request::detail::Detail;

/// The JSON text of a response, in the detail that the request asked for.
///
/// # Errors
///
/// Fails if the response cannot be written, which is a bug.
pub fn json(response: &SearchResponse) -> crate::Result<String> {
    match response.detail {
        Detail::Full => response.to_json(),
        Detail::Short => serde_json::to_string(&ShortAnswer(response)).map_err(|error| {
            Error::new(ErrorKind::Corrupted, format!("the answer cannot be written as JSON: {error}"))
        }),
    }
}

/// A response in the form for a model.
struct ShortAnswer<'a>(&'a SearchResponse);

impl Serialize for ShortAnswer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let response = self.0;
        let mut map = serializer.serialize_map(None)?;
        let all = &response.entries.all;
        match &response.entries.fields {
            Some(fields) => {
                let present: Vec<_> = all.iter().map(|entry| Brief { entry, fields, with_nulls: false }).collect();
                map.serialize_entry("entries", &present)?;
            }
            None => {
                // The name of a user or memory distinguishes entries only if there are several.
                let users = all.iter().map(|entry| &entry.user_id).collect::<BTreeSet<_>>().len() > 1;
                let memories = all.iter().map(|entry| &entry.memory_id).collect::<BTreeSet<_>>().len() > 1;
                let entries: Vec<_> = all.iter().map(|entry| ShortEntry { entry, users, memories }).collect();
                map.serialize_entry("entries", &entries)?;
            }
        }
        if !response.latest_context.is_empty() {
            let time = response.latest_context_timestamp.as_deref();
            map.serialize_entry("latestContext", &Said { text: &response.latest_context, time })?;
        }
        if !response.contexts.is_empty() {
            let contexts: Vec<Said<'_>> = response.contexts.iter().map(Said::from).collect();
            map.serialize_entry("contexts", &contexts)?;
        }
        if let Some(cursor) = response.next_cursor.as_ref().and_then(|cursor| cursor.0.as_ref()) {
            map.serialize_entry("nextCursor", cursor)?;
        }
        if let Some(diagnostics) = &response.diagnostics {
            map.serialize_entry("diagnostics", diagnostics)?;
        }
        map.end()
    }
}

/// An entry with its text, id and time, and the fields that change their meaning.
struct ShortEntry<'a> {
    entry: &'a EntryResponse,
    users: bool,
    memories: bool,
}

impl Serialize for ShortEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = self.entry;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &entry.entry_id)?;
        map.serialize_entry("text", &entry.raw_entry)?;
        let user = entry.user_id.as_ref().filter(|_| self.users);
        let memory = Some(&entry.memory_id).filter(|_| self.memories);
        let texts = [
            ("time", entry.creation_time.as_ref()),
            ("userId", user),
            ("snippet", entry.snippet.as_ref().map(|snippet| &snippet.text)),
            ("memoryId", memory),
            ("validFrom", entry.valid_from.as_ref()),
            ("validUntil", entry.valid_until.as_ref()),
            ("supersededBy", entry.superseded_by.as_ref()),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                map.serialize_entry(name, text)?;
            }
        }
        if let Some(neighbours) = entry.neighbours.as_ref().filter(|neighbours| !neighbours.is_empty()) {
            let neighbours: Vec<_> = neighbours.iter().map(ShortNeighbour::from).collect();
            map.serialize_entry("neighbours", &neighbours)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct ShortNeighbour<'a> {
    id: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    place: i64,
}

impl<'a> From<&'a NeighbourResponse> for ShortNeighbour<'a> {
    fn from(of: &'a NeighbourResponse) -> Self {
        ShortNeighbour { id: &of.entry_id, text: &of.raw_entry, time: of.creation_time.as_deref(), place: of.place }
    }
}

/// A context, without its id, because no call takes it.
#[derive(Serialize)]
struct Said<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
}

impl<'a> From<&'a ContextResponse> for Said<'a> {
    fn from(of: &'a ContextResponse) -> Self {
        Said { text: &of.context, time: of.creation_time.as_deref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::response::{Entries, sample as entry, verbatim};

    /// The answer for a model, of these entries.
    fn short(all: Vec<EntryResponse>, fields: Option<Vec<&'static str>>) -> String {
        let answer = SearchResponse {
            count: all.len(),
            entries: Entries { all, fields },
            latest_context: "They plan a trip.".to_owned(),
            latest_context_timestamp: Some("2025-05-01T00:00:00Z".to_owned()),
            contexts: Vec::new(),
            next_cursor: None,
            diagnostics: None,
            detail: Detail::Short,
        };
        json(&answer).unwrap()
    }

    #[test]
    fn a_model_gets_texts_ids_and_times_without_nulls_and_scores_where_it_asks() {
        let mut plain = entry();
        (plain.snippet, plain.superseded_by, plain.valid_from, plain.valid_until) = (None, None, None, None);
        plain.creation_time = Some("2025-01-01T00:00:00Z".to_owned());
        let context = r#""latestContext":{"text":"They plan a trip.","time":"2025-05-01T00:00:00Z"}"#;
        let of = |entry: &str| format!("{{\"entries\":[{entry}],{context}}}");
        assert_eq!(short(vec![plain], None), of(r#"{"id":"1","text":"tea","time":"2025-01-01T00:00:00Z"}"#));
        let named = vec!["userId", "rawEntry", "tags", "score", "scores"];
        let scores =
            r#"{"author":0.0,"date":0.0,"importance":0.0,"length":0.0,"popularity":0.0,"recency":0.0,"relevance":0.0}"#;
        let mut untagged = entry();
        untagged.tags = verbatim("[]".to_owned()).unwrap();
        assert_eq!(
            short(vec![untagged], Some(named)),
            of(&format!(r#"{{"rawEntry":"tea","score":0.5,"scores":{scores}}}"#))
        );
    }

    #[test]
    fn a_model_is_told_whose_an_entry_is_where_they_are_of_several() {
        let of = |user: &str| EntryResponse { user_id: Some(user.to_owned()), ..entry() };
        assert!(!short(vec![of("ann"), of("ann")], None).contains("ann"));
        let several = short(vec![of("ann"), of("bo")], None);
        assert!(several.contains(r#""userId":"ann""#) && several.contains(r#""userId":"bo""#), "{several}");
    }

    #[test]
    fn an_answer_for_a_model_is_hardly_longer_than_its_texts_ids_and_times() {
        let all: Vec<EntryResponse> = (0..5)
            .map(|number| EntryResponse {
                entry_id: format!("00000000-0000-0000-0000-00000000000{number}"),
                raw_entry: "Ann wants a quiet hotel near the river in Porto.".to_owned(),
                creation_time: Some("2025-01-01T10:00:00.000000Z".to_owned()),
                snippet: None,
                superseded_by: None,
                valid_from: None,
                valid_until: None,
                ..entry()
            })
            .collect();
        let said = |entry: &EntryResponse| {
            entry.entry_id.len() + entry.raw_entry.len() + entry.creation_time.as_ref().unwrap().len()
        };
        let context = "They plan a trip.2025-05-01T00:00:00Z".len();
        let content: usize = all.iter().map(said).sum::<usize>() + context;
        let answer = short(all, None);
        // The answer in the form of jsonb, with a blank behind each colon and comma.
        let shown = answer.len() + answer.matches("\":").count() + answer.matches("\",\"").count();
        assert!(shown as f64 <= 1.4 * content as f64, "{shown} characters for {content}: {answer}");
    }
}
