//! The first page: the stores that the role may read.

use maud::html;
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use serde_json::Value;

use crate::asked::{Asked, link};
use crate::markup::layout::{Page, Place, failure};
use crate::markup::texts::count;
use crate::pages::memories;
use crate::statements;

/// The page.
pub async fn page(reading: &Reading, asked: &Asked) -> Result<Page, DatabaseError> {
    asked.refuse_unknown(&[])?;
    if let Some(store) = reading.only_store() {
        return Ok(memories::of_store(reading, store, None, None).await);
    }
    let read = reading.of_catalogs(&statements::stores()).await;
    let stores = read.as_ref().ok().and_then(Value::as_array).cloned().unwrap_or_default();
    let content = html! {
        h1 { "Stores" }
        @match &read {
            Err(error) => (failure(error)),
            Ok(_) if stores.is_empty() => p.notice {
                "This role may read no store. memory_create_store() makes one, memory_grant(store, role) lets a role "
                "read one."
            },
            Ok(_) => {
                p.lead { "Schemas with memories that this role may read." }
                div.scroll tabindex="0" role="region" aria-label="Stores" {
                    table.list {
                        thead { tr {
                            th scope="col" { "Store" } th scope="col" { "Rows are in" } th scope="col" { "Owner" }
                            th.number scope="col" { "Entries, about" }
                        } }
                        tbody {
                            @for store in &stores {
                                @let name = store["store"].as_str().unwrap_or_default();
                                tr {
                                    th scope="row" { a href=(link("memories", &[("store", name)])) { (name) } }
                                    td { (kind(store["kind"].as_str().unwrap_or_default())) }
                                    td { (store["owner"].as_str().unwrap_or_default()) }
                                    td.number {
                                        @if store["rows"].as_i64().unwrap_or(-1) > 0 { (count(&store["rows"])) }
                                        @else { span.faint { "not counted" } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    Ok(Page::new("Stores", Place::default(), content).after(&read))
}

fn kind(relkind: &str) -> &'static str {
    match relkind {
        "v" => "an adopted table",
        "p" => "its own tables, in partitions",
        "f" => "another server",
        _ => "its own tables",
    }
}
