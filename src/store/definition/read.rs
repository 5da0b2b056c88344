//! Reads the definition of a store from the catalogs.

use std::rc::Rc;

use memory_search_core::ids::IdKind;
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use super::key::KeyColumn;
use super::{
    AdoptedRows, EmbeddingColumn, IdTypes, Lacks, MemoryIndex, ReadFrom, Store, StoreKind, WordsFrom, cache,
    distribution, key, lost, memory_index, own_policy, placement,
};
use crate::pg::extension;
use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::filled;
use crate::pg::text_search::indexed_texts::Options;
use crate::pg::vector_distance::VectorFunctions;
use crate::pg::{index_columns, settings, view};

/// The query, whose file numbers the columns of its result.
const READ_STORE: &str = include_str!("read_store.sql");
const LACKING: &str = include_str!("lacking.sql");
/// Finds the unique index of `{table}` on memory_id and `{column}`, over all rows or over `{rows}`.
pub const FIND_KEY: &str = include_str!("find_key.sql");
const FUNCTIONS_OF_VIEW: &str = include_str!("functions_of_view.sql");

/// pgvector's schema.
pub fn vector_schema(reader: &Reader<'_>) -> Result<QuotedIdentifier> {
    extension::schema_of(reader, "vector")?.ok_or_else(|| {
        Error::new(ErrorKind::WrongState, "the extension vector is not installed").hint("CREATE EXTENSION vector;")
    })
}

/// A store's definition. An unknown store is refused with 42704, a schema without the relations with 42P01, and a store
/// that lost a column with 55000. A definition is kept until the catalogs change.
pub fn store(reader: &Reader<'_>, name: &StoreName) -> Result<Rc<Store>> {
    damaged_or_whole(reader, name)?.whole(name)
}

/// The definition also of a store that lacks required columns: to report this, and to drop it.
pub fn damaged_or_whole(reader: &Reader<'_>, name: &StoreName) -> Result<Rc<Store>> {
    // With this setting the server would write names and types in another form than the one that is compared.
    let read = || spi::with_catalogs_as_they_stand(|| read_store(reader, name));
    cache::get_or_read(name, || settings::with(c"quote_all_identifiers", c"off", read))
}

