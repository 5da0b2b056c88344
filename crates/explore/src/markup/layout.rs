//! The frame of every page: head, path, the views of a store or memory; and the layout of errors.

use http::StatusCode;
use maud::{DOCTYPE, Markup, html};
use memory_search_client::database::error::DatabaseError;

use crate::asked::link;

/// The place of a page: its store, its memory, its view.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The store.
    pub store: Option<String>,
    /// The memory.
    pub memory: Option<String>,
    /// The page's name in the address.
    pub view: &'static str,
    /// The fields of a search, to go on with it in other views.
    pub search: Vec<(String, String)>,
}

/// A page.
pub struct Page {
    /// The status of the response.
    pub status: StatusCode,
    /// For the log: `ok` or an SQLSTATE, never a text.
    pub said: String,
    title: String,
    place: Place,
    content: Markup,
}

impl Page {
    /// A page at a place.
    pub fn new(title: impl Into<String>, place: Place, content: Markup) -> Self {
        Page { status: StatusCode::OK, said: "ok".to_owned(), title: title.into(), place, content }
    }

    /// The same page, with the outcome of the part that it is about.
    pub fn after<T>(mut self, outcome: &Result<T, DatabaseError>) -> Self {
        if let Err(error) = outcome {
            self.status = status(error);
            self.said = error.code().to_owned();
        }
        self
    }

    /// The same page, if its subject does not exist.
    pub fn about_nothing(mut self) -> Self {
        self.status = StatusCode::NOT_FOUND;
        self.said = "absent".to_owned();
        self
    }

    /// A page with only the message that its subject does not exist.
    pub fn refused(status: StatusCode, why: &str) -> Self {
        let title = status.canonical_reason().unwrap_or("Refused");
        let mut page = Page::new(title, Place::default(), html! { h1 { (title) } p.notice { (why) } });
        page.status = status;
        page
    }

    /// The page as the browser gets it.
    pub fn html(&self) -> String {
        let title = &self.title;
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) " – memory explorer" }
                    link rel="stylesheet" href="style.css";
                }
                body {
                    a.skip href="#content" { "Skip to the content" }
                    header.top { div.inside { (trail(&self.place)) (views(&self.place)) } }
                    main #content tabindex="-1" { (self.content) }
                    footer { p { "memory-search " (env!("CARGO_PKG_VERSION")) " · these pages only read" } }
                }
            }
        }
        .into_string()
    }
}

fn trail(place: &Place) -> Markup {
    html! {
        nav.trail aria-label="Where you are" {
            ol {
                li { a.brand href="./" { "memory explorer" } }
                @if let Some(store) = &place.store {
                    li { a href=(link("memories", &[("store", store)])) { (store) } }
                    @if let Some(memory) = &place.memory {
                        li { a href=(link("search", &[("store", store), ("memory", memory)])) { (memory) } }
                    }
                }
            }
        }
    }
}

fn views(place: &Place) -> Markup {
    let Some(store) = place.store.as_deref() else { return html! {} };
    let views: &[(&str, &str)] = if place.memory.is_some() {
        &[("search", "Search"), ("entries", "Entries"), ("entities", "Entities"), ("timeline", "Contexts")]
    } else {
        &[("memories", "Memories"), ("doctor", "Health")]
    };
    let memory = place.memory.as_deref().unwrap_or_default();
    let mut values = vec![("store", store), ("memory", memory)];
    if place.memory.is_some() {
        values.extend(place.search.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    }
    html! {
        nav.views aria-label="Views" {
            ul {
                @for (name, label) in views {
                    // The timeline is of the memory, not of what was searched.
                    @let values = if *name == "timeline" { &values[..2] } else { &values[..] };
                    @let current = (place.view == *name).then_some("page");
                    li { a href=(link(name, values)) aria-current=[current] { (label) } }
                }
            }
        }
    }
}

/// The status of a response whose main part failed with this error.
fn status(error: &DatabaseError) -> StatusCode {
    match error {
        DatabaseError::Refused(refusal) => match refusal.code.as_str() {
            "42501" => StatusCode::FORBIDDEN,
            "57014" => StatusCode::GATEWAY_TIMEOUT,
            "42P01" | "42704" | "3F000" => StatusCode::NOT_FOUND,
            code if code.starts_with("22") || code == "54000" => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
        DatabaseError::Unreachable(_) => StatusCode::SERVICE_UNAVAILABLE,
        DatabaseError::Uncertain | DatabaseError::Cancelled => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A failure, with the database's own words and the advice.
pub fn failure(error: &DatabaseError) -> Markup {
    match error {
        DatabaseError::Refused(refusal) => html! {
            div.failure role="alert" {
                p.message { (refusal.message) }
                @if let Some(detail) = &refusal.detail { p { (detail) } }
                @if let Some(hint) = &refusal.hint { p.hint { strong { "What to do: " } (hint) } }
                p.code { "SQLSTATE " code { (refusal.code) } }
            }
        },
        DatabaseError::Unreachable(reason) => html! {
            div.failure role="alert" {
                p.message { "The database cannot be reached: " (reason) }
                p.hint { strong { "What to do: " } "Load the page again once it is there." }
            }
        },
        other => html! { div.failure role="alert" { p.message { (other) } } },
    }
}
