//! Reads the definition of a store from the catalogs. Each of the other files here says one thing about it, by a short
//! statement and rules over its result.

use std::rc::Rc;

use memory_search_core::ids::IdKind;
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use super::columns::Columns;
use super::own_policy::OwnPolicies;
use super::pgvector::Pgvector;
use super::relations::{Named, Relations};
use super::{
    AdoptedRows, EmbeddingColumn, IdTypes, Lacks, ReadFrom, Store, StoreKind, WordsFrom, cache, distribution,
    find_memory_index, key, language, lost, memory_index, placement,
};
use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::filled;
use crate::pg::{settings, view};

const IN_ANOTHER_CASE: &str = include_str!("in_another_case.sql");

/// A store's definition. An unknown store is refused with 42704, a schema without the relations with 42P01, and a store
/// that lost a column with 55000. A definition is kept until the catalogs change.
pub fn store(reader: &Reader<'_>, name: &StoreName) -> Result<Rc<Store>> {
    damaged_or_whole(reader, name)?.whole(name)
}

/// The definition also of a store that lacks required columns: to report this, and to drop it.
///
/// All statements of a reading see the catalogs of one instant, as one statement would: a reader runs each of them with
/// the active snapshot, and one snapshot of the catalogs is active until the reading ends. The server's functions that
/// write types and expressions, and the relations that are opened, are as they stand when they are asked; a change that
/// comes in between is heard of, and [`cache::get_or_read`] reads again.
pub fn damaged_or_whole(reader: &Reader<'_>, name: &StoreName) -> Result<Rc<Store>> {
    // With this setting the server would write names and types in another form than the one that is compared.
    let read = || spi::with_catalogs_as_they_stand(|| read_store(reader, name));
    cache::get_or_read(name, || settings::with(c"quote_all_identifiers", c"off", read))
}

fn read_store(reader: &Reader<'_>, name: &StoreName) -> Result<Store> {
    let Some(relations) = Relations::find(reader, name)? else { return Err(is_unknown(reader, name)) };
    let (Some(entries), Some(contexts)) = (&relations.entries, &relations.contexts) else {
        return Err(is_no_store(reader, name, &relations));
    };
    let columns = Columns::find(reader, &relations)?;
    let of_entries = |column| columns.get(&relations, Named::Entries, column);
    let texts = language::Texts::find(reader, entries, contexts)?;
    let lacks = Lacks::of(&relations, &columns, texts.defect());
    let embedding = of_entries("embedding");
    // A store that lost its embeddings answers no search, so the type that they had does not matter.
    let type_name = embedding.and_then(|column| column.type_name.clone());
    let type_name = type_name.or_else(|| lacks.as_ref().map(|_| "vector".to_owned()));
    let (Some(type_name), Some(memory_id), Some(entry_id)) =
        (type_name, of_entries("memory_id"), of_entries("entry_id"))
    else {
        return Err(is_no_store(reader, name, &relations));
    };
    let embedding_type = embedding.map_or(0, |column| column.type_oid);
    let pgvector = Pgvector::of_type(reader, embedding_type)?;
    let policies = OwnPolicies::find(reader, &relations)?;
    let of_keys = key::unique_in_memory(entries.oid, "entry_key", key::WITH_KEY);
    let source = if entries.is_table() { 0 } else { view::source(entries.oid).unwrap_or(entries.oid) };
    let mut store = Store {
        vector_schema: pgvector.schema,
        language: texts.language(),
        words_from: texts.view.as_deref().map_or(WordsFrom::Texts, WordsFrom::shown_by),
        embedding: EmbeddingColumn {
            type_name,
            dimensions: embedding.and_then(|column| usize::try_from(column.modifier).ok()),
        },
        vector_functions: pgvector.functions,
        ids: IdTypes { memory: id_kind(memory_id.type_oid), entry: id_kind(entry_id.type_oid) },
        memory_index: None,
        ranking_in_the_making: None,
        contexts_index: None,
        may_lack_creation_time: !entries.is_table()
            || !of_entries("creation_time").is_some_and(|column| column.is_never_null),
        is_view: entries.is_view(),
        lacks,
        has_key_index: reader.first(&of_keys, |_| Ok(()))?.is_some(),
        is_partitioned: entries.is_partitioned() || contexts.is_partitioned(),
        tables_by_memory: None,
        is_distributed: false,
        partition: None,
        user_setting: policies.user_setting,
        has_own_policies_alone: policies.are_alone,
        kind: StoreKind::Own,
        read_from: ReadFrom {
            entries: entries.oid,
            contexts: contexts.oid,
            entry_access: relations.entry_access.as_ref().map_or(0, |access| access.oid),
            source,
            embedding_type,
            indexes_in_the_making: [0; 2],
        },
        schema: relations.schema,
    };
    if let Some(table) = name_of(reader, source)? {
        let rows = AdoptedRows::with_key(reader, store.read_from.entries, source)?;
        store.kind = StoreKind::Adopted { table, rows };
    }
    let of_entries = find_memory_index::find(reader, &store, &memory_index::ENTRIES)?;
    let of_contexts = find_memory_index::find(reader, &store, &memory_index::CONTEXTS)?;
    store.read_from.indexes_in_the_making = [of_entries.in_the_making, of_contexts.in_the_making];
    store.ranking_in_the_making = of_entries.ranking_in_the_making;
    (store.memory_index, store.contexts_index) = (of_entries.used, of_contexts.used);
    store.is_distributed = distribution::is_distributed(reader, &store.read_from)?;
    store.tables_by_memory = placement::tables_by_memory(reader, &store)?;
    Ok(store)
}

