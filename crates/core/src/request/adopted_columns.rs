//! The mapping of a table's columns to the columns of a store: the `columns` argument of `memory_adopt_table`, and the
//! types that each column of a store accepts.

use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::IdKind;
use crate::json_fields::Fields;

/// A column of a store's `entries`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: Kind,
}

/// The kind of a column's values; decides which types it can be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An id; uuid and integers keep their type, so that an index on them can be used.
    Id,
    /// Text.
    Text,
    /// A list of texts.
    Texts,
    /// A JSON object.
    Json,
    /// A number within [`bounds_and_defaults::IMPORTANCE`].
    Importance,
    /// An instant.
    Instant,
    /// pgvector's vector or halfvec.
    Embedding,
    /// A number that distinguishes entries of the same instant.
    Order,
    /// Lexemes.
    Lexemes,
}

/// The columns of `entries` that searches read, in their order.
pub const COLUMNS: &[Column] = &[
    Column { name: "memory_id", kind: Kind::Id },
    Column { name: "entry_id", kind: Kind::Id },
    Column { name: "user_id", kind: Kind::Text },
    Column { name: "agent_id", kind: Kind::Text },
    Column { name: "session_id", kind: Kind::Text },
    Column { name: "raw_entry", kind: Kind::Text },
    Column { name: "summary", kind: Kind::Text },
    Column { name: "context", kind: Kind::Text },
    Column { name: "tags", kind: Kind::Texts },
    Column { name: "entities", kind: Kind::Texts },
    Column { name: "metadata", kind: Kind::Json },
    Column { name: "source_type", kind: Kind::Text },
    Column { name: "importance", kind: Kind::Importance },
    Column { name: "creation_time", kind: Kind::Instant },
    Column { name: "deletion_scheduled_time", kind: Kind::Instant },
    Column { name: "expires_at", kind: Kind::Instant },
    Column { name: "valid_from", kind: Kind::Instant },
    Column { name: "valid_until", kind: Kind::Instant },
    Column { name: "superseded_by", kind: Kind::Text },
    Column { name: "superseded_time", kind: Kind::Instant },
    Column { name: "embedding", kind: Kind::Embedding },
    Column { name: "embedding_model", kind: Kind::Text },
    Column { name: "entry_order", kind: Kind::Order },
    Column { name: "search_vector", kind: Kind::Lexemes },
];

/// The required columns: without them nothing can be searched or named.
const REQUIRED: [&str; 3] = ["memory_id", "entry_id", "raw_entry"];

/// The column that distinguishes entries in a store's own table; entries of an adopted table have their ids.
const KEY_OF_OWN_ENTRIES: &str = "entry_key";

/// The expression for each column of a store.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// In the order of [`COLUMNS`]: a column's name or an SQL expression; `None` is null.
    pub sources: Vec<Option<String>>,
    /// Whether `search_vector` was given, even as null.
    pub names_search_vector: bool,
}

impl Mapping {
    /// Parses the JSON text of `columns`: an object from the store's columns to the table's.
    pub fn parse(text: &str) -> Result<Self> {
        let mut fields = Fields::parse("columns", text)?;
        let names_search_vector = fields.holds("search_vector");
        let sources =
            COLUMNS.iter().map(|column| fields.take_text(column.name)).collect::<Result<Vec<Option<String>>>>()?;
        // It would be answered with the column of the nearest name, which is not what is meant.
        if fields.holds(KEY_OF_OWN_ENTRIES) {
            return Err(Error::invalid(format!("columns has no \"{KEY_OF_OWN_ENTRIES}\"")).hint(
                "Map a column that identifies the table's rows to entry_id: memory_import_table() makes it their \
                 entry_key.",
            ));
        }
        fields.finish()?;
        for (column, source) in COLUMNS.iter().zip(&sources) {
            match source {
                Some(source) if source.trim().is_empty() => {
                    return Err(Error::invalid(format!("columns.{} is empty", column.name))
                        .hint("Name a column or an SQL expression, or leave the key out."));
                }
                None if REQUIRED.contains(&column.name) => {
                    return Err(Error::new(ErrorKind::NullArgument, format!("columns lacks \"{}\"", column.name))
                        .hint("memory_id, entry_id and raw_entry are needed; a constant is written \"'all'\"."));
                }
                _ => {}
            }
        }
        Ok(Mapping { sources, names_search_vector })
    }
}

