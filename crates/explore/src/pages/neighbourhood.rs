//! The neighbourhood of an entry: the entries that links lead to, as a picture, and as a table with the same contents.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use serde_json::Value;

use crate::markup::graph::{Node, graph, letter};
use crate::markup::parts::number;
use crate::markup::texts::{beginning, title};
use crate::pages::here::Here;
use crate::pages::links::unread;
use crate::statements::links::{DEPTH, MOST_RELATED};

/// The neighbourhood; empty if the entry has no links. It shows an error only if `linked`, the links of the page, do
/// not show one already.
pub fn neighbourhood(
    here: &Here<'_>,
    entry: &Value,
    linked: &Result<Value, DatabaseError>,
    read: &Result<Value, DatabaseError>,
) -> Markup {
    let content = match (read, linked) {
        (Ok(rows), _) => match rows.as_array().map(Vec::as_slice).unwrap_or_default() {
            [] => return html! {},
            rows => shown(here, entry, rows),
        },
        (Err(error), Ok(_)) => unread(error, "links"),
        (Err(_), Err(_)) => return html! {},
    };
    html! { section aria-labelledby="neighbourhood" { h2 #neighbourhood { "Neighbourhood" } (content) } }
}

fn shown(here: &Here<'_>, entry: &Value, rows: &[Value]) -> Markup {
    let found = Neighbourhood::of(entry, rows);
    html! {
            p.lead {
                "The entries that links lead to, in either direction, over at most " (DEPTH) " links. The square is this "
                "entry; a circle is one link away, a diamond two. A letter is the kind of a link. The table explains the "
                "numbers and letters."
            }
            @if rows.iter().any(|row| row["is_cut"] == true) {
                p.notice { "There are more: only the " (MOST_RELATED) " nearest are shown, the heaviest first." }
            }
            div.neighbourhood {
                div.scroll tabindex="0" role="region" aria-label="The picture" {
                    (graph("map", "The neighbourhood of this entry", &found.description(), &found.nodes))
                }
                (table(here, &found, rows))
            }
    }
}

/// The entries of a picture and the kinds of their links.
struct Neighbourhood {
    nodes: Vec<Node>,
    /// In the order in which they come.
    kinds: Vec<String>,
    /// The entry in the middle: the entry of the page, or the one that corrects it.
    middle: String,
    title: String,
}

impl Neighbourhood {
    fn of(entry: &Value, rows: &[Value]) -> Self {
        let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        // All entries one link away are reached from the middle.
        let middle = text(&rows[0], "via");
        let is_entry = entry["entry_id"] == middle.as_str();
        let own = if is_entry { title(entry, 80) } else { "the entry that corrects this one".to_owned() };
        let mut ids = vec![middle.clone()];
        let mut kinds: Vec<String> = Vec::new();
        let mut nodes = vec![Node { hops: 0, via: 0, letter: String::new(), title: own.clone() }];
        for row in rows {
            let kind = text(row, "kind");
            let known = kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
            let via = ids.iter().position(|id| row["via"] == id.as_str()).unwrap_or(0);
            nodes.push(Node { hops: nodes[via].hops + 1, via, letter: letter(known), title: title(row, 80) });
            ids.push(text(row, "entry_id"));
        }
        Neighbourhood { nodes, kinds, middle, title: own }
    }

    fn description(&self) -> String {
        let away = |hops: usize| self.nodes.iter().filter(|node| node.hops == hops).count();
        let kinds: Vec<String> =
            self.kinds.iter().enumerate().map(|(at, kind)| format!("{} {kind}", letter(at))).collect();
        let far: Vec<String> = (1..=DEPTH).map(|hops| format!("{} at {hops}", away(hops))).collect();
        format!(
            "Entries on rings by the number of links from this entry: {}. Kinds: {}. The table has the same entries.",
            far.join(", "),
            beginning(&kinds.join(", "), 400)
        )
    }
}

fn table(here: &Here<'_>, found: &Neighbourhood, rows: &[Value]) -> Markup {
    html! {
        div.scroll.says tabindex="0" role="region" aria-label="The picture as a table" {
            table.list {
                thead { tr {
                    th.number scope="col" { "Number" } th scope="col" { "Entry" } th.number scope="col" { "Away" }
                    th scope="col" { "Kind" } th.number scope="col" { "By way of" } th.number scope="col" { "Weight" }
                } }
                tbody {
                    tr {
                        td.number { "0" }
                        th scope="row" { a href=(here.entry(&found.middle)) { (found.title) } }
                        td.number { "0" } td { "–" } td.number { "–" } td.number { "–" }
                    }
                    @for (place, (row, node)) in rows.iter().zip(&found.nodes[1..]).enumerate() {
                        tr {
                            td.number { (place + 1) }
                            th scope="row" {
                                a href=(here.entry(row["entry_id"].as_str().unwrap_or_default())) { (node.title) }
                            }
                            td.number { (node.hops) }
                            td {
                                span.letter { (node.letter) } " "
                                (beginning(row["kind"].as_str().unwrap_or_default(), 60))
                            }
                            td.number { (node.via) }
                            td.number { (number(row["weight"].as_f64().unwrap_or(0.0), 3)) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(id: &str, hops: usize, via: &str, kind: &str) -> Value {
        json!({"entry_id": id, "hops": hops, "via": via, "kind": kind, "raw_entry": id, "weight": 1})
    }

    #[test]
    fn an_entry_stands_behind_the_one_from_which_it_is_reached_and_a_kind_has_one_letter() {
        let rows = [row("b", 1, "a", "because"), row("c", 1, "a", "x"), row("d", 2, "c", "because")];
        let found = Neighbourhood::of(&json!({"entry_id": "a", "raw_entry": "A"}), &rows);
        let told: Vec<_> = found.nodes.iter().map(|node| (node.hops, node.via, node.letter.as_str())).collect();
        assert_eq!(told, [(0, 0, ""), (1, 0, "a"), (1, 0, "b"), (2, 2, "a")]);
        assert_eq!((found.title.as_str(), found.kinds), ("A", vec!["because".to_owned(), "x".to_owned()]));
    }

    #[test]
    fn the_correction_of_a_corrected_entry_is_in_the_middle() {
        let found = Neighbourhood::of(&json!({"entry_id": "old", "raw_entry": "A"}), &[row("b", 1, "new", "x")]);
        assert_eq!((found.middle.as_str(), found.title.as_str()), ("new", "the entry that corrects this one"));
    }
    #[test]
    fn an_error_is_shown_once_and_no_links_are_no_section() {
        let here = Here { store: "s", memory: "m", search: Vec::new() };
        let late = || Err(DatabaseError::refused("57014", "statement timeout", ""));
        let page = |linked, read| neighbourhood(&here, &Value::Null, &linked, &read).into_string();
        assert!(page(Ok(json!([])), late()).contains("statement timeout"));
        assert_eq!(page(late(), late()), "", "the links say it");
        assert_eq!(page(Ok(json!([])), Ok(json!([]))), "");
    }
}
