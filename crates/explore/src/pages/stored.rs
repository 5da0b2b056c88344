//! The stored data of an entry: its fields, its corrections and its history.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use serde_json::Value;

use crate::markup::layout::failure;
use crate::markup::texts::{beginning, entities, hidden, time, title};
use crate::pages::here::Here;

/// The columns that the table of facts shows, in this order.
const FACTS: [&str; 19] = [
    "entry_id",
    "entry_key",
    "user_id",
    "agent_id",
    "session_id",
    "source_type",
    "tags",
    "entities",
    "importance",
    "access_count",
    "creation_time",
    "valid_from",
    "valid_until",
    "expires_at",
    "ttl",
    "deletion_scheduled_time",
    "superseded_by",
    "context",
    "dimensions",
];

/// Every field that has a value.
pub fn facts(here: &Here<'_>, entry: &Value) -> Markup {
    let shown = FACTS.iter().filter(|column| !entry[**column].is_null());
    html! {
        section aria-labelledby="facts" {
            h2 #facts { "What is stored" }
            dl.facts {
                @for column in shown {
                    @let value = &entry[*column];
                    div {
                        dt { (column.replace('_', " ")) }
                        dd {
                            @match (*column, value) {
                                ("superseded_by", Value::String(id)) => a href=(here.entry(id)) { (id) },
                                ("session_id", Value::String(id)) => {
                                    a href=(here.to("entries", &[("of_session", id)])) { (id) }
                                }
                                ("creation_time" | "valid_from" | "valid_until" | "expires_at"
                                    | "deletion_scheduled_time", value) => { (time(value)) " UTC" },
                                ("dimensions", value) => { "an embedding of " (value) " dimensions" }
                                ("entities", Value::Array(list)) => {
                                    @if list.is_empty() { "none" }
                                    ul.about { (entities(value, &|name| here.entity(name))) }
                                }
                                (_, Value::Array(list)) => {
                                    @if list.is_empty() { "none" }
                                    ul.about { @for tag in list { li.tag { "#" (tag.as_str().unwrap_or_default()) } } }
                                }
                                (_, Value::String(text)) => (text),
                                (_, other) => (other),
                            }
                        }
                    }
                }
                @if entry["dimensions"].is_null() {
                    div { dt { "embedding" } dd { "none: only words can find it" } }
                }
            }
            @match entry["metadata"].as_str() {
                Some("{\n}") | None => p.faint { "No metadata." },
                Some(metadata) => {
                    h3 { "Metadata" }
                    pre tabindex="0" role="region" aria-label="Metadata as JSON" { code { (metadata) } }
                }
            }
        }
    }
}

/// The chain of corrections that the entry belongs to, oldest first.
pub fn chain(here: &Here<'_>, id: &str, read: &Result<Value, DatabaseError>) -> Markup {
    html! {
        section aria-labelledby="corrections" {
            h2 #corrections { "Corrections" }
            @match read {
                Err(error) => (failure(error)),
                Ok(chain) => {
                    @let chain = chain.as_array().map(Vec::as_slice).unwrap_or_default();
                    @if chain.len() < 2 { p.faint { "It corrects nothing, and nothing corrects it." } }
                    @else {
                        ol.timeline {
                            @for row in chain {
                                @let of = row["entry_id"].as_str().unwrap_or_default();
                                li class=[(of == id).then_some("latest")] {
                                    p {
                                        (time(&row["creation_time"])) " " (hidden(row))
                                        @if of == id { strong { (title(row, 160)) } " (this entry)" }
                                        @else { a href=(here.entry(of)) { (title(row, 160)) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The history of the entry, newest first.
pub fn events(read: &Result<Value, DatabaseError>) -> Markup {
    let happened = match read {
        Ok(events) => Ok(events.as_array().map(Vec::as_slice).unwrap_or_default()),
        // No history is kept, or, for an adopted table, none can be kept.
        Err(DatabaseError::Refused(refusal)) if ["55000", "0A000", "22P02"].contains(&refusal.code.as_str()) => {
            Ok(&[][..])
        }
        Err(error) => Err(error),
    };
    html! {
        section aria-labelledby="history" {
            h2 #history { "History" }
            @match happened {
                Err(error) => (failure(error)),
                Ok([]) => p.faint { "None was kept. memory_keep_history() begins one." },
                Ok(events) => div.scroll tabindex="0" role="region" aria-label="What happened" {
                    table.list {
                        thead { tr {
                            th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "By" }
                            th scope="col" { "Until then" }
                        } }
                        tbody {
                            @for event in events {
                                tr {
                                    th scope="row" { (time(&event["recorded_at"])) }
                                    td { (event["operation"].as_str().unwrap_or_default()) }
                                    td { (event["effective_role"].as_str().unwrap_or_default()) }
                                    td {
                                        @if let Some(text) = event["before"]["raw_entry"].as_str() {
                                            (beginning(text, 160))
                                        }
                                    }
                                }
                            }
                        }
                    }
                },
            }
        }
    }
}