/// The language is read from a constraint of the store's tables, which depends on the text search configuration. An
/// adopted table's view has a column for it, and shows whether there is a column of words.
fn read_store(reader: &Reader<'_>, name: &StoreName) -> Result<Store> {
    let mut statement = Statement::default();
    let named = statement.bind(Param::text(name));
    let of_keys = [("{table}", "entries.oid"), ("{column}", "'entry_key'"), ("{rows}", "'(entry_key IS NOT NULL)'")];
    let statement = statement.with(filled(
        READ_STORE,
        &[
            ("{index_of_keys}", &filled(FIND_KEY, &of_keys)),
            ("{lacking}", LACKING),
            ("{own_policy}", own_policy::FIND_SETTING),
            ("{other_policies}", own_policy::OTHERS_GO_WITH_IT),
            ("{name}", &named),
        ],
    ));
    let mut found = reader.first(&statement, |row| {
        let mut lacks = row.text(17)?;
        // Rows without a creation time were inserted by hand, or somebody dropped both constraints.
        if row.boolean(21) == Some(true) && row.integer(2).is_some() && row.integer(3).is_some() {
            let what = "the constraints entries_language and contexts_language, which say the language, are missing";
            lacks = Some(lacks.map_or(what.to_owned(), |lacks| format!("{lacks}, {what}")));
        }
        // A store that lost its embeddings answers no search, whatever type they had.
        let type_name = row.text(4)?.or_else(|| lacks.as_ref().map(|_| "vector".to_owned()));
        let (Some(entries), Some(contexts), Some(type_name), Some(memory_id), Some(entry_id)) =
            (row.integer(2), row.integer(3), type_name, row.integer(10), row.integer(11))
        else {
            if let Some(lost) = lost::find(reader, name)? {
                return Err(lost.refusal(name));
            }
            return Err(Error::new(
                ErrorKind::UndefinedTable,
                format!("schema \"{name}\" is no store: it lacks the relations of one"),
            )
            .hint(format!("Make one with SELECT memory_create_store('{}').", name.replace('\'', "''"))));
        };
        let oid = |value: i64| u32::try_from(value).unwrap_or(0);
        Ok(Store {
            schema: QuotedIdentifier::read(row, 1)?,
            vector_schema: QuotedIdentifier::read(row, 8)?,
            words_from: if row.boolean(9) == Some(true) { WordsFrom::Column } else { WordsFrom::Texts },
            language: with_schema(row.text(7)?.unwrap_or_else(|| "simple".to_owned())),
            embedding: EmbeddingColumn {
                type_name,
                dimensions: row.integer(5).and_then(|typmod| usize::try_from(typmod).ok()),
            },
            ids: IdTypes { memory: id_kind(oid(memory_id)), entry: id_kind(oid(entry_id)) },
            user_setting: row.text(13)?,
            has_own_policies_alone: row.boolean(25) == Some(true),
            may_lack_creation_time: row.boolean(14) != Some(false),
            is_view: row.boolean(15) == Some(true),
            lacks: lacks.map(|what| Lacks {
                what,
                has_other_types: row.boolean(22) == Some(true) || row.boolean(21) == Some(true),
                is_of_view: row.boolean(23) == Some(true),
            }),
            has_key_index: row.boolean(26) == Some(true),
            is_partitioned: row.boolean(16) == Some(true),
            tables_by_memory: None,
            is_distributed: false,
            partition: None,
            memory_index: None,
            contexts_index: None,
            vector_functions: match (row.integer(6), row.integer(18), row.integer(19), row.integer(20)) {
                (Some(vector), Some(distance), Some(cast), Some(dimensions)) => Some(VectorFunctions {
                    vector: oid(vector),
                    distance: oid(distance),
                    cast: oid(cast),
                    dimensions: oid(dimensions),
                }),
                _ => None,
            },
            kind: StoreKind::Own,
            read_from: ReadFrom {
                entries: oid(entries),
                contexts: oid(contexts),
                entry_access: row.integer(24).map_or(0, oid),
                source: match row.boolean(12) {
                    Some(true) => view::source(oid(entries)).unwrap_or(oid(entries)),
                    _ => 0,
                },
                embedding_type: row.integer(6).map_or(0, oid),
                indexes_in_the_making: [0; 2],
            },
        })
    })?;
    if let Some(store) = found.as_mut().filter(|store| store.read_from.source != 0) {
        let mut statement = Statement::default();
        let source = statement.bind(Param::Integer(Some(i64::from(store.read_from.source))));
        let statement =
            statement.with(format!("SELECT {source}::pg_catalog.oid::pg_catalog.regclass::pg_catalog.text"));
        if let Some(table) = reader.first(&statement, |row| QualifiedName::read(row, 1))? {
            let rows = adopted_rows(reader, store)?;
            store.kind = StoreKind::Adopted { table, rows };
        }
    }
    if let Some(store) = &mut found {
        let entries = find_memory_index(reader, store, &memory_index::ENTRIES)?;
        let contexts = find_memory_index(reader, store, &memory_index::CONTEXTS)?;
        store.read_from.indexes_in_the_making = [entries.1, contexts.1];
        (store.memory_index, store.contexts_index) = (entries.0, contexts.0);
        store.is_distributed = distribution::is_distributed(reader, &store.read_from)?;
        store.tables_by_memory = placement::tables_by_memory(reader, store)?;
    }
    found.ok_or_else(|| {
        Error::new(ErrorKind::UndefinedObject, format!("store \"{name}\" does not exist"))
            .hint(format!("Make it with SELECT memory_create_store('{}').", name.replace('\'', "''")))
    })
}

