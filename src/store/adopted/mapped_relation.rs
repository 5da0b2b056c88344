//! An application's relation whose columns are mapped to those of entries: the source of each, checked, with the type
//! that the server gives it. Adopting a table and copying one read it in the same way.

use memory_search_core::request::adopted_columns::{COLUMNS, Column, Kind, Mapping, conversion};
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::pg::{expression, notice, view};

const TYPE_OF: &str = include_str!("mapped_relation/type_of.sql");

/// A relation whose rows are entries, or become entries.
pub struct MappedRelation {
    oid: u32,
    /// Its name.
    pub name: QualifiedName,
    /// Whether it is temporary.
    pub is_temporary: bool,
    /// Its columns: the name, the name in SQL text, the type's name.
    columns: Vec<(String, QuotedIdentifier, String)>,
}

/// The source of one column of entries.
pub struct MappedColumn {
    /// The column of entries.
    pub column: Column,
    /// SQL text of the column's type.
    pub expression: String,
    /// The expression as it was written, of any type; NULL if nothing is mapped.
    pub source: String,
    /// Whether it is anything but NULL.
    pub is_mapped: bool,
    /// The type in `pg_type`; empty for NULL.
    pub type_name: String,
}

/// The relation and its columns. A relation without rows is refused (42809). `may` says what tables may be.
pub fn find(reader: &Reader<'_>, relation: u32, may: &str) -> Result<MappedRelation> {
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(relation))));
    let statement = statement.with(format!(
        "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), c.relkind::pg_catalog.text, \
                c.relpersistence::pg_catalog.text \
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
         WHERE c.oid OPERATOR(pg_catalog.=) {oid}::pg_catalog.oid"
    ));
    let found = reader
        .first(&statement, |row| Ok((QualifiedName::read(row, 1)?, row.required_text(2)?, row.required_text(3)?)))?;
    let (name, kind, persistence) = found.ok_or_else(|| {
        Error::new(ErrorKind::UndefinedTable, format!("there is no relation with the OID {relation}"))
            .hint("Name the table with its schema, for example 'app.notes'.")
    })?;
    if !["r", "p", "v", "m", "f"].contains(&kind.as_str()) {
        let what = match kind.as_str() {
            "S" => "a sequence",
            "i" | "I" => "an index",
            "c" => "a composite type",
            _ => "of another kind",
        };
        return Err(Error::new(ErrorKind::WrongObjectType, format!("{name} is no table or view but {what}"))
            .hint(format!("Tables (also partitioned and foreign ones), views and materialised views can be {may}.")));
    }
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(relation))));
    let statement = statement.with(format!(
        "SELECT a.attname::pg_catalog.text, pg_catalog.quote_ident(a.attname), t.typname::pg_catalog.text \
         FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid \
         WHERE a.attrelid OPERATOR(pg_catalog.=) {oid}::pg_catalog.oid \
           AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped ORDER BY a.attnum"
    ));
    let mut columns = Vec::new();
    reader.rows(&statement, |row| {
        columns.push((row.required_text(1)?, QuotedIdentifier::read(row, 2)?, row.required_text(3)?));
        Ok(())
    })?;
    Ok(MappedRelation { oid: relation, name, is_temporary: persistence == "t", columns })
}

/// The source of each column of entries, with the types that the server gives the expressions.
pub fn columns(
    reader: &Reader<'_>,
    relation: &MappedRelation,
    mapping: &Mapping,
    vector_schema: &QuotedIdentifier,
) -> Result<Vec<MappedColumn>> {
    let mut sources = Vec::new();
    for (column, source) in COLUMNS.iter().zip(&mapping.sources) {
        let expression = match source {
            Some(source) => Some(expression_of(relation, column, source)?),
            None if column.kind == Kind::Lexemes && !mapping.names_search_vector => only_tsvector(relation),
            None => None,
        };
        sources.push((*column, expression));
    }
    let expressions: Vec<&str> = sources.iter().filter_map(|(_, expression)| expression.as_deref()).collect();
    let types = reader.column_types(&format!("SELECT {} FROM {} LIMIT 0", expressions.join(", "), relation.name))?;
    let mut types = types.into_iter();
    let entry_id_is_ordered = |columns: &[MappedColumn]| {
        columns.iter().any(|c| c.column.name == "entry_id" && ["int8", "int4", "int2"].contains(&c.type_name.as_str()))
    };
    let mut columns: Vec<MappedColumn> = Vec::new();
    for (column, expression) in sources {
        let made = match expression {
            Some(expression) => {
                let (type_name, made_of) = type_of(reader, types.next().unwrap_or_default())?;
                let expression = made_of.map_or(expression.clone(), |base| format!("({expression})::{base}"));
                let converted = conversion(column, &expression, &type_name)?;
                let type_name =
                    if column.kind == Kind::Id && converted != expression { "text".to_owned() } else { type_name };
                MappedColumn { column, expression: converted, source: expression, is_mapped: true, type_name }
            }
            // The numbers that an application gives its rows increase with time.
            None if column.kind == Kind::Order && entry_id_is_ordered(&columns) => {
                let id = columns.iter().find(|c| c.column.name == "entry_id").map(|c| c.expression.clone());
                let expression = format!("({})::pg_catalog.int8", id.unwrap_or_default());
                MappedColumn {
                    column,
                    source: expression.clone(),
                    expression,
                    is_mapped: true,
                    type_name: "int8".to_owned(),
                }
            }
            None => {
                let full_type = null_type(column.kind, vector_schema);
                let expression = if column.kind == Kind::Order {
                    "0::pg_catalog.int8".to_owned()
                } else {
                    format!("NULL::{full_type}")
                };
                MappedColumn {
                    column,
                    expression,
                    source: "NULL".to_owned(),
                    is_mapped: false,
                    type_name: String::new(),
                }
            }
        };
        columns.push(made);
    }
    Ok(columns)
}

