//! Makes a store over a table or view that is there already: a view with the store's column names in
//! the place of `entries`. Nothing is copied, and the table gets no trigger and no column. The view
//! runs as whoever searches (`security_invoker`), so that the table's privileges and policies hold.

use memory_search_core::ids::IdKind;
use memory_search_core::request::adopted_columns::{COLUMNS, Column, Kind, Mapping, conversion};
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::pg::{expression, notice, view};
use crate::store::create;
use crate::store::definition::key::{self, KeyColumn};
use crate::store::definition::text_preparation::Preparation;
use crate::store::definition::{self, IdTypes};
use crate::store::relations::{EntryTexts, Relations};
use crate::store::words_functions;

const TYPE_OF: &str = include_str!("adopt/type_of.sql");

/// The name of the generated column that memory_doctor() proposes for the words of an adopted table; where it is taken,
/// a number follows.
pub const WORDS_COLUMN: &str = "memory_words";

/// A relation to adopt.
struct Adopted {
    name: QualifiedName,
    /// Its columns: the name, the name in SQL text, the type's name.
    columns: Vec<(String, QuotedIdentifier, String)>,
}

/// One column of the view.
struct ViewColumn {
    column: Column,
    /// SQL text of the column's type.
    expression: String,
    /// Whether it is more than NULL.
    is_mapped: bool,
    /// The type in `pg_type`; empty for NULL.
    type_name: String,
}

/// Makes the store `name` over the relation with this OID.
pub fn adopt_table(name: &StoreName, relation: u32, columns: &str, language: &str) -> Result<()> {
    name.check_length()?;
    let mapping = Mapping::parse(columns)?;
    let entry_id =
        COLUMNS.iter().position(|column| column.name == "entry_id").and_then(|p| mapping.sources[p].as_deref());
    let (view, mut relations, ids, exists, is_key) = spi::read(|reader| {
        let adopted = adoptable(reader, relation)?;
        let schema = QuotedIdentifier::of(reader, name)?;
        let exists = create::schema_exists(reader, name)?;
        let language = create::language_literal(reader, language)?;
        let vector_schema = definition::vector_schema(reader)?;
        let mapped = view_columns(reader, &adopted, &mapping, &vector_schema)?;
        let of = |name: &str| mapped.iter().find(|column| column.column.name == name).filter(|column| column.is_mapped);
        let own_lexemes = of("search_vector").is_none();
        let relations = Relations {
            schema,
            embedding_type: String::new(),
            language,
            has_memory_index: false,
            // The words of an existing column were not prepared, so those of a query must not be.
            // With parts the expression of an index is longer than its row in the catalog may be before PostgreSQL 18.
            preparation: if own_lexemes { Preparation::WithoutParts } else { Preparation::None },
            has_words_functions: words_functions::can_be_made(reader)?,
            partitions: None,
        };
        let id_kind = |name| of(name).and_then(|column| IdKind::of_type(&column.type_name)).unwrap_or(IdKind::Text);
        let ids = IdTypes { memory: id_kind("memory_id"), entry: id_kind("entry_id") };
        let view = definition(&relations, &adopted, &mapped, own_lexemes);
        let is_key = key::is_key(reader, relation, &KeyColumn::Named(entry_id.unwrap_or_default()))?;
        Ok((view, relations, ids, exists, is_key))
    })?;
    spi::write(|writer| {
        if !exists {
            writer.define(&format!("CREATE SCHEMA {}", relations.schema))?;
        }
        writer.define(&view)?;
        refuse_sets(writer, &relations.schema)?;
        relations.embedding_type = embedding_type(writer, &relations.schema)?;
        writer.define(&relations.contexts(false))?;
        writer.define(&relations.entry_access(ids, false))?;
        if is_key { Ok(()) } else { warn_of_ids(writer, &relations.schema) }
    })
}

/// Warns where rows have no id, or that of another row of their memory: such rows vanish from answers.
fn warn_of_ids(writer: &mut Writer<'_>, schema: &QuotedIdentifier) -> Result<()> {
    let statement = Statement::default().with(format!(
        "SELECT EXISTS (SELECT FROM {schema}.entries e WHERE e.entry_id IS NULL OR e.memory_id IS NULL), \
           EXISTS (SELECT FROM {schema}.entries e WHERE e.entry_id IS NOT NULL GROUP BY e.memory_id, e.entry_id \
             HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1)"
    ));
    let found = writer.only(&statement, |row| Ok((row.boolean(1) == Some(true), row.boolean(2) == Some(true))))?;
    let what = match found {
        (false, false) => return Ok(()),
        (true, false) => "rows without an id of their own or of their memory are never found",
        (false, true) => "of rows with the same id in one memory only one is found",
        (true, true) => "rows without an id, and all but one of those with the same id in one memory, are not found",
    };
    let warning = Error::new(ErrorKind::WrongState, format!("{what} in store {schema}"))
        .hint("Map memory_id and entry_id to what tells rows apart; memory_doctor() counts them.");
    notice::warn(&warning);
    Ok(())
}