/// The name of an adopted relation; `None` for the OID 0.
fn name_of(reader: &Reader<'_>, source: u32) -> Result<Option<QualifiedName>> {
    if source == 0 {
        return Ok(None);
    }
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(source))));
    let statement = statement.with(format!("SELECT {oid}::pg_catalog.oid::pg_catalog.regclass::pg_catalog.text"));
    reader.first(&statement, |row| QualifiedName::read(row, 1))
}

fn is_unknown(reader: &Reader<'_>, name: &StoreName) -> Error {
    if name.is_empty() {
        return Error::new(ErrorKind::UndefinedObject, "memory_search.store is empty, so it names no store")
            .hint("RESET memory_search.store, set it to the name of a store, or give the argument store.");
    }
    let refusal = Error::new(ErrorKind::UndefinedObject, format!("store \"{name}\" does not exist"));
    match in_another_case(reader, name) {
        Err(error) => error,
        Ok(Some(other)) => refusal.hint(format!("Did you mean store \"{other}\"?")),
        Ok(None) => refusal.hint(make_it(name)),
    }
}

fn make_it(name: &StoreName) -> String {
    format!("Make it with SELECT memory_create_store('{}').", name.replace('\'', "''"))
}

fn make_one(name: &StoreName) -> String {
    format!("Make one with SELECT memory_create_store('{}').", name.replace('\'', "''"))
}

/// A store that the caller may use, whose name differs only by case.
fn in_another_case(reader: &Reader<'_>, name: &StoreName) -> Result<Option<String>> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(name));
    let statement = statement.with(filled(IN_ANOTHER_CASE, &[("{name}", &name)]));
    reader.first(&statement, |row| row.required_text(1))
}

/// The refusal of a store that does not exist, for a call that has nothing to do in a new one: `hint` replaces the
/// advice to make it.
pub fn without_making(name: &StoreName, hint: &str, refusal: Error) -> Error {
    let advises = [make_it(name), make_one(name)].map(Some).contains(&refusal.hint);
    if advises { refusal.hint(hint) } else { refusal }
}

/// The refusal of a schema without the relations of a store, or of a store that lost its entries or its contexts.
fn is_no_store(reader: &Reader<'_>, name: &StoreName, relations: &Relations) -> Error {
    match (lost::find(reader, name), relations) {
        (Err(error), _) => error,
        (Ok(Some(lost)), _) => lost.refusal(name),
        (Ok(None), Relations { entries: Some(entries), contexts: None, entry_access: Some(_), schema }) => {
            let message = format!("store \"{name}\" lacks the relation contexts");
            Error::new(ErrorKind::UndefinedTable, message).hint(match entries.is_view() {
                true => {
                    format!("The entries are in the adopted table: DROP SCHEMA {schema} CASCADE, and adopt it again.")
                }
                false => format!(
                    "ALTER SCHEMA {schema} RENAME TO another name, make the store again by memory_create_store(), and \
                     copy the rows of entries."
                ),
            })
        }
        (Ok(None), _) => {
            let message = format!("schema \"{name}\" is no store: it lacks the relations of one");
            Error::new(ErrorKind::UndefinedTable, message).hint(make_one(name))
        }
    }
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
