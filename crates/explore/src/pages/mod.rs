//! The pages. Each reads the query of the address and never fails: an error is shown in the place of the part that
//! failed.

mod doctor;
mod entities;
mod entity;
mod entries;
mod entry;
mod here;
mod links;
mod memories;
mod neighbourhood;
mod search;
mod stored;
mod stores;
mod timeline;
mod why;

use http::StatusCode;
use maud::html;
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;

use crate::asked::Asked;
use crate::markup::layout::{Page, Place, failure};

/// The pages by their names in the address; the first is the start page.
pub const NAMES: [&str; 9] = ["", "memories", "doctor", "search", "entry", "entries", "timeline", "entities", "entity"];

/// The page of that name, as the query of its address asks.
pub async fn page(reading: &Reading, name: &str, query: &str) -> Page {
    let asked = match Asked::read(query) {
        Ok(asked) => asked,
        Err(error) => return wrong(error.into()),
    };
    let page = match name {
        "" => stores::page(reading, &asked).await,
        "memories" => memories::page(reading, &asked).await,
        "doctor" => doctor::page(reading, &asked).await,
        "search" => search::page(reading, &asked).await,
        "entry" => entry::page(reading, &asked).await,
        "entries" => entries::page(reading, &asked).await,
        "entities" => entities::page(reading, &asked).await,
        "entity" => entity::page(reading, &asked).await,
        "timeline" => timeline::page(reading, &asked).await,
        _ => return Page::refused(StatusCode::NOT_FOUND, "There is no such page here."),
    };
    page.unwrap_or_else(wrong)
}

/// A page for an invalid address.
fn wrong(error: DatabaseError) -> Page {
    let content = html! { h1 { "This address asks for nothing that can be shown" } (failure(&error)) };
    Page::new("Not understood", Place::default(), content).after::<()>(&Err(error))
}