/// A set in the select list would make several entries of a row.
fn refuse_sets(writer: &mut Writer<'_>, schema: &QuotedIdentifier) -> Result<()> {
    let mut statement = Statement::default();
    let view = statement.bind(Param::text(schema.relation("entries")));
    let statement = statement.with(format!("SELECT {view}::pg_catalog.regclass::pg_catalog.oid::pg_catalog.int8"));
    let oid = writer.only(&statement, |row| row.required_integer(1))?;
    if !view::returns_sets(u32::try_from(oid).unwrap_or(0)) {
        return Ok(());
    }
    Err(Error::invalid("columns holds an expression that gives several rows for one")
        .hint("Each expression must give one value for each row of the table."))
}

/// The type of the view's embeddings, with schema and dimension: that of contexts must be the same, for
/// one query vector is compared with both.
fn embedding_type(writer: &mut Writer<'_>, schema: &QuotedIdentifier) -> Result<String> {
    let mut statement = Statement::default();
    let view = statement.bind(Param::text(schema.relation("entries")));
    // format_type writes a schema that is not on the search path, which is pg_catalog alone here.
    let statement = statement.with(format!(
        "SELECT pg_catalog.format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_attribute a \
         WHERE a.attrelid OPERATOR(pg_catalog.=) {view}::pg_catalog.regclass \
           AND a.attname OPERATOR(pg_catalog.=) 'embedding'"
    ));
    writer.only(&statement, |row| row.required_text(1))
}

/// The relation and its columns; one that cannot be adopted is refused (42809, 0A000).
fn adoptable(reader: &Reader<'_>, relation: u32) -> Result<Adopted> {
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
    })?;
    if !["r", "p", "v", "m", "f"].contains(&kind.as_str()) {
        let what = match kind.as_str() {
            "S" => "a sequence",
            "i" | "I" => "an index",
            "c" => "a composite type",
            _ => "of another kind",
        };
        return Err(Error::new(ErrorKind::WrongObjectType, format!("{name} is no table or view but {what}"))
            .hint("Tables (also partitioned and foreign ones), views and materialised views can be adopted."));
    }
    if persistence == "t" {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!("{name} is temporary: it ends with this session, a store does not"),
        )
        .hint("Make an ordinary table of it, or a store by memory_create_store()."));
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
    Ok(Adopted { name, columns })
}

/// What each column of the view is made of, with the types that the server gives the expressions.
fn view_columns(
    reader: &Reader<'_>,
    adopted: &Adopted,
    mapping: &Mapping,
    vector_schema: &QuotedIdentifier,
) -> Result<Vec<ViewColumn>> {
    let mut sources = Vec::new();
    for (column, source) in COLUMNS.iter().zip(&mapping.sources) {
        let expression = match source {
            Some(source) => Some(expression_of(adopted, column, source)?),
            None if column.kind == Kind::Lexemes && !mapping.names_search_vector => only_tsvector(adopted),
            None => None,
        };
        sources.push((*column, expression));
    }
    let expressions: Vec<&str> = sources.iter().filter_map(|(_, expression)| expression.as_deref()).collect();
    let types = reader.column_types(&format!("SELECT {} FROM {} LIMIT 0", expressions.join(", "), adopted.name))?;
    let mut types = types.into_iter();
    let entry_id_is_ordered = |columns: &[ViewColumn]| {
        columns.iter().any(|c| c.column.name == "entry_id" && ["int8", "int4", "int2"].contains(&c.type_name.as_str()))
    };
    let mut columns: Vec<ViewColumn> = Vec::new();
    for (column, expression) in sources {
        let made = match expression {
            Some(expression) => {
                let (type_name, made_of) = type_of(reader, types.next().unwrap_or_default())?;
                let expression = made_of.map_or(expression.clone(), |base| format!("({expression})::{base}"));
                let converted = conversion(column, &expression, &type_name)?;
                let type_name =
                    if column.kind == Kind::Id && converted != expression { "text".to_owned() } else { type_name };
                ViewColumn { column, expression: converted, is_mapped: true, type_name }
            }
            // Numbers that an application gives its rows grow with time.
            None if column.kind == Kind::Order && entry_id_is_ordered(&columns) => {
                let id = columns.iter().find(|c| c.column.name == "entry_id").map(|c| c.expression.clone());
                let expression = format!("({})::pg_catalog.int8", id.unwrap_or_default());
                ViewColumn { column, expression, is_mapped: true, type_name: "int8".to_owned() }
            }
            None => {
                let full_type = null_type(column.kind, vector_schema);
                let expression = if column.kind == Kind::Order {
                    "0::pg_catalog.int8".to_owned()
                } else {
                    format!("NULL::{full_type}")
                };
                ViewColumn { column, expression, is_mapped: false, type_name: String::new() }
            }
        };
        columns.push(made);
    }
    Ok(columns)
}

