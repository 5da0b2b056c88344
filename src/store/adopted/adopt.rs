//! Makes a store over an existing table or view: a view with the store's column names takes the place of `entries`.
//! Nothing is copied, and the table gets no trigger and no column. The view runs with the privileges of the role that
//! searches (`security_invoker`), so that the table's privileges and policies hold.

mod memory_index;
pub mod readable_json;

use memory_search_core::ids::IdKind;
use memory_search_core::request::adopted_columns::{COLUMNS, Kind, Mapping};
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::QuotedIdentifier;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::pg::{notice, view};
use crate::store::adopted::mapped_relation::{self, MappedColumn, MappedRelation};
use crate::store::definition::key::{self, KeyColumn};
use crate::store::definition::{self, IdTypes, TablesOfLinks, WordsFrom, lost};
use crate::store::schema::create::{self, Language};
use crate::store::schema::relations::Relations;

const WHAT_IS_LEFT: &str = include_str!("adopt/what_is_left.sql");

/// Makes the store `name` over the relation with this OID and, `with_index`, the memory index of the table.
pub fn adopt_table(name: &StoreName, relation: u32, columns: &str, language: &str, with_index: bool) -> Result<()> {
    name.check_length()?;
    let mapping = Mapping::parse(columns)?;
    let entry_id =
        COLUMNS.iter().position(|column| column.name == "entry_id").and_then(|p| mapping.sources[p].as_deref());
    spi::write(|writer| create::lock_name(writer, name))?;
    let (view, table, mut relations, language, ids, words_from, exists, is_left, is_key, zoned) =
        spi::read(|reader| {
            let adopted = mapped_relation::find(reader, relation, "adopted")?;
            refuse_temporary(&adopted)?;
            let schema = QuotedIdentifier::of(reader, name)?;
            let lost = spi::with_catalogs_as_they_stand(|| lost::find(reader, name))?;
            let is_left = lost.is_some_and(|lost| lost.adoption.is_some());
            let exists = create::schema_exists(reader, name, is_left)?;
            let Language { name: language, literal } = create::named_language(reader, language)?;
            let vector_schema = definition::vector_schema(reader)?;
            let mut mapped = mapped_relation::columns(reader, &adopted, &mapping, &vector_schema)?;
            let zoned = fix_time_zone(reader, &mut mapped)?;
            let of =
                |name: &str| mapped.iter().find(|column| column.column.name == name).filter(|column| column.is_mapped);
            let relations = Relations { schema, embedding_type: String::new(), language: literal, partitions: None };
            let id_kind = |name| of(name).and_then(|column| IdKind::of_type(&column.type_name)).unwrap_or(IdKind::Text);
            let ids = IdTypes { memory: id_kind("memory_id"), entry: id_kind("entry_id") };
            let view = definition(&relations, &adopted, &mapped);
            let words_from = if of("search_vector").is_some() { WordsFrom::Column } else { WordsFrom::Texts };
            let is_key = key::is_key(reader, relation, &KeyColumn::Named(entry_id.unwrap_or_default()))?;
            Ok((view, adopted.name, relations, language, ids, words_from, exists, is_left, is_key, zoned))
        })?;
    let columns = if zoned.is_empty() { columns.to_owned() } else { with_sources(columns, zoned)? };
    spi::write(|writer| {
        if !exists {
            create::make_schema(writer, &relations.schema)?;
        }
        writer.define(&view)?;
        refuse_beyond_one_row(writer, &relations.schema)?;
        relations.embedding_type = embedding_type(writer, &relations.schema)?;
        // An older version made neither of these tables.
        let there = match is_left {
            true => spi::read(|reader| TablesOfLinks::find(reader, &relations.schema))?,
            false => TablesOfLinks::default(),
        };
        if there.links.is_none() {
            writer.define(&relations.links(ids, false))?;
        }
        if there.aliases.is_none() {
            writer.define(&relations.aliases())?;
        }
        if is_left {
            check_what_is_left(writer, name, &relations, ids)?;
            notice::inform(&format!(
                "store {} has its contexts and access counts again; grant roles their privileges by memory_grant()",
                relations.schema
            ));
        } else {
            writer.define(&relations.contexts(false, words_from))?;
            writer.define(&relations.entry_access(ids, false))?;
        }
        // The server's own configurations need no schema.
        let language = language.strip_prefix("pg_catalog.").unwrap_or(&language);
        lost::remember_adoption(writer, (name, &relations.schema), &table, &columns, language)?;
        if !is_key {
            warn_of_ids(writer, &relations.schema)?;
        }
        if with_index { memory_index::make(writer, name, &table) } else { Ok(()) }
    })
}

