//! Texts of a memory as people read them: times, titles, marked words, and the tags and other facts of an entry.

use maud::{Markup, html};
use memory_search_core::text::entity_key::entity_key;
use serde_json::Value;

/// An instant to the minute; an attribute of the element has all digits.
pub fn time(value: &Value) -> Markup {
    match value.as_str() {
        Some(text) if text.len() >= 16 && text.as_bytes()[10] == b'T' && text.is_ascii() => {
            html! { time datetime=(text) title=(text) { (&text[..10]) " " (&text[11..16]) } }
        }
        Some(text) if text != "-infinity" => html! { (text) },
        _ => html! { span.faint { "no time" } },
    }
}

/// A number of rows, with thin spaces between thousands.
pub fn count(value: &Value) -> Markup {
    let Some(number) = value.as_i64() else { return html! { "–" } };
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 && digit.is_ascii_digit() && !grouped.ends_with('-') {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    html! { (grouped) }
}

/// The beginning of a text, on one line.
pub fn beginning(text: &str, characters: usize) -> String {
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(characters) {
        line.truncate(end);
        line.push('…');
    }
    if line.is_empty() { "(blank)".to_owned() } else { line }
}

/// Summary or, without one, the text itself, of a row in either spelling of its columns.
pub fn title(row: &Value, characters: usize) -> String {
    let text = ["summary", "raw_entry", "rawEntry"].iter().find_map(|key| row[*key].as_str()).unwrap_or_default();
    beginning(text, characters)
}

/// A text with the characters within `ranges` marked, as the field `snippet` of a response has both.
pub fn marked(snippet: &Value) -> Markup {
    let text: Vec<char> = snippet["text"].as_str().unwrap_or_default().chars().collect();
    let mut pieces: Vec<(bool, String)> = Vec::new();
    let mut done = 0;
    for range in snippet["ranges"].as_array().into_iter().flatten() {
        let end = |place: usize| range[place].as_u64().and_then(|end| usize::try_from(end).ok());
        let (Some(from), Some(to)) = (end(0), end(1)) else { continue };
        if from < done || to < from || to > text.len() {
            continue;
        }
        pieces.push((false, text[done..from].iter().collect()));
        pieces.push((true, text[from..to].iter().collect()));
        done = to;
    }
    pieces.push((false, text[done..].iter().collect()));
    html! { @for (hit, piece) in &pieces { @if *hit { mark { (piece) } } @else { (piece) } } }
}

/// The time, author, source, entities and tags of a row, in either spelling of its columns. `page_of` returns the
/// address of an entity's page.
pub fn about(row: &Value, page_of: &dyn Fn(&str) -> String) -> Markup {
    let field = |snake: &str, camel: &str| {
        let value = if row[snake].is_null() { &row[camel] } else { &row[snake] };
        value.clone()
    };
    let tags = row["tags"].as_array().cloned().unwrap_or_default();
    let labelled = [
        ("user", field("user_id", "userId")),
        ("agent", field("agent_id", "agentId")),
        ("session", field("session_id", "sessionId")),
        ("source", field("source_type", "sourceType")),
        ("importance", row["importance"].clone()),
    ];
    html! {
        ul.about aria-label="About the entry" {
            li { (time(&field("creation_time", "creationTime"))) }
            @for (label, value) in &labelled {
                @match value {
                    Value::String(text) => li { span.faint { (label) " " } (beginning(text, 60)) },
                    Value::Number(number) => li { span.faint { (label) " " } (number) },
                    _ => {}
                }
            }
            (entities(&row["entities"], page_of))
            @for tag in tags.iter().filter_map(Value::as_str) { li.tag { "#" (beginning(tag, 60)) } }
        }
    }
}

/// The names of entities as items of a list, each a link to its page; one that no other can be compared with has none.
pub fn entities(names: &Value, page_of: &dyn Fn(&str) -> String) -> Markup {
    html! {
        @for name in names.as_array().into_iter().flatten().filter_map(Value::as_str) {
            li.entity {
                @if entity_key(name).is_some() { a href=(page_of(name)) { (beginning(name, 60)) } }
                @else { (beginning(name, 60)) }
            }
        }
    }
}

/// The reasons for which searches do not see a row, each in a word.
pub fn hidden(row: &Value) -> Markup {
    html! {
        @if !row["deletion_scheduled_time"].is_null() { span.badge { "deleted" } " " }
        @if !row["superseded_by"].is_null() { span.badge { "corrected" } " " }
        @if row["expired"] == true { span.badge { "expired" } " " }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn marks_stand_around_whole_characters_and_nothing_passes_unescaped() {
        let snippet = json!({"text": "ä<b>né", "ranges": [[1, 4], [3, 9], [5, 6]]});
        assert_eq!(marked(&snippet).into_string(), "ä<mark>&lt;b&gt;</mark>n<mark>é</mark>");
    }

    #[test]
    fn a_long_title_is_cut_between_characters_and_a_blank_one_is_named() {
        assert_eq!(beginning("ä  ö\nü", 3), "ä ö…");
        assert_eq!(beginning(" \n", 3), "(blank)");
    }

    #[test]
    fn thousands_are_separated() {
        for (number, text) in [(7, "7"), (-1, "-1"), (1234, "1\u{202f}234"), (-123_456, "-123\u{202f}456")] {
            assert_eq!(count(&json!(number)).into_string(), text);
        }
    }
}