/// Words that look like a column's name but are values. The caller's role and schema are not among them: a row is the
/// same for every caller, and `user` is a misspelt column.
const VALUES: [&str; 8] =
    ["true", "false", "null", "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"];

/// A column's name, quoted, or a checked expression.
fn expression_of(relation: &MappedRelation, column: &Column, source: &str) -> Result<String> {
    if let Some((_, quoted, _)) = relation.columns.iter().find(|(name, _, _)| name == source) {
        return Ok(quoted.to_string());
    }
    let name = format!("columns.{}", column.name);
    let looks_like_a_name =
        source.chars().all(|c| c.is_alphanumeric() || c == '_') && !source.starts_with(|c: char| c.is_ascii_digit());
    if looks_like_a_name && !VALUES.contains(&source.to_lowercase().as_str()) {
        let names: Vec<&str> = relation.columns.iter().map(|(name, _, _)| name.as_str()).collect();
        let refusal =
            Error::new(ErrorKind::UndefinedColumn, format!("{name}: {} has no column \"{source}\"", relation.name));
        return Err(match memory_search_core::json_fields::nearest(source, &names) {
            Some(nearest) => refusal.hint(format!("Did you mean \"{nearest}\"? A constant is written \"'{source}'\".")),
            None => {
                refusal.hint(format!("Its columns are {}. A constant is written \"'{source}'\".", names.join(", ")))
            }
        });
    }
    expression::check(&name, source)?;
    Ok(format!("(\n{source}\n)"))
}

/// The table's tsvector column, if it has exactly one. A column that a view shows as null does not count, such as that
/// of a store whose words are made from texts.
fn only_tsvector(relation: &MappedRelation) -> Option<String> {
    let shown = view::columns(relation.oid);
    let is_null = |name: &str| shown.iter().any(|column| column.name == name && column.is_null);
    let mut found = relation.columns.iter().filter(|(name, _, type_name)| type_name == "tsvector" && !is_null(name));
    match (found.next(), found.next()) {
        (Some((_, quoted, _)), None) => {
            notice::inform(&format!(
                "searches read the words from the column {quoted} of {}; with \"search_vector\": null they read them \
                 from the text columns",
                relation.name
            ));
            Some(quoted.to_string())
        }
        _ => None,
    }
}

/// The name of a type; for a domain, its base type, and that as SQL.
fn type_of(reader: &Reader<'_>, oid: u32) -> Result<(String, Option<String>)> {
    let mut statement = Statement::default();
    let type_oid = statement.bind(Param::Integer(Some(i64::from(oid))));
    // format_type writes the schema unless it is on the search path, which has only pg_catalog here.
    let statement = statement.with(filled(TYPE_OF, &[("{oid}", &type_oid)]));
    reader.first(&statement, |row| Ok((row.required_text(1)?, row.text(2)?)))?.ok_or_else(|| {
        Error::new(
            ErrorKind::ChangedMeanwhile,
            format!("the type with the OID {oid} of a column was dropped meanwhile"),
        )
        .hint("Repeat the call: it reads the table's columns anew.")
    })
}

fn null_type(kind: Kind, vector_schema: &QuotedIdentifier) -> String {
    match kind {
        Kind::Id | Kind::Text => "pg_catalog.text".to_owned(),
        Kind::Texts => "pg_catalog.text[]".to_owned(),
        Kind::Json => "pg_catalog.jsonb".to_owned(),
        Kind::Importance => "pg_catalog.int2".to_owned(),
        Kind::Instant => "pg_catalog.timestamptz".to_owned(),
        Kind::Embedding => format!("{vector_schema}.halfvec"),
        Kind::Order => "pg_catalog.int8".to_owned(),
        Kind::Lexemes => "pg_catalog.tsvector".to_owned(),
    }
}
