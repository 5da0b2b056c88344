//! A search, its entries with the parts of their scores, and the candidates ranked behind them.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use serde_json::Value;

use crate::asked::Asked;
use crate::markup::form;
use crate::markup::layout::{Page, Place, failure};
use crate::markup::parts::{details, full_bar, in_one_bar, number, parts};
use crate::markup::texts::{about, beginning, marked, time, title};
use crate::pages::entries;
use crate::pages::here::Here;
use crate::search_form::Search;
use crate::statements;

/// The number of candidates behind the given ones that are shown at once; the rest is folded up.
const NEXT: usize = 10;

/// The page.
pub async fn page(reading: &Reading, asked: &Asked) -> Result<Page, DatabaseError> {
    let here = Here::of(asked, &[])?;
    let place = here.place("search");
    let form = form::search(here.store, here.memory, asked);
    let search = match Search::of(asked) {
        Ok(Some(search)) => search,
        Ok(None) => return Ok(overview(reading, &here, place, &form).await),
        Err(error) => {
            let refused = Err::<(), _>(error.into());
            let content = html! { (heading(&here)) (form) @if let Err(error) = &refused { (failure(error)) } };
            return Ok(Page::new(here.memory, place, content).after(&refused));
        }
    };
    let read = reading.of_store(here.store, &statements::search(here.store, here.memory, &search)).await;
    let content = html! {
        (heading(&here))
        (form)
        @match &read { Ok(answer) => (shown(&here, &search, answer)), Err(error) => (failure(error)) }
    };
    Ok(Page::new(format!("{} – {}", beginning(&search.query, 60), here.memory), place, content).after(&read))
}

fn heading(here: &Here<'_>) -> Markup {
    html! { h1 { "Ask " (here.memory) } }
}

/// The page without a question: the subject of the memory, and its newest entries.
async fn overview(reading: &Reading, here: &Here<'_>, place: Place, form: &Markup) -> Page {
    let (list, context) = (
        statements::entries(here.store, here.memory, None, None, false, None),
        statements::latest_context(here.store, here.memory),
    );
    let (read, context) = tokio::join!(reading.of_store(here.store, &list), reading.of_store(here.store, &context));
    let content = html! {
        (heading(here))
        (form)
        @if let Ok(found) = &context { (latest(found)) }
        section aria-labelledby="newest" {
            h2 #newest { "Newest entries" }
            @match &read {
                Ok(rows) => {
                    @let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
                    (entries::list(here, &rows[..rows.len().min(10)]))
                }
                Err(error) => (failure(error)),
            }
        }
    };
    Page::new(here.memory, place, content).after(&read)
}

/// The latest context that a response has, if any.
fn latest(found: &Value) -> Markup {
    let text = found["latestContext"].as_str().unwrap_or_default();
    html! {
        @if !text.is_empty() {
            aside.context aria-labelledby="latest" {
                h2 #latest { "Latest context " span.faint { (time(&found["latestContextTimestamp"])) } }
                p.text { (text) }
            }
        }
    }
}