/// Refuses a table that does not match the contexts and counts of the previously adopted one (55000).
fn check_what_is_left(writer: &mut Writer<'_>, name: &StoreName, relations: &Relations, ids: IdTypes) -> Result<()> {
    let schema = &relations.schema;
    let mut statement = Statement::default();
    let contexts = statement.bind(Param::text(schema.relation("contexts")));
    let access = statement.bind(Param::text(schema.relation("entry_access")));
    let marks = [("{contexts}", &*contexts), ("{access}", &access), ("{language}", &relations.language)];
    let statement = statement.with(filled(WHAT_IS_LEFT, &marks));
    let found = writer.first(&statement, |row| {
        Ok((row.required_text(1)?, row.required_text(2)?, row.required_text(3)?, row.boolean(4), row.boolean(5)))
    })?;
    let what = match found {
        None => "have been altered since they were made".to_owned(),
        Some((_, _, _, _, Some(false))) => "belong to another role than the schema".to_owned(),
        Some((memory, _, _, _, _)) if memory != ids.memory.to_string() => {
            format!("have memory ids of type {memory}, but the table has ids of type {}", ids.memory)
        }
        Some((_, entry, _, _, _)) if entry != ids.entry.to_string() => {
            format!("have entry ids of type {entry}, but the table has ids of type {}", ids.entry)
        }
        Some((_, _, embedding, _, _)) if embedding != relations.embedding_type => {
            format!(
                "have embeddings of type {embedding}, but the table has embeddings of type {}",
                relations.embedding_type
            )
        }
        Some((_, _, _, Some(false), _)) => "have words of another language".to_owned(),
        Some(_) => return Ok(()),
    };
    Err(Error::new(ErrorKind::WrongState, format!("the contexts and access counts left in store \"{name}\" {what}"))
        .hint(format!(
            "Copy the rows of {schema}.contexts that you need; SELECT memory_drop_store('{}', force => true); removes \
             them.",
            name.replace('\'', "''")
        )))
}

/// Warns if rows have no id, or the id of another row of their memory: such rows are missing from answers.
fn warn_of_ids(writer: &mut Writer<'_>, schema: &QuotedIdentifier) -> Result<()> {
    let statement = Statement::default().with(format!(
        "SELECT EXISTS (SELECT FROM {schema}.entries e WHERE e.entry_id IS NULL OR e.memory_id IS NULL), \
           EXISTS (SELECT FROM {schema}.entries e WHERE e.entry_id IS NOT NULL GROUP BY e.memory_id, e.entry_id \
             HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1)"
    ));
    let found = writer.only(&statement, |row| Ok((row.boolean(1) == Some(true), row.boolean(2) == Some(true))))?;
    let what = match found {
        (false, false) => return Ok(()),
        (true, false) => "rows without entry_id or memory_id are never found",
        (false, true) => "only one of several rows with the same entry_id in one memory is found",
        (true, true) => {
            "rows without entry_id or memory_id are never found, and only one of several rows with the same entry_id \
             in one memory is found"
        }
    };
    let warning = Error::new(ErrorKind::WrongState, format!("{what} in store {schema}")).hint(
        "Map memory_id and entry_id to columns that identify a row; memory_doctor() counts the rows that \
         searches miss.",
    );
    notice::warn(&warning);
    Ok(())
}

