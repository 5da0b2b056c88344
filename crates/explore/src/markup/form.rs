//! The search form: the question first, then rarely needed fields, folded up.

use maud::{Markup, html};

use crate::asked::Asked;
use crate::search_form::{FIELDS, Field, Kind, Place};

/// The form of a search page, filled in as `asked` says.
pub fn search(store: &str, memory: &str, asked: &Asked) -> Markup {
    let narrowed = FIELDS.iter().filter(|field| asked.get(field.name).is_some()).count();
    let advanced = ["filters", "options", "embedding"].iter().any(|name| asked.get(name).is_some());
    html! {
        form.search action="search" method="get" role="search" {
            input type="hidden" name="store" value=(store);
            input type="hidden" name="memory" value=(memory);
            div.ask {
                div.field.grow {
                    label for="q" { "Question" }
                    input #q type="search" name="q" value=[asked.get("q")] autocomplete="off"
                        placeholder="as the application asks it";
                }
                div.field.small {
                    label for="k" { "Entries" }
                    input #k type="number" name="k" value=(asked.get("k").unwrap_or("5")) min="1" max="1000";
                }
                button { "Search" }
            }
            details open[narrowed > 0] {
                summary { "Filters" @if narrowed > 0 { " (" (narrowed) " set)" } }
                div.fields { @for field in &FIELDS { (input(field, asked.get(field.name))) } }
            }
            details open[advanced] {
                summary { "Advanced" }
                div.fields.wide {
                    (area("filters", "More filters, as JSON", r#"{"metadata": {"city": "Lisbon"}}"#, asked))
                    (area("options", "More options, as JSON", r#"{"preset": "default", "mmr": 0.7}"#, asked))
                    (area("embedding", "The question's embedding, where the application makes it", "[0.12, -0.03, …]",
                        asked))
                }
            }
        }
    }
}

fn input(field: &Field, value: Option<&str>) -> Markup {
    let Field { name, label, kind, place } = field;
    let key = match place {
        Place::Filter(key) | Place::Option(key) => key,
    };
    html! {
        div.field {
            @match kind {
                Kind::Check => label.tick for=(name) {
                    input id=(name) type="checkbox" name=(name) value="yes" checked[value.is_some()]; (label)
                },
                _ => {
                    label for=(name) { (label) " " span.faint { (key) } }
                    @match kind {
                        Kind::Choice(words) => select id=(name) name=(name) {
                            option value="" { "default" }
                            @for word in *words { option value=(word) selected[value == Some(*word)] { (word) } }
                            // An unknown word is shown as in the address.
                            @if let Some(other) = value.filter(|value| !words.contains(value)) {
                                option value=(other) selected { (other) }
                            }
                        },
                        Kind::Time => input id=(name) type="text" name=(name) value=[value] autocomplete="off"
                            placeholder="2025-06-30T12:00";,
                        Kind::List => input id=(name) type="text" name=(name) value=[value] autocomplete="off"
                            placeholder="hotel, food";,
                        Kind::Number => input id=(name) type="text" inputmode="decimal" name=(name) value=[value]
                            autocomplete="off";,
                        Kind::Text | Kind::Check => input id=(name) type="text" name=(name) value=[value]
                            autocomplete="off" spellcheck="false";,
                    }
                }
            }
        }
    }
}

fn area(name: &str, label: &str, example: &str, asked: &Asked) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            textarea id=(name) name=(name) rows="2" spellcheck="false" placeholder=(example) {
                (asked.get(name).unwrap_or_default())
            }
        }
    }
}

/// The values of a page's address as hidden fields of another form, except the fields that this form has itself.
pub fn carried(values: &[(&str, &str)], but: &[&str]) -> Markup {
    html! {
        @for (name, value) in values.iter().filter(|(name, _)| !but.contains(name)) {
            input type="hidden" name=(name) value=(value);
        }
    }
}
