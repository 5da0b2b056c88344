//! One entry: the reason for which a search gives it or not, all its stored data, its links, its corrections and its
//! history.

use maud::html;
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use serde_json::Value;

use crate::asked::Asked;
use crate::markup::layout::{Page, failure};
use crate::markup::texts::{hidden, title};
use crate::pages::here::Here;
use crate::pages::links::links;
use crate::pages::neighbourhood::neighbourhood;
use crate::pages::stored::{chain, events, facts};
use crate::pages::why::why;
use crate::search_form::Search;
use crate::statements;

/// The page.
pub async fn page(reading: &Reading, asked: &Asked) -> Result<Page, DatabaseError> {
    let here = Here::of(asked, &["id"])?;
    let (store, memory, id) = (here.store, here.memory, asked.required("id")?);
    let search = Search::of(asked).map_err(DatabaseError::from);
    let explained = async {
        match &search {
            Ok(Some(search)) => Some(reading.of_store(store, &statements::explain(store, memory, search, id)).await),
            _ => None,
        }
    };
    let (fields, corrected, happened, linked, related) = (
        statements::entry(store, memory, id),
        statements::corrections(store, memory, id),
        statements::history(store, memory, id),
        statements::links::links(store, memory, id),
        statements::links::related(store, memory, id),
    );
    let (entry, explained, corrections, history, linked, related) = tokio::join!(
        reading.of_store(store, &fields),
        explained,
        reading.of_store(store, &corrected),
        reading.of_store(store, &happened),
        reading.of_store(store, &linked),
        reading.of_store(store, &related)
    );
    let explained = match search {
        Err(error) => Some(Err(error)),
        Ok(_) => explained,
    };
    let content = html! {
        @match &entry {
            Err(error) => { h1 { "Entry" } (failure(error)) }
            Ok(Value::Null) => {
                h1 { "No such entry" }
                p.notice {
                    "This memory has no entry " code { (id) } " that this role sees. It may be of another memory, "
                    "purged, or hidden by row-level security."
                }
            }
            Ok(entry) => {
                h1 { (hidden(entry)) (title(entry, 120)) }
                // A short text is the heading already.
                @let text = entry["raw_entry"].as_str().unwrap_or_default();
                @if title(entry, 120) != text { p.text.whole { (text) } }
            }
        }
        (why(&here, id, explained.as_ref()))
        @if let Ok(entry @ Value::Object(_)) = &entry {
            (facts(&here, entry))
            (links(&here, entry, &linked))
            (neighbourhood(&here, entry, &linked, &related))
            (chain(&here, id, &corrections))
        }
        (events(&history))
    };
    let page = Page::new("Entry", here.place("entry"), content);
    Ok(if matches!(entry, Ok(Value::Null)) { page.about_nothing() } else { page.after(&entry) })
}