/// The conversion of an expression of a type to a column of a kind, or the reason why there is none. `type_name` is the
/// name of a base type in `pg_type`.
pub fn conversion(column: Column, expression: &str, type_name: &str) -> Result<String> {
    let refused = |expected: &str, hint: &str| {
        let refusal = format!("columns.{} must be {expected}, not {type_name}", column.name);
        Err(Error::new(ErrorKind::WrongType, refusal).hint(hint))
    };
    let cast = |to: &str| Ok(format!("({expression})::pg_catalog.{to}"));
    let plain = || Ok(expression.to_owned());
    let (least, most) = (bounds_and_defaults::IMPORTANCE.start(), bounds_and_defaults::IMPORTANCE.end());
    match (column.kind, type_name) {
        (Kind::Id, name) if IdKind::of_type(name).is_some() => plain(),
        (Kind::Text, "text") => plain(),
        // The text of a json value would have its quotes: `->` was written instead of `->>`.
        (Kind::Id | Kind::Text, "json" | "jsonb") => refused(
            "text",
            "Take the text of a JSON value by ->> (or #>>); the JSON text itself by (expression)::text.",
        ),
        (Kind::Id | Kind::Text, _) => cast("text"),
        (Kind::Texts, "_text") => plain(),
        (Kind::Texts, "_varchar" | "_bpchar" | "_name") => cast("_text"),
        (Kind::Texts, "json" | "jsonb") => refused(
            "text[]",
            &format!(
                "Convert a JSON array: \"tags\": \"ARRAY(SELECT pg_catalog.{type_name}_array_elements_text(column))\"."
            ),
        ),
        (Kind::Texts, name) if name.starts_with('_') => {
            refused("text[]", "Cast the array: (column)::pg_catalog.text[].")
        }
        (Kind::Texts, "text" | "varchar") => {
            refused("text[]", "Make an array of texts: pg_catalog.string_to_array(column, ',').")
        }
        (Kind::Texts, _) => refused("text[]", "Make an array of one text: ARRAY[(column)::pg_catalog.text]."),
        (Kind::Json, "jsonb") => plain(),
        (Kind::Json, "json") => cast("jsonb"),
        // jsonb_build_object() is stable, and no index holds its result.
        (Kind::Json, _) => refused(
            "jsonb or json",
            "Build an object of texts: pg_catalog.jsonb_object(ARRAY['name', (column)::text]).",
        ),
        (Kind::Importance, "int2" | "int4" | "int8" | "float4" | "float8" | "numeric") => Ok(format!(
            "(CASE WHEN ({expression}) IS NOT NULL THEN \
               GREATEST({least}, LEAST({most}, pg_catalog.round(({expression})::pg_catalog.numeric))) END)::pg_catalog.int2"
        )),
        (Kind::Importance, name) if !["text", "varchar", "bpchar"].contains(&name) => refused(
            &format!("a number from {least} to {most}"),
            "Give a number for each value: CASE column WHEN 'high' THEN 90 WHEN 'low' THEN 10 ELSE 50 END.",
        ),
        (Kind::Importance, _) => {
            refused(&format!("a number from {least} to {most}"), "Cast a text of digits: (column)::pg_catalog.int2.")
        }
        (Kind::Instant, "timestamptz") => plain(),
        (Kind::Instant, "timestamp" | "date") => cast("timestamptz"),
        (Kind::Instant, "int4" | "int8" | "float8" | "numeric") => {
            refused("a time", "Convert seconds since 1970: pg_catalog.to_timestamp(column).")
        }
        (Kind::Instant, "bool") => refused(
            "a time",
            "Give a time to the rows that the column is true of: CASE WHEN column THEN '-infinity'::pg_catalog.timestamptz \
             END.",
        ),
        (Kind::Instant, _) => refused("a time", "Cast it: (column)::pg_catalog.timestamptz."),
        (Kind::Embedding, "vector" | "halfvec") => plain(),
        (Kind::Embedding, _) => refused(
            "a vector or a halfvec",
            "Cast it to pgvector's type with its schema: (column)::public.vector(384).",
        ),
        (Kind::Order, "int8") => plain(),
        (Kind::Order, "int2" | "int4") => cast("int8"),
        (Kind::Order, _) => refused("a whole number", "Cast a text of digits: (column)::pg_catalog.int8."),
        (Kind::Lexemes, "tsvector") => plain(),
        (Kind::Lexemes, _) => {
            refused("a tsvector", "Leave it out: searches then read the words from the mapped text columns.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_needs_a_memory_an_id_and_a_text() {
        let mapping = Mapping::parse(r#"{"memory_id": "'all'", "entry_id": "id", "raw_entry": "body"}"#).unwrap();
        assert_eq!(mapping.sources[0].as_deref(), Some("'all'"));
        assert_eq!(mapping.sources[2], None);
        let refusal = Mapping::parse(r#"{"entry_id": "id", "raw_entry": "body"}"#).unwrap_err();
        assert!(refusal.message.contains("memory_id"), "{refusal}");
        assert_eq!(refusal.kind, ErrorKind::NullArgument);
    }

    #[test]
    fn a_misspelt_column_is_answered_with_the_nearest_one() {
        let refusal =
            Mapping::parse(r#"{"memory_id": "a", "entry_id": "b", "raw_entry": "c", "sumary": "d"}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"summary\"?"));
        assert!(Mapping::parse(r#"{"memory_id": " ", "entry_id": "b", "raw_entry": "c"}"#).is_err());
    }

    #[test]
    fn the_key_of_an_entry_is_answered_with_what_to_map_instead() {
        let refusal =
            Mapping::parse(r#"{"memory_id": "a", "entry_id": "b", "raw_entry": "c", "entry_key": "d"}"#).unwrap_err();
        assert!(refusal.hint.is_some_and(|hint| hint.contains("entry_id")));
    }

    #[test]
    fn an_id_keeps_a_type_that_an_index_serves_and_becomes_text_otherwise() {
        let id = COLUMNS[1];
        assert_eq!(conversion(id, "\"id\"", "int8").unwrap(), "\"id\"");
        assert_eq!(conversion(id, "\"id\"", "varchar").unwrap(), "(\"id\")::pg_catalog.text");
    }

    #[test]
    fn a_type_that_does_not_fit_is_refused_with_what_does() {
        for (name, type_name, part) in [
            ("tags", "jsonb", "jsonb_array_elements_text"),
            ("creation_time", "int8", "to_timestamp"),
            ("embedding", "_float4", "vector"),
            ("search_vector", "text", "Leave it out"),
        ] {
            let column = *COLUMNS.iter().find(|column| column.name == name).unwrap();
            let refusal = conversion(column, "x", type_name).unwrap_err();
            assert_eq!(refusal.kind, ErrorKind::WrongType);
            assert!(refusal.hint.unwrap().contains(part));
        }
    }
}
