//! The links of an entry, from it and to it; links to its sources are separate.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use serde_json::Value;

use crate::markup::layout::failure;
use crate::markup::parts::number;
use crate::markup::texts::{beginning, time, title};
use crate::pages::here::Here;
use crate::statements::links::MOST_LINKS;

/// The kind of a link from an entry to its source.
const DERIVED: &str = "derived_from";

/// The links of an entry, or a sentence with the reason for which there are none.
pub fn links(here: &Here<'_>, entry: &Value, read: &Result<Value, DatabaseError>) -> Markup {
    html! {
        section aria-labelledby="links" {
            h2 #links { "Links" }
            @match read {
                Err(error) => (unread(error, "links")),
                Ok(rows) => {
                    @let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
                    (of_correction(here, entry))
                    @if rows.is_empty() {
                        p.faint {
                            @if is_hidden(entry) { "Links of an entry that is deleted or expired are hidden." }
                            @else { "No link that holds now leads from this entry or to it." }
                        }
                    }
                    @for (id, heading, way, derived) in [
                        ("sources", "Sources", "from", true),
                        ("derived", "Derived entries", "to", true),
                        ("from-here", "Links from this entry", "from", false),
                        ("to-here", "Links to this entry", "to", false),
                    ] {
                        @let of_part = rows_of(rows, way, derived);
                        @if !of_part.is_empty() { h3 id=(id) { (heading) } (table(here, id, &of_part)) }
                    }
                    @if ["from", "to"].iter().any(|way| is_cut(rows, way)) {
                        p.notice { "There are more: of each way only the " (MOST_LINKS) " heaviest links are shown." }
                    }
                }
            }
        }
    }
}

/// The sentence for links or other names that cannot be read. The rest of the page is shown all the same.
pub fn unread(error: &DatabaseError, what: &str) -> Markup {
    match error.code() {
        "55000" => html! {
            p.notice {
                "This store has no " (what) ": an older version made it. Its page Health has the SQL that adds them."
            }
        },
        "42501" => html! { p.notice { "This role may not read the " (what) " of this store." } },
        _ => failure(error),
    }
}

/// The links of a corrected entry are those of its correction.
pub fn of_correction(here: &Here<'_>, entry: &Value) -> Markup {
    html! {
        @if let Some(correction) = entry["superseded_by"].as_str() {
            p.faint {
                "A correction takes over the links of the entry that it corrects. These are the links of "
                a href=(here.entry(correction)) { "the entry that corrects this one" } "."
            }
        }
    }
}

fn is_hidden(entry: &Value) -> bool {
    !entry["deletion_scheduled_time"].is_null() || entry["expired"] == true
}

/// The rows of one direction, at most as many as are shown: the links to sources, or the others.
fn rows_of<'a>(rows: &'a [Value], way: &str, derived: bool) -> Vec<&'a Value> {
    let of_way = rows.iter().filter(|row| row["way"] == way).take(MOST_LINKS);
    of_way.filter(|row| (row["kind"] == DERIVED) == derived).collect()
}

fn is_cut(rows: &[Value], way: &str) -> bool {
    rows.iter().filter(|row| row["way"] == way).count() > MOST_LINKS
}

fn table(here: &Here<'_>, id: &str, rows: &[&Value]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby=(id) {
            table.list {
                thead { tr {
                    th scope="col" { "Entry" } th scope="col" { "Kind" } th.number scope="col" { "Weight" }
                    th scope="col" { "Holds" }
                } }
                tbody {
                    @for row in rows {
                        tr {
                            th scope="row" {
                                a href=(here.entry(row["other"].as_str().unwrap_or_default())) { (title(row, 120)) }
                            }
                            td { (beginning(row["kind"].as_str().unwrap_or_default(), 60)) }
                            td.number { (number(row["weight"].as_f64().unwrap_or(0.0), 3)) }
                            td { (holds(row)) }
                        }
                    }
                }
            }
        }
    }
}

/// The interval in which a link holds.
fn holds(row: &Value) -> Markup {
    let (from, until) = (&row["valid_from"], &row["valid_until"]);
    html! {
        @if !from.is_null() { "from " (time(from)) }
        @if !from.is_null() && !until.is_null() { " " }
        @if !until.is_null() { "until " (time(until)) }
        @if from.is_null() && until.is_null() { "always" }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(way: &str, kind: &str) -> Value {
        json!({"way": way, "kind": kind})
    }

    #[test]
    fn links_to_sources_are_apart_from_derived_entries_and_other_links() {
        let rows = [row("from", DERIVED), row("from", "because"), row("to", DERIVED)];
        let kinds = |way, derived| rows_of(&rows, way, derived).len();
        assert_eq!((kinds("from", true), kinds("from", false), kinds("to", true), kinds("to", false)), (1, 1, 1, 0));
    }

    #[test]
    fn it_is_reported_that_there_are_more_links() {
        let mut rows = vec![row("to", "x"); MOST_LINKS];
        assert!(!is_cut(&rows, "to"));
        rows.push(row("to", "x"));
        assert!(is_cut(&rows, "to") && !is_cut(&rows, "from") && rows_of(&rows, "to", false).len() == MOST_LINKS);
    }
}
