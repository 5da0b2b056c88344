//! A store: its memories with the contents of each, and the figures of the whole store.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use serde_json::Value;

use crate::asked::{Asked, link};
use crate::markup::layout::{Page, Place, failure};
use crate::markup::texts::{count, time};
use crate::statements::{self, ROWS_OF_PAGE};

/// The figures of a store, by the columns of memory_stats.
const FIGURES: [(&str, &str); 8] = [
    ("memories", "memories"),
    ("visible", "entries that searches find"),
    ("deleted", "deleted"),
    ("expired", "expired"),
    ("superseded", "corrected"),
    ("without_embedding", "without embedding"),
    ("contexts", "contexts"),
    ("table_bytes", "in tables"),
];

/// The page.
pub async fn page(reading: &Reading, asked: &Asked) -> Result<Page, DatabaseError> {
    asked.refuse_unknown(&["store", "prefix", "after"])?;
    Ok(of_store(reading, asked.required("store")?, asked.get("prefix"), asked.get("after")).await)
}

/// The page of a store, from the memory behind `after` on.
pub async fn of_store(reading: &Reading, store: &str, prefix: Option<&str>, after: Option<&str>) -> Page {
    let (list, figures) = (statements::memories(store, prefix, after), statements::stats(store));
    let (read, stats) = tokio::join!(reading.of_store(store, &list), reading.of_store(store, &figures));
    let place = Place { store: Some(store.to_owned()), view: "memories", ..Place::default() };
    let content = html! {
        h1 { "Memories of " (store) }
        form.row action="memories" method="get" role="search" {
            input type="hidden" name="store" value=(store);
            div.field {
                label for="prefix" { "Id begins with" }
                input #prefix type="search" name="prefix" value=[prefix] autocomplete="off" spellcheck="false";
            }
            button { "Show" }
        }
        @match &read {
            Ok(memories) => (table(store, prefix, memories.as_array().map(Vec::as_slice).unwrap_or_default())),
            Err(error) => (failure(error)),
        }
        section aria-labelledby="figures" {
            h2 #figures { "The store as a whole" }
            @match &stats { Ok(stats) => (shown(stats)), Err(error) => (failure(error)) }
        }
    };
    Page::new(format!("Memories of {store}"), place, content).after(&read)
}

fn table(store: &str, prefix: Option<&str>, memories: &[Value]) -> Markup {
    let shown = &memories[..memories.len().min(ROWS_OF_PAGE)];
    let id = |memory: &Value| memory["memory_id"].as_str().unwrap_or_default().to_owned();
    html! {
        @if shown.is_empty() {
            p.notice { "No memory here that this role sees." @if prefix.is_some() { " Shorten how its id begins." } }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Memories" {
                table.list {
                    thead { tr {
                        th scope="col" { "Memory" } th.number scope="col" { "Entries" }
                        th.number scope="col" { "Contexts" } th scope="col" { "From" } th scope="col" { "To" }
                        th scope="col" { "Last used" }
                    } }
                    tbody {
                        @for memory in shown {
                            tr {
                                th scope="row" {
                                    a href=(link("search", &[("store", store), ("memory", &id(memory))])) {
                                        (id(memory))
                                    }
                                }
                                td.number { (count(&memory["entries"])) }
                                td.number { (count(&memory["contexts"])) }
                                td { (day(&memory["first_created"])) } td { (day(&memory["last_created"])) }
                                td { (day(&memory["last_used"])) }
                            }
                        }
                    }
                }
            }
        }
        @if let (true, Some(last)) = (memories.len() > ROWS_OF_PAGE, shown.last()) {
            p { a href=(link("memories", &[
                ("store", store), ("prefix", prefix.unwrap_or_default()), ("after", &id(last)),
            ])) { "More memories, behind " (id(last)) } }
        }
    }
}

fn day(value: &Value) -> Markup {
    if value.is_null() {
        html! { span.faint { "never" } }
    } else {
        time(value)
    }
}

fn shown(stats: &Value) -> Markup {
    html! {
        dl.figures {
            @for (column, label) in FIGURES {
                div {
                    dt { (label) }
                    dd {
                        @if column.ends_with("bytes") { (size(stats[column].as_f64().unwrap_or(0.0))) }
                        @else { (count(&stats[column])) }
                    }
                }
            }
        }
    }
}

fn size(bytes: f64) -> String {
    let steps = (bytes.max(1.0).log2() / 10.0).floor().clamp(0.0, 4.0) as usize;
    let unit = ["B", "KiB", "MiB", "GiB", "TiB"][steps];
    format!("{:.*} {unit}", usize::from(steps > 1), bytes / 1024_f64.powi(steps as i32))
}
