//! The sources of an entry's columns: the options of the command line become the `columns` of `memory_adopt_table`.

use memory_search_client::database::statement::quoted;
use serde_json::{Map, Value};

use crate::command_line::FollowArguments;
use crate::follow::columns::Column;
use crate::follow::session::literal;

/// The mapping from the options and the table's columns.
pub fn of(arguments: &FollowArguments, table: &str, key: &[String], columns: &[Column]) -> Result<Value, String> {
    let mut mapping = match &arguments.map {
        None => Map::new(),
        Some(text) => match serde_json::from_str(text) {
            Ok(Value::Object(mapping)) => mapping,
            Ok(_) => {
                return Err("--map must be a JSON object from columns of entries to columns of the table".into());
            }
            Err(error) => return Err(format!("--map is not JSON: {error}")),
        },
    };
    let known = |name: &str| columns.iter().any(|column| column.name == name);
    let names = || columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    for (target, option, given) in [
        ("memory_id", "--memory", &arguments.memory),
        ("entry_id", "--id", &arguments.id),
        ("raw_entry", "--text", &arguments.text),
        ("summary", "--title", &arguments.title),
        ("embedding", "--embedding", &arguments.embedding),
    ] {
        let Some(given) = given else { continue };
        if !known(given) {
            return Err(format!(
                "{option}: the table has no column \"{given}\" that is copied; it has {}. Hint: give an expression by \
                 --map '{{\"{target}\": \"...\"}}'",
                names()
            ));
        }
        if mapping.insert(target.to_owned(), Value::from(given.as_str())).is_some() {
            return Err(format!("{option} and --map both define {target}"));
        }
    }
    if !mapping.contains_key("memory_id") {
        mapping.insert("memory_id".into(), Value::from(literal(table).trim()));
    }
    if !mapping.contains_key("entry_id") {
        let [id] = key else {
            return Err(format!(
                "the key of the table has several columns ({}). Hint: name by --id the column that identifies an \
                 entry within its memory",
                key.join(", ")
            ));
        };
        mapping.insert("entry_id".into(), Value::from(id.as_str()));
    }
    if !mapping.contains_key("raw_entry") {
        let taken: Vec<&str> = mapping.values().filter_map(Value::as_str).collect();
        let texts: Vec<&str> = columns
            .iter()
            .filter(|column| column.is_text() && !taken.contains(&column.name.as_str()))
            .map(|column| column.name.as_str())
            .collect();
        let [text] = texts.as_slice() else {
            return Err(format!(
                "which column is the text of an entry? Hint: --text NAME; columns with text: {}",
                if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
            ));
        };
        mapping.insert("raw_entry".into(), Value::from(*text));
    }
    Ok(Value::Object(mapping))
}

/// SQL of the text to embed for a row named `r`: its summary and its text, as for a store's own entries.
pub fn meaning(mapping: &Value, columns: &[Column]) -> String {
    let source = |target: &str| {
        mapping[target].as_str().map(|source| match columns.iter().any(|column| column.name == source) {
            true => format!("r.{}::text", quoted(source)),
            false => format!("({source})::text"),
        })
    };
    let text = source("raw_entry").unwrap_or_else(|| "NULL".into());
    match source("summary") {
        Some(summary) => format!("CASE WHEN btrim({summary}) <> '' THEN {summary} || E'\\n' || {text} ELSE {text} END"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    use crate::command_line::{Command, CommandLine};

    fn mapped(options: &[&str], columns: &[(&str, &str)]) -> Result<Value, String> {
        let words = ["memory-search", "follow", "--database", "d", "--table", "t"].iter().chain(options);
        let Command::Follow(arguments) = CommandLine::try_parse_from(words).unwrap().command else { panic!() };
        let columns: Vec<Column> = columns
            .iter()
            .map(|(name, kind)| Column {
                name: (*name).into(),
                source_type: (*kind).into(),
                follower_type: (*kind).into(),
            })
            .collect();
        of(&arguments, "t", &["id".to_owned()], &columns)
    }

    #[test]
    fn a_table_with_one_text_needs_no_option() {
        let mapping = mapped(&[], &[("id", "bigint"), ("body", "text")]).unwrap();
        assert_eq!(mapping.to_string(), r#"{"entry_id":"id","memory_id":"'t'","raw_entry":"body"}"#);
    }

    #[test]
    fn of_several_texts_one_is_asked_for() {
        let columns = [("id", "bigint"), ("tenant", "text"), ("title", "text"), ("body", "text")];
        assert!(mapped(&[], &columns).unwrap_err().contains("tenant, title, body"));
        assert!(mapped(&["--memory", "tenant", "--title", "title"], &columns).unwrap()["raw_entry"] == "body");
        assert!(mapped(&["--text", "bdy"], &columns).unwrap_err().contains("no column \"bdy\""));
    }

    #[test]
    fn an_expression_is_said_by_map_and_not_twice() {
        let columns = [("id", "bigint"), ("meta", "jsonb"), ("body", "text")];
        let map = r#"{"memory_id": "meta ->> 'tenant'"}"#;
        assert!(mapped(&["--map", map], &columns).unwrap()["memory_id"] == "meta ->> 'tenant'");
        assert!(mapped(&["--map", map, "--memory", "body"], &columns).unwrap_err().contains("both"));
        assert!(mapped(&["--map", "[]"], &columns).unwrap_err().contains("object"));
    }
}
