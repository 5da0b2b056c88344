//! Entries page by page, also those that no search sees; found by a part of their text.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use serde_json::Value;

use crate::asked::Asked;
use crate::markup::form::carried;
use crate::markup::layout::{Page, failure};
use crate::markup::texts::{about, beginning, hidden, title};
use crate::pages::here::Here;
use crate::statements::{self, ROWS_OF_PAGE};

/// The page's own names in an address, in addition to the names of the search that its links keep. It does not use the
/// search's session.
const OWN: [&str; 4] = ["contains", "of_session", "hidden", "cursor"];

/// The page.
pub async fn page(reading: &Reading, asked: &Asked) -> Result<Page, DatabaseError> {
    let here = Here::of(asked, &OWN)?;
    let (store, memory) = (here.store, here.memory);
    let (contains, session) = (asked.get("contains"), asked.get("of_session"));
    let with_hidden = asked.get("hidden").is_some();
    let statement = statements::entries(store, memory, contains, session, with_hidden, asked.get("cursor"));
    let read = reading.of_store(store, &statement).await;
    let content = html! {
        h1 { "Entries of " (memory) }
        @if let Some(question) = asked.get("q") {
            p.notice {
                "Choose the entry that “" (beginning(question, 80)) "” should find, to see why it does not."
            }
        }
        form.row action="entries" method="get" role="search" {
            input type="hidden" name="store" value=(store);
            input type="hidden" name="memory" value=(memory);
            (carried(&here.search, &[]))
            div.field.grow {
                label for="contains" { "A part of the text" }
                input #contains type="search" name="contains" value=[contains] autocomplete="off";
            }
            div.field {
                label for="of_session" { "Session" }
                input #of_session type="text" name="of_session" value=[session] autocomplete="off" spellcheck="false";
            }
            div.field {
                label.tick for="hidden" {
                    input #hidden type="checkbox" name="hidden" value="yes" checked[with_hidden];
                    "deleted, expired, corrected, too"
                }
            }
            button { "Show" }
        }
        @match &read {
            Ok(rows) => {
                h2.unseen { "The entries" }
                @let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
                @let page = &rows[..rows.len().min(ROWS_OF_PAGE)];
                (list(&here, page))
                @if let (true, Some(last)) = (rows.len() > ROWS_OF_PAGE, page.last()) {
                    @let mut values = asked.those(&["contains", "of_session", "hidden"]);
                    @let () = values.push(("cursor", last["cursor"].as_str().unwrap_or_default()));
                    p { a href=(here.to("entries", &values)) { "Older entries" } }
                }
            }
            Err(error) => (failure(error)),
        }
    };
    Ok(Page::new(format!("Entries of {memory}"), here.place("entries"), content).after(&read))
}

/// Entries, each a link to its page.
pub fn list(here: &Here<'_>, rows: &[Value]) -> Markup {
    html! {
        @if rows.is_empty() { p.notice { "No entry here that this role sees." } }
        ul.entries {
            @for row in rows {
                li {
                    @let id = row["entry_id"].as_str().unwrap_or_default();
                    h3 { (hidden(row)) a href=(here.entry(id)) { (title(row, 120)) } }
                    @if !row["summary"].is_null() {
                        p.text { (beginning(row["raw_entry"].as_str().unwrap_or_default(), 240)) }
                    }
                    (about(row, &|name| here.entity(name)))
                }
            }
        }
    }
}
