//! Removes a store: its relations, and the schema that was made for it, if that contains nothing else.

mod remains;

use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::pg::temporary_settings::{EVERY_ROW, with_settings};
use crate::store::definition::{self, Store, StoreKind, TablesOfLinks};
use crate::store::recording::found::Recording;
use crate::store::schema::create::MADE_FOR_STORE;
use remains::Remains;

const NOTHING_TO_DROP: &str = "There is nothing to drop.";
const HAS_COMMENT: &str = include_str!("drop/has_comment.sql");
const IS_ALONE: &str = include_str!("drop/is_alone.sql");

/// Drops the store `name`. A store that holds rows is only dropped with `force` (55000).
pub fn drop_store(name: &StoreName, force: bool) -> Result<()> {
    // Objects that were made after the transaction's snapshot are dropped, too.
    let found = spi::read(|reader| {
        spi::with_catalogs_as_they_stand(|| {
            let store = definition::damaged_or_whole(reader, name)?;
            refuse_other_tables(reader, name, &store)?;
            let recording = Recording::of(reader, &store)?;
            let functions: Vec<QualifiedName> =
                recording.functions().map(|function| function.signature.clone()).collect();
            let links = TablesOfLinks::find(reader, &store.schema)?;
            let more: Vec<u32> = links.oids().into_iter().chain(recording.table.map(|table| table.oid)).collect();
            let alone = is_alone(reader, &store.schema, &functions, &more)?;
            Ok((store, functions, recording.table.is_some(), links.names(), alone))
        })
    });
    let (store, functions, has_history, links, alone) = match found {
        Err(error) if error.kind == ErrorKind::UndefinedTable => return drop_remains(name, force, error),
        Err(error) => return Err(definition::without_making(name, NOTHING_TO_DROP, error)),
        Ok(found) => found,
    };
    let (entries, contexts, access) =
        (store.relation("entries"), store.relation("contexts"), store.relation("entry_access"));
    // An adopted table belongs to its application: only the view on it is dropped, and only rows that the store itself
    // holds can be lost.
    let (mut own, drop_entries) = match store.kind {
        StoreKind::Own => (vec![entries.clone(), contexts.clone()], format!("DROP TABLE {entries}")),
        StoreKind::Adopted { .. } if store.read_from.entry_access == 0 => {
            (vec![contexts.clone()], format!("DROP VIEW {entries}"))
        }
        StoreKind::Adopted { .. } => (vec![contexts.clone(), access.clone()], format!("DROP VIEW {entries}")),
    };
    let links: Vec<QualifiedName> = links.into_iter().map(|name| store.relation(name)).collect();
    own.extend(links.iter().cloned());
    spi::write(|writer| {
        // Locks come first, so that no row can be added between the look and the drop.
        writer.define(&format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", own.join(", ")))?;
        if !force && holds_rows(writer, &own)? {
            return Err(Error::new(ErrorKind::WrongState, format!("store \"{name}\" holds memories"))
                .hint("To drop the store with all of its rows, call memory_drop_store(..., force => true)."));
        }
        writer.define(&format!("DROP TABLE IF EXISTS {access}"))?;
        for table in &links {
            writer.define(&format!("DROP TABLE {table}"))?;
        }
        if has_history {
            writer.define(&format!("DROP TABLE {}", store.relation("history")))?;
        }
        writer.define(&format!("DROP TABLE {contexts}"))?;
        writer.define(&drop_entries)?;
        drop_functions(writer, &functions)?;
        if let (Some(table), Some(index)) = (store.adopted_table(), &store.memory_index) {
            notice::inform(&format!(
                "{table} keeps its memory index; if no other store reads the table, remove it: DROP INDEX {};",
                index.name
            ));
        }
        // Without CASCADE: an object that a user made next to the store keeps the schema.
        if alone { writer.define(&format!("DROP SCHEMA {}", store.schema)) } else { Ok(()) }
    })
}

/// Refuses tables with the names of a store's, and not with its columns or comments (55000): an application may have
/// such tables, and `force` would drop them.
fn refuse_other_tables(reader: &Reader<'_>, name: &StoreName, store: &Store) -> Result<()> {
    if !store.lacks.as_ref().is_some_and(|lacks| lacks.has_other_types) {
        return Ok(());
    }
    let mut statement = Statement::default();
    let relations = [store.relation("entries"), store.relation("contexts")].map(|r| statement.bind(Param::text(r)));
    let statement = statement.with(filled(HAS_COMMENT, &[("{entries}", &relations[0]), ("{contexts}", &relations[1])]));
    if reader.only(&statement, |row| Ok(row.boolean(1) == Some(true)))? {
        return Ok(());
    }
    let what = store.lacks.as_ref().map_or("", |lacks| &lacks.what);
    let refusal = Error::new(ErrorKind::WrongState, format!("schema \"{name}\" may hold no store"));
    Err(refusal.detail(what).hint(format!(
        "Nothing says that memory_create_store() made the tables entries and contexts of this schema. Drop them \
         yourself, or mark them: COMMENT ON TABLE {} IS 'memory_search: a store';",
        store.relation("entries")
    )))
}

/// Drops the remains of a store that lost its entries. `refusal` is for a schema without such remains.
fn drop_remains(name: &StoreName, force: bool, refusal: Error) -> Result<()> {
    let found = spi::read(|reader| spi::with_catalogs_as_they_stand(|| Remains::find(reader, name)))?;
    let Some(Remains { schema, tables, functions, are_alone }) = found else {
        return Err(definition::without_making(name, NOTHING_TO_DROP, refusal));
    };
    spi::write(|writer| {
        writer.define(&format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", tables.join(", ")))?;
        if !force && holds_rows(writer, &tables)? {
            return Err(Error::new(
                ErrorKind::WrongState,
                format!(
                    "store \"{name}\" lacks the relation entries, but still has rows of contexts, access counts, \
                     links, aliases or history"
                ),
            )
            .hint("Drop the remaining tables by memory_drop_store(..., force => true)."));
        }
        writer.define(&format!("DROP TABLE {}", tables.join(", ")))?;
        drop_functions(writer, &functions)?;
        if are_alone { writer.define(&format!("DROP SCHEMA {schema}")) } else { Ok(()) }
    })
}

fn drop_functions(writer: &mut Writer<'_>, functions: &[QualifiedName]) -> Result<()> {
    functions.iter().try_for_each(|function| writer.define(&format!("DROP FUNCTION {function}")))
}

/// Whether there is any row, including rows that a policy hides from the caller: under a policy that cannot be switched
/// off, the query fails. There is one query for each relation, because Citus allows one distributed table at a time.
fn holds_rows(writer: &mut Writer<'_>, relations: &[QualifiedName]) -> Result<bool> {
    let mut holds = false;
    with_settings(writer, &EVERY_ROW, |_| {
        // The transaction's own snapshot may be older than the lock.
        spi::read_newest(|reader| {
            relations.iter().try_for_each(|relation| {
                let look = Statement::default().with(format!("SELECT true FROM {relation} LIMIT 1"));
                holds |= reader.first(&look, |row| Ok(row.boolean(1)))?.is_some();
                Ok(())
            })
        })
    })?;
    Ok(holds)
}

/// Whether the schema was made for a store and holds only the store's relations (with their indexes and sequences), of
/// which `more` are some, and its functions, and the caller may drop it.
fn is_alone(
    reader: &spi::Reader<'_>,
    schema: &QuotedIdentifier,
    functions: &[QualifiedName],
    more: &[u32],
) -> Result<bool> {
    let mut statement = Statement::default();
    let schema = statement.bind(Param::text(schema));
    let functions = statement.bind(Param::Texts(functions.iter().map(String::from).collect()));
    let more = statement.bind(Param::Texts(more.iter().map(u32::to_string).collect()));
    let made = statement.bind(Param::text(MADE_FOR_STORE));
    let marks = [("{schema}", &*schema), ("{functions}", &functions), ("{more}", &more), ("{made_for_store}", &made)];
    let statement = statement.with(filled(IS_ALONE, &marks));
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}