/// The name of a text search configuration, with every quote doubled, in a form that any search path reads in the same
/// way: names in `pg_catalog` need no schema.
fn with_schema(name: String) -> String {
    let mut is_quoted = false;
    let is_qualified = name.chars().any(|letter| {
        is_quoted ^= letter == '"';
        letter == '.' && !is_quoted
    });
    if is_qualified { name } else { format!("pg_catalog.{name}") }
}

/// The rows of an adopted table, if each is an entry: rows of which several share one id are not.
fn adopted_rows(reader: &Reader<'_>, store: &Store) -> Result<Option<AdoptedRows>> {
    let Some(mut rows) = AdoptedRows::of(store.read_from.entries) else { return Ok(None) };
    let Some(id) = rows.id_attribute() else { return Ok(None) };
    let mut functions = Vec::new();
    let mut statement = Statement::default();
    let view = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let statement = statement.with(filled(FUNCTIONS_OF_VIEW, &[("{view}", &view)]));
    reader.rows(&statement, |row| {
        functions.push(u32::try_from(row.required_integer(1)?).unwrap_or(0));
        Ok(())
    })?;
    rows.functions = functions;
    let is_key = key::is_key(reader, store.read_from.source, &KeyColumn::Numbered(id))?;
    Ok(is_key.then_some(rows))
}

/// The memory index of the table with a store's entries, or of its contexts, and the OID of the newest index that is
/// not usable yet.
fn find_memory_index(
    reader: &Reader<'_>,
    store: &Store,
    like: &'static memory_index::Made,
) -> Result<(Option<MemoryIndex>, u32)> {
    let is_of_contexts = *like == memory_index::CONTEXTS;
    let table = if is_of_contexts { store.read_from.contexts } else { store.table_of_entries() };
    let mut statement = Statement::default();
    let table = statement.bind(Param::Integer(Some(i64::from(table))));
    let statement = statement.with(filled(memory_index::FIND, &[("{table}", &table)]));
    let made_of = |column| match &store.kind {
        // The columns of an own store are those of its table.
        StoreKind::Own => Some(column),
        StoreKind::Adopted { .. } if is_of_contexts => Some(column),
        StoreKind::Adopted { rows, .. } => {
            let column = rows.as_ref()?.column(column).filter(|column| !column.is_null)?;
            Some(column.expression.as_str())
        }
    };
    let (words_from, configuration) = (store.words_from, store.configuration()?);
    let wanted = memory_index::Wanted { like, made_of, words_from, configuration };
    let (mut found, mut in_the_making) = (Vec::new(), 0);
    reader.rows(&statement, |row| {
        let index = u32::try_from(row.required_integer(1)?).unwrap_or(0);
        if row.boolean(3) != Some(true) {
            in_the_making = index;
            return Ok(());
        }
        let seen = memory_index::Found {
            oid: index,
            name: row.required_text(2)?,
            columns: index_columns::of(index),
            keys: usize::try_from(row.required_integer(4)?).unwrap_or(0),
            options: Options { language: row.text(5)?.unwrap_or_default(), weights: row.text(6)?.unwrap_or_default() },
            built_by: row.integer(7).and_then(|oid| u32::try_from(oid).ok()).map(pg_sys::Oid::from),
        };
        found.extend(MemoryIndex::new(seen, &wanted));
        Ok(())
    })?;
    // Of several indexes, the one that holds most; among these the oldest.
    Ok((found.into_iter().rev().max_by_key(MemoryIndex::holds), in_the_making))
}

/// The type for comparing ids of a column: its own if an index on it must be usable, else text.
fn id_kind(oid: u32) -> IdKind {
    match pg_sys::Oid::from(oid) {
        pg_sys::UUIDOID => IdKind::Uuid,
        pg_sys::INT8OID => IdKind::Int8,
        pg_sys::INT4OID => IdKind::Int4,
        pg_sys::INT2OID => IdKind::Int2,
        _ => IdKind::Text,
    }
}
