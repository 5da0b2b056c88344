//! The entities of a memory, the most frequent first.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use memory_search_core::error::Error;
use serde_json::Value;

use crate::asked::Asked;
use crate::markup::form::carried;
use crate::markup::layout::{Page, failure};
use crate::markup::texts::{beginning, count, entities, time};
use crate::pages::here::Here;
use crate::statements::ROWS_OF_PAGE;
use crate::statements::entities::{self as statements, MOST_ENTITIES};

/// The page.
pub async fn page(reading: &Reading, asked: &Asked) -> Result<Page, DatabaseError> {
    let here = Here::of(asked, &["prefix", "skip"])?;
    let (prefix, skip) = (asked.get("prefix"), skipped(asked.get("skip"))?);
    let read = reading.of_store(here.store, &statements::entities(here.store, here.memory, prefix, skip)).await;
    let content = html! {
        h1 { "Entities of " (here.memory) }
        p.lead { "The people, places and things that entries name, the most frequent first." }
        form.row action="entities" method="get" role="search" {
            input type="hidden" name="store" value=(here.store);
            input type="hidden" name="memory" value=(here.memory);
            (carried(&here.search, &[]))
            div.field {
                label for="prefix" { "Name begins with" }
                input #prefix type="search" name="prefix" value=[prefix] autocomplete="off" spellcheck="false";
            }
            button { "Show" }
        }
        @match &read {
            Ok(rows) => (shown(&here, prefix, skip, rows.as_array().map(Vec::as_slice).unwrap_or_default())),
            Err(error) => (failure(error)),
        }
    };
    Ok(Page::new(format!("Entities of {}", here.memory), here.place("entities"), content).after(&read))
}

/// The number of entities before those of the page.
fn skipped(skip: Option<&str>) -> Result<usize, Error> {
    let Some(skip) = skip else { return Ok(0) };
    skip.parse().ok().filter(|skip| *skip < MOST_ENTITIES).ok_or_else(|| {
        Error::invalid(format!("skip must be a number below {MOST_ENTITIES}, not \"{}\"", beginning(skip, 40)))
            .hint("Begin with the first page, or say how the name begins.")
    })
}

fn shown(here: &Here<'_>, prefix: Option<&str>, skip: usize, rows: &[Value]) -> Markup {
    let page = &rows[..rows.len().min(ROWS_OF_PAGE)];
    let next = skip + page.len();
    html! {
        @if page.is_empty() {
            p.notice {
                @if skip > 0 { "No more entities." }
                @else if prefix.is_some() { "No entity here has such a name. Shorten how it begins." }
                @else {
                    "No entry that this role sees names an entity. Applications give the names with memory_add(), or "
                    "memory_search.find_entities finds them in the texts."
                }
            }
        } @else { (table(here, page)) }
        @if rows.len() > ROWS_OF_PAGE {
            p { a href=(here.to("entities", &[
                ("prefix", prefix.unwrap_or_default()), ("skip", &next.to_string()),
            ])) { "More entities, behind the first " (next) } }
        } @else if next == MOST_ENTITIES {
            p.notice { "No more than " (MOST_ENTITIES) " are listed. Say how the name begins to see others." }
        }
    }
}

fn table(here: &Here<'_>, rows: &[Value]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Entities" {
            table.list {
                thead { tr {
                    th scope="col" { "Entity" } th.number scope="col" { "Entries" } th scope="col" { "First seen" }
                    th scope="col" { "Last seen" } th scope="col" { "Occurs with" }
                } }
                tbody {
                    @for row in rows {
                        @let name = row["entity"].as_str().unwrap_or_default();
                        tr {
                            th scope="row" {
                                a href=(here.entity(name)) { (beginning(name, 60)) }
                                @for alias in row["aliases"].as_array().into_iter().flatten() {
                                    " " span.faint { "also " (beginning(alias.as_str().unwrap_or_default(), 60)) }
                                }
                            }
                            td.number { (count(&row["entries"])) }
                            td { (time(&row["first_seen"])) } td { (time(&row["last_seen"])) }
                            td { ul.about { (entities(&row["occurs_with"], &|name| here.entity(name))) } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::skipped;

    #[test]
    fn skip_is_a_number_of_entities_that_are_listed() {
        assert_eq!((skipped(None).unwrap(), skipped(Some("50")).unwrap(), skipped(Some("999")).unwrap()), (0, 50, 999));
        for wrong in ["1000", "-1", "x", "1.5", "99999999999999999999"] {
            assert!(skipped(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
