//! A search in a terminal: the contents of the page of a search, as lines.

use std::io::Write;

use clap::Args;
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use serde_json::Value;

use crate::asked::Asked;
use crate::markup::advice::advice;
use crate::markup::parts::{PARTS, number};
use crate::markup::texts::title;
use crate::search_form::Search;
use crate::statements;

/// The arguments of a command line: a search, and the form of its output.
#[derive(Debug, Args)]
pub struct TerminalSearch {
    /// The memory
    pub memory: String,
    /// The question, as the application asks it
    pub question: String,
    /// How many entries
    #[arg(short, long, value_name = "N", default_value_t = 5)]
    pub k: u32,
    /// Filters, a JSON object
    #[arg(long, value_name = "JSON")]
    pub filters: Option<String>,
    /// Options, a JSON object
    #[arg(long, value_name = "JSON")]
    pub options: Option<String>,
    /// Why the search gives this entry, or does not
    #[arg(long, value_name = "ENTRY_ID", conflicts_with = "json")]
    pub why: Option<String>,
    /// Prints the response of memory_search instead
    #[arg(long)]
    pub json: bool,
}

/// Prints the entries of a search, or the reason for which it does not give an entry.
pub async fn search(reading: Reading, arguments: &TerminalSearch) -> Result<(), String> {
    let text = found(&reading, arguments).await.map_err(|error| error.to_string())?;
    // The reader may have gone, as `head` does.
    let _ = writeln!(std::io::stdout().lock(), "{}", text.trim_end());
    Ok(())
}

async fn found(reading: &Reading, arguments: &TerminalSearch) -> Result<String, DatabaseError> {
    let k = arguments.k.to_string();
    let asked = Asked::of(&[
        ("q", &arguments.question),
        ("k", &k),
        ("filters", arguments.filters.as_deref().unwrap_or_default()),
        ("options", arguments.options.as_deref().unwrap_or_default()),
    ]);
    let Some(search) = Search::of(&asked)? else {
        return Err(DatabaseError::refused("22023", "the question is blank", "Ask as the application asks."));
    };
    let store = match reading.only_store() {
        Some(store) => store.to_owned(),
        None => reading.of_catalogs(&statements::default_store()).await?.as_str().unwrap_or_default().to_owned(),
    };
    let memory = &arguments.memory;
    if let Some(id) = &arguments.why {
        let answer = reading.of_store(&store, &statements::explain(&store, memory, &search, id)).await?;
        return Ok(why(&answer["row"]));
    }
    if arguments.json {
        // Here options for the form of the answer have an effect.
        let options = arguments.options.clone().unwrap_or_else(|| search.options.clone());
        let search = Search { options, ..search };
        let answer = reading.of_store(&store, &statements::response(&store, memory, &search)).await?;
        return Ok(answer.as_str().unwrap_or_default().to_owned());
    }
    let answer = reading.of_store(&store, &statements::search(&store, memory, &search)).await?;
    let left_out = match search.left_out.as_slice() {
        [] => String::new(),
        options => format!("Left out of the options, as they shape an answer: {}.\n\n", options.join(", ")),
    };
    Ok(left_out + &lines(&answer))
}

fn lines(answer: &Value) -> String {
    let rows = answer["explained"].as_array().map(Vec::as_slice).unwrap_or_default();
    let entries = answer["found"]["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut text = String::new();
    for (place, row) in rows.iter().filter(|row| row["outcome"] == "returned").enumerate() {
        let entry = entries.iter().find(|entry| entry["entryId"] == row["entry_id"]).unwrap_or(row);
        text += &format!("{}. {}\n", place + 1, harmless(&title(entry, 100)));
        if !entry["summary"].is_null() {
            text += &format!("   {}\n", harmless(entry["snippet"]["text"].as_str().unwrap_or_default()));
        }
        text += &format!("   {}\n   {}\n\n", parts(row), row["entry_id"].as_str().unwrap_or_default());
    }
    if text.is_empty() {
        let why = rows.first().and_then(|row| row["outcome"].as_str()).unwrap_or("no candidate");
        return format!("Nothing was found: {}.", harmless(why));
    }
    text
}

fn why(row: &Value) -> String {
    let outcome = row["outcome"].as_str().unwrap_or_default();
    let mut text = format!("{}\n", harmless(outcome));
    if row["score"].is_number() {
        text += &format!("place {}: {}\n", row["place"], parts(row));
    }
    text + advice(outcome).unwrap_or_default()
}

fn parts(row: &Value) -> String {
    let value = |key: &str| number(row[key].as_f64().unwrap_or(0.0), 3);
    let parts: Vec<String> = PARTS.iter().map(|(key, name)| format!("{name} {}", value(key))).collect();
    format!("score {} = {}", value("score"), parts.join(" + "))
}

/// A stored text must not control the terminal.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_stored_text_cannot_speak_to_the_terminal() {
        let row = json!({"outcome": "returned", "entry_id": "e", "score": 0.5, "semantic": 0.5});
        let entry = json!({"entryId": "e", "summary": "a\u{1b}[2J", "snippet": {"text": "b\u{9b}31m\nc"}});
        let text = lines(&json!({"explained": [row], "found": {"entries": [entry]}}));
        assert!(!text.contains(['\u{1b}', '\u{9b}']) && text.contains("b 31m c"), "{text}");
        assert!(text.contains("score 0.500 = meaning 0.500 + words 0.000"));
    }

    #[test]
    fn a_search_without_an_entry_prints_the_reason() {
        let answer = json!({"explained": [{"outcome": "of 5 entries, userId removes 5"}], "found": {"entries": []}});
        assert_eq!(lines(&answer), "Nothing was found: of 5 entries, userId removes 5.");
    }
}
