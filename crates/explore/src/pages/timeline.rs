//! The contexts of a memory with their times, newest first.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use serde_json::Value;

use crate::asked::{Asked, link};
use crate::markup::layout::{Page, Place, failure};
use crate::markup::texts::{beginning, time};
use crate::statements::{self, ROWS_OF_PAGE};

/// The page.
pub async fn page(reading: &Reading, asked: &Asked) -> Result<Page, DatabaseError> {
    asked.refuse_unknown(&["store", "memory", "before", "behind"])?;
    let (store, memory) = (asked.required("store")?, asked.required("memory")?);
    let list = statements::contexts(store, memory, asked.get("before"), asked.get("behind"));
    let latest = statements::latest_context(store, memory);
    let (read, latest) = tokio::join!(reading.of_store(store, &list), reading.of_store(store, &latest));
    let read = read.and_then(|contexts| latest.map(|latest| (contexts, latest)));
    let place =
        Place { store: Some(store.to_owned()), memory: Some(memory.to_owned()), view: "timeline", ..Place::default() };
    let content = html! {
        h1 { "What " (memory) " was about" }
        @match &read {
            Ok((contexts, latest)) => {
                (shown(store, memory, contexts.as_array().map(Vec::as_slice).unwrap_or_default(), latest))
            }
            Err(error) => (failure(error)),
        }
    };
    Ok(Page::new(format!("Contexts of {memory}"), place, content).after(&read))
}

fn shown(store: &str, memory: &str, contexts: &[Value], latest: &Value) -> Markup {
    let page = &contexts[..contexts.len().min(ROWS_OF_PAGE)];
    // Searches say which is the latest, by all rules of what is visible.
    let newest = page.iter().position(|context| context["context"] == latest["latestContext"]);
    html! {
        @if page.is_empty() {
            p.notice { "This memory has no context that this role sees." }
        } @else {
            p.lead { "Contexts are consolidated texts on the state of a memory. Searches bring the latest one." }
            ol.timeline {
                @for (number, context) in page.iter().enumerate() {
                    li class=[(newest == Some(number)).then_some("latest")] {
                        h2 {
                            (time(&context["creation_time"])) " "
                            @if newest == Some(number) { span.badge.good { "latest" } " " }
                            @if context["deleted"] == true { span.badge { "deleted" } " " }
                            @if context["entry_deleted"] == true { span.badge { "its entry is deleted" } " " }
                            @if context["entry_superseded"] == true { span.badge { "its entry is corrected" } }
                        }
                        p.text { (context["context"].as_str().unwrap_or_default()) }
                        @if let Some(user) = context["user_id"].as_str() {
                            p.faint { "of user " (beginning(user, 60)) }
                        }
                        @if let (Some(id), Some(text)) = (context["entry_id"].as_str(), context["entry"].as_str()) {
                            p.faint {
                                "came with "
                                a href=(link("entry", &[("store", store), ("memory", memory), ("id", id)])) {
                                    (beginning(text, 80))
                                }
                            }
                        }
                    }
                }
            }
            @if let (true, Some(last)) = (contexts.len() > ROWS_OF_PAGE, page.last()) {
                @let before = last["creation_time"].as_str().unwrap_or_default();
                @let behind = last["context_id"].as_str().unwrap_or_default();
                p { a href=(link("timeline", &[
                    ("store", store), ("memory", memory), ("before", before), ("behind", behind),
                ])) { "Older contexts" } }
            }
        }
    }
}