/// Words that look like a column's name and are values.
const VALUES: [&str; 15] = [
    "true",
    "false",
    "null",
    "user",
    "current_user",
    "session_user",
    "system_user",
    "current_role",
    "current_catalog",
    "current_schema",
    "current_date",
    "current_time",
    "current_timestamp",
    "localtime",
    "localtimestamp",
];

/// A column's name, quoted, or a checked expression.
fn expression_of(adopted: &Adopted, column: &Column, source: &str) -> Result<String> {
    if let Some((_, quoted, _)) = adopted.columns.iter().find(|(name, _, _)| name == source) {
        return Ok(quoted.to_string());
    }
    let name = format!("columns.{}", column.name);
    let looks_like_a_name =
        source.chars().all(|c| c.is_alphanumeric() || c == '_') && !source.starts_with(|c: char| c.is_ascii_digit());
    if looks_like_a_name && !VALUES.contains(&source.to_lowercase().as_str()) {
        let names: Vec<&str> = adopted.columns.iter().map(|(name, _, _)| name.as_str()).collect();
        let refusal =
            Error::new(ErrorKind::UndefinedColumn, format!("{name}: {} has no column \"{source}\"", adopted.name));
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

/// The table's tsvector column, when it has exactly one.
fn only_tsvector(adopted: &Adopted) -> Option<String> {
    // What memory_doctor() had made for another store is made of what that one maps.
    let is_free = |name: &str| !name.starts_with(WORDS_COLUMN);
    let mut found = adopted.columns.iter().filter(|(name, _, type_name)| type_name == "tsvector" && is_free(name));
    match (found.next(), found.next()) {
        (Some((_, quoted, _)), None) => {
            notice::inform(&format!(
                "words are searched in the column {quoted} of {}; with \"search_vector\": null they are taken from the text columns",
                adopted.name
            ));
            Some(quoted.to_string())
        }
        _ => None,
    }
}

/// The name of a type; of a domain, what it is made of, and that as SQL.
fn type_of(reader: &Reader<'_>, oid: u32) -> Result<(String, Option<String>)> {
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(oid))));
    // format_type writes a schema that is not on the search path, which is pg_catalog alone here.
    let statement = statement.with(filled(TYPE_OF, &[("{oid}", &oid)]));
    reader
        .first(&statement, |row| Ok((row.required_text(1)?, row.text(2)?)))?
        .ok_or_else(|| Error::new(ErrorKind::Internal, "a type is gone while its table is adopted"))
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

fn definition(relations: &Relations, adopted: &Adopted, columns: &[ViewColumn], own_lexemes: bool) -> String {
    let mapped =
        |name: &str| columns.iter().find(|c| c.column.name == name && c.is_mapped).map(|c| c.expression.as_str());
    let or_empty = |name: &str, empty: &str| mapped(name).map(|expression| format!("COALESCE({expression}, {empty})"));
    let summary = or_empty("summary", "''");
    let raw_entry = or_empty("raw_entry", "''").unwrap_or_default();
    // No words are taken of an array of arrays: one such row would fail every search of its memory.
    let tags = mapped("tags").map(|expression| {
        format!(
            "CASE WHEN pg_catalog.array_ndims({expression}) OPERATOR(pg_catalog.>) 1 THEN '{{}}'::pg_catalog.text[] \
             ELSE COALESCE({expression}, '{{}}'::pg_catalog.text[]) END"
        )
    });
    let metadata = or_empty("metadata", "'{}'::pg_catalog.jsonb");
    let lexemes = relations.lexemes_of_entry(&EntryTexts {
        summary: summary.as_deref(),
        raw_entry: &raw_entry,
        tags: tags.as_deref(),
        metadata: metadata.as_deref(),
    });
    let list: Vec<String> = columns
        .iter()
        .map(|c| match c.column.kind {
            Kind::Lexemes if own_lexemes => format!("{lexemes} AS search_vector"),
            _ => format!("{} AS {}", c.expression, c.column.name),
        })
        .collect();
    format!(
        "CREATE VIEW {schema}.entries WITH (security_invoker = true) AS \
         SELECT {list}, {language}::pg_catalog.text AS language FROM {name}; \
         COMMENT ON VIEW {schema}.entries IS 'memory_search: the rows of an adopted table as entries; found by memory_search()'",
        schema = relations.schema,
        list = list.join(", "),
        language = relations.language,
        name = adopted.name
    )
}