/// A set-returning function in the select list would make several entries of a row, and an aggregate one entry of all
/// rows; a condition on a memory is not pushed below a window function, which would number the rows differently in each
/// search.
fn refuse_beyond_one_row(writer: &mut Writer<'_>, schema: &QuotedIdentifier) -> Result<()> {
    let mut statement = Statement::default();
    let view = statement.bind(Param::text(schema.relation("entries")));
    let statement = statement.with(format!("SELECT {view}::pg_catalog.regclass::pg_catalog.oid::pg_catalog.int8"));
    let oid = writer.only(&statement, |row| row.required_integer(1))?;
    match view::beyond_one_row(u32::try_from(oid).unwrap_or(0)) {
        None => Ok(()),
        Some(what) => Err(Error::invalid(format!("columns holds an expression {what}"))
            .hint("Each expression must give one value for each row of the table, from the columns of that row.")),
    }
}

/// The type of the view's embeddings, with schema and dimension: contexts must have the same type, because one query
/// vector is compared with both.
fn embedding_type(writer: &mut Writer<'_>, schema: &QuotedIdentifier) -> Result<String> {
    let mut statement = Statement::default();
    let view = statement.bind(Param::text(schema.relation("entries")));
    // format_type writes the schema unless it is on the search path, which has only pg_catalog here.
    let statement = statement.with(format!(
        "SELECT pg_catalog.format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_attribute a \
         WHERE a.attrelid OPERATOR(pg_catalog.=) {view}::pg_catalog.regclass \
           AND a.attname OPERATOR(pg_catalog.=) 'embedding'"
    ));
    writer.only(&statement, |row| row.required_text(1))
}

/// Reads times without a time zone in the zone of this session, in every session: a plain cast would take the zone of
/// the session that searches, so that ages, visibility and order would differ from caller to caller. Returns the
/// columns with what to map instead, so that another session can adopt the table again without a change.
fn fix_time_zone(reader: &Reader<'_>, columns: &mut [MappedColumn]) -> Result<Vec<(&'static str, String)>> {
    let has_no_zone = |column: &MappedColumn| {
        column.column.kind == Kind::Instant && ["timestamp", "date"].contains(&column.type_name.as_str())
    };
    let names: Vec<&str> = columns.iter().filter(|column| has_no_zone(column)).map(|c| c.column.name).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let statement = Statement::default().with(
        "SELECT pg_catalog.current_setting('TimeZone'), \
           pg_catalog.quote_literal(pg_catalog.current_setting('TimeZone'))"
            .to_owned(),
    );
    let found = reader.first(&statement, |row| Ok((row.required_text(1)?, row.required_text(2)?)))?;
    let Some((zone, literal)) = found else { return Ok(Vec::new()) };
    notice::inform(&format!(
        "{} without time zone: the store reads it in the zone {zone} of this session, whatever that of a caller is; \
         for another zone map \"column::timestamp AT TIME ZONE 'UTC'\"",
        names.join(", ")
    ));
    let mut zoned = Vec::new();
    for column in columns.iter_mut().filter(|column| has_no_zone(column)) {
        column.expression = format!("pg_catalog.timezone({literal}, ({})::pg_catalog.timestamp)", column.source);
        zoned.push((column.column.name, column.expression.clone()));
    }
    Ok(zoned)
}

/// The columns as the caller gave them, with other sources for some.
fn with_sources(columns: &str, sources: Vec<(&str, String)>) -> Result<String> {
    let mut given: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(columns).map_err(|error| Error::invalid(format!("columns must be JSON: {error}")))?;
    given.extend(sources.into_iter().map(|(name, source)| (name.to_owned(), source.into())));
    Ok(serde_json::Value::Object(given).to_string())
}

fn refuse_temporary(relation: &MappedRelation) -> Result<()> {
    if relation.is_temporary {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!("{} is temporary: it ends with this session, a store does not", relation.name),
        )
        .hint("Make an ordinary table of it, or a store by memory_create_store()."));
    }
    Ok(())
}

fn definition(relations: &Relations, adopted: &MappedRelation, columns: &[MappedColumn]) -> String {
    let list: Vec<String> = columns
        .iter()
        .map(|c| format!("{} AS {}", readable_json::of(c), c.column.name))
        .chain(columns.iter().filter_map(readable_json::is_refused))
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
