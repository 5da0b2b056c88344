//! The reason for which a search gives an entry or not: its outcome, and its parts beside the parts of another entry.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use serde_json::Value;

use crate::markup::advice::advice;
use crate::markup::form::carried;
use crate::markup::layout::failure;
use crate::markup::parts::{PARTS, details, full_bar, number, parts};
use crate::markup::texts::beginning;
use crate::pages::here::Here;

/// The answer to "why is it not found?", and the form for another question.
pub fn why(here: &Here<'_>, id: &str, explained: Option<&Result<Value, DatabaseError>>) -> Markup {
    let question = here.asked("q");
    let heading = if question.is_some() { "Why this search gives it, or not" } else { "Would a search give it?" };
    html! {
        section.why aria-labelledby="why" {
            h2 #why { (heading) }
            form.row action="entry" method="get" role="search" {
                input type="hidden" name="store" value=(here.store);
                input type="hidden" name="memory" value=(here.memory);
                input type="hidden" name="id" value=(id);
                (carried(&here.search, &["q", "k"]))
                div.field.grow {
                    label for="q" { "Question" }
                    input #q type="search" name="q" value=[question] autocomplete="off";
                }
                div.field.small {
                    label for="k" { "Entries" }
                    input #k type="number" name="k" min="1" max="1000"
                        value=(here.asked("k").unwrap_or("5"));
                }
                button { "Why?" }
            }
            @match explained {
                None => p.faint { "Ask a question, and read what becomes of this entry." },
                Some(Err(error)) => (failure(error)),
                Some(Ok(answer)) => {
                    @let row = &answer["row"];
                    @let outcome = row["outcome"].as_str().unwrap_or_default();
                    div.outcome.(if outcome == "returned" { "good" } else { "bad" }) {
                        p.message { @if outcome == "returned" { "It is given." } @else { "Not given: " (outcome) "." } }
                        @if let (Some(place), Some(score)) = (row["place"].as_i64(), row["score"].as_f64()) {
                            p { "Place " (place) ", score " (number(score, 3)) ". " (shortfall(row, other(answer))) }
                        }
                        @if let (Some(advice), true) = (advice(outcome), outcome != "returned") { p { (advice) } }
                    }
                    @if row["score"].is_number() { (compared(here, answer)) }
                    (details(row))
                    p { a href=(here.to("search", &[])) { "All that this search gives" } }
                }
            }
        }
    }
}

/// The entry with which this one is compared: the best of the answer if this one is in the answer, else the last.
fn other(answer: &Value) -> &Value {
    let row = &answer["row"];
    let other = if row["outcome"] == "returned" { &answer["best"] } else { &answer["last"] };
    if other["entry_id"] == row["entry_id"] { &Value::Null } else { other }
}

/// The part in which the entry lacks most.
fn shortfall(row: &Value, other: &Value) -> String {
    let short = |key: &str| other[key].as_f64().unwrap_or(0.0) - row[key].as_f64().unwrap_or(0.0);
    let most = PARTS.iter().max_by(|a, b| short(a.0).total_cmp(&short(b.0)));
    match most {
        Some((key, name)) if !other.is_null() && short(key) >= 0.0005 => format!(
            "What it is short of most is {name}: {} against {}.",
            number(row[*key].as_f64().unwrap_or(0.0), 3),
            number(other[*key].as_f64().unwrap_or(0.0), 3)
        ),
        _ => String::new(),
    }
}

fn compared(here: &Here<'_>, answer: &Value) -> Markup {
    let (row, other) = (&answer["row"], other(answer));
    let full = full_bar(&[row.clone(), answer["best"].clone()]);
    let id = other["entry_id"].as_str().unwrap_or_default();
    let title = beginning(other["entry"].as_str().unwrap_or("no text"), 40);
    html! {
        div.compare {
            div { h3 { "This entry" } (parts(row, full, "this entry")) }
            @if let Some(place) = other["place"].as_i64() {
                div {
                    h3 {
                        @if row["outcome"] == "returned" { "The best, " }
                        @else { "The last that is given, place " (place) ", " }
                        a href=(here.entry(id)) { (title) }
                    }
                    (parts(other, full, &format!("the entry at place {place}")))
                }
            }
        }
    }
}