fn shown(here: &Here<'_>, search: &Search, answer: &Value) -> Markup {
    let rows = answer["explained"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found = answer["found"]["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
    let full = full_bar(rows);
    let (given, others): (Vec<&Value>, Vec<&Value>) = rows.iter().partition(|row| row["outcome"] == "returned");
    let only_words = !given.is_empty() && given.iter().all(|row| row["details"]["semantic"]["cosine"].is_null());
    html! {
        section aria-labelledby="results" {
            h2 #results {
                @match given.len() { 0 => "Nothing was found", 1 => "One entry", many => { (many) " entries" } }
                @if others.len() > 1 && !given.is_empty() { span.faint { ", best first" } }
            }
            @if !search.left_out.is_empty() {
                p.notice {
                    "Left out of the options, as they shape an answer and not the ranking: "
                    (search.left_out.join(", ")) "."
                }
            }
            @if only_words {
                p.notice {
                    "Only words were compared, not meaning: the question or the entries have no embedding. Where the "
                    "application makes embeddings, give the question's under Advanced."
                }
            }
            @if given.is_empty() { @if let Some(row) = others.first().filter(|row| row["entry_id"].is_null()) {
                p.notice { (row["outcome"].as_str().unwrap_or_default()) "." }
            } }
            @if !given.is_empty() {
                p.faint {
                    "Each bar is what a part adds to the score. A full bar is the best score, " (number(full, 3)) "."
                }
            }
            ol.results {
                @for (place, row) in given.iter().enumerate() {
                    @let entry = found.iter().find(|entry| entry["entryId"] == row["entry_id"]).unwrap_or(row);
                    (result(here, place + 1, row, entry, full))
                }
            }
        }
        (missing(here))
        @if others.iter().any(|row| !row["entry_id"].is_null()) {
            (behind(here, &others, answer["candidates"].as_u64().unwrap_or(0), rows.len(), full))
        }
        (latest(&answer["found"]))
        (diagnostics(&answer["found"]["diagnostics"]))
    }
}

fn result(here: &Here<'_>, place: usize, row: &Value, entry: &Value, full: f64) -> Markup {
    let id = row["entry_id"].as_str().unwrap_or_default();
    let whole = entry["rawEntry"].as_str() == entry["snippet"]["text"].as_str();
    html! {
        li {
            article aria-labelledby=(format!("entry-{place}")) {
                div.told {
                    h3 id=(format!("entry-{place}")) {
                        span.place { (place) } " " a href=(here.entry(id)) { (title(entry, 70)) }
                    }
                    p.text { (marked(&entry["snippet"])) @if !whole { span.faint { " (a passage)" } } }
                    (about(entry, &|name| here.entity(name)))
                }
                div.score {
                    p.sum { span.faint { "score " } (number(row["score"].as_f64().unwrap_or(0.0), 3)) }
                    (parts(row, full, &format!("entry {place}")))
                    (details(row))
                }
            }
        }
    }
}

/// The way from an entry that somebody expected to why it is not here.
fn missing(here: &Here<'_>) -> Markup {
    html! {
        section.missing aria-labelledby="missing" {
            h2 #missing { "Is an entry missing?" }
            p { "Find it by a part of its text, even if it is hidden, and see why this search does not return it." }
            form.row action="entries" method="get" {
                input type="hidden" name="store" value=(here.store);
                input type="hidden" name="memory" value=(here.memory);
                input type="hidden" name="hidden" value="yes";
                (form::carried(&here.search, &[]))
                div.field.grow {
                    label for="contains" { "A part of its text" }
                    input #contains type="search" name="contains" autocomplete="off";
                }
                button { "Find it" }
            }
        }
    }
}

fn behind(here: &Here<'_>, others: &[&Value], candidates: u64, listed: usize, full: f64) -> Markup {
    html! {
        section aria-labelledby="behind" {
            h2 #behind { "Also looked at" }
            p.faint {
                (others.len()) " candidates that were not given"
                @if candidates > listed as u64 { ", of " (candidates - (listed - others.len()) as u64) }
                "."
            }
            (table(here, &others[..others.len().min(NEXT)], full, "The next"))
            @if others.len() > NEXT {
                details { summary { (others.len() - NEXT) " more" } (table(here, &others[NEXT..], full, "More")) }
            }
        }
    }
}

fn table(here: &Here<'_>, rows: &[&Value], full: f64, name: &str) -> Markup {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    html! {
        div.scroll tabindex="0" role="region" aria-label=(name) {
            table.list.behind {
                thead { tr {
                    th.number scope="col" { "Place" } th scope="col" { "Entry" } th.number scope="col" { "Score" }
                    th scope="col" { "Parts" } th scope="col" { "Why not" }
                } }
                tbody {
                    @for row in rows {
                        @let id = row["entry_id"].as_str().unwrap_or_default();
                        tr {
                            td.number { (or_dash(row["place"].as_i64().map(|place| place.to_string()))) }
                            th scope="row" {
                                a href=(here.entry(id)) { (beginning(row["entry"].as_str().unwrap_or(id), 60)) }
                            }
                            td.number { (or_dash(row["score"].as_f64().map(|score| number(score, 3)))) }
                            td.wide { @if row["score"].is_number() { (in_one_bar(row, full)) } }
                            td { (row["outcome"].as_str().unwrap_or_default()) }
                        }
                    }
                }
            }
        }
    }
}

fn diagnostics(diagnostics: &Value) -> Markup {
    let phases = diagnostics["phasesMs"].as_object();
    let total = phases.and_then(|phases| phases.get("total")).and_then(Value::as_f64).unwrap_or(0.0);
    html! {
        details.numbers {
            summary { "What the search did, in " (number(total, 1)) " ms" }
            dl {
                @for read in diagnostics["reads"].as_array().into_iter().flatten() {
                    dt { (read["relation"].as_str().unwrap_or_default()) }
                    dd {
                        "read by " (read["path"].as_str().unwrap_or_default()) ": " (read["rows"]) " rows looked at, "
                        (read["matching"]) " of them with a word of the question"
                    }
                }
                @for (phase, milliseconds) in phases.into_iter().flatten() {
                    dt { (phase) } dd { (number(milliseconds.as_f64().unwrap_or(0.0), 2)) " ms" }
                }
                @for typo in diagnostics["typos"].as_array().into_iter().flatten() {
                    dt { (typo["word"].as_str().unwrap_or_default()) }
                    dd { "taken for " (typo["takenFor"]) }
                }
            }
        }
    }
}
