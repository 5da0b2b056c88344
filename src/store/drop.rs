//! Removes a store: its relations, and its schema when nothing else is in it.

use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement, Writer};
use crate::store::create;
use crate::store::definition;
use crate::store::settings::{EVERY_ROW, with_settings};

/// Drops the store `name`; one that holds rows only when `force` says so (55000).
pub fn drop_store(name: &str, force: bool) -> Result<()> {
    let (store, alone) = match spi::read(|reader| {
        let store = definition::store(reader, name)?;
        let alone = is_alone(reader, &store.schema)?;
        Ok((store, alone))
    }) {
        Err(error) if error.kind == ErrorKind::UndefinedTable => return drop_remains(name, force, error),
        found => found?,
    };
    let (entries, contexts, access) =
        (store.relation("entries"), store.relation("contexts"), store.relation("entry_access"));
    // An adopted table is its application's: only the view on it goes, and only what the store itself
    // holds is in danger.
    let (own, drop_entries) = match store.adopted_from {
        None => (vec![entries.clone(), contexts.clone()], format!("DROP TABLE {entries}")),
        Some(_) => (vec![contexts.clone(), access.clone()], format!("DROP VIEW {entries}")),
    };
    spi::write(|writer| {
        // Locked first, so that nothing can be added between looking and dropping.
        writer.define(&format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", own.join(", ")))?;
        if !force && holds_rows(writer, &own)? {
            return Err(Error::new(ErrorKind::WrongState, format!("store \"{name}\" holds memories"))
                .hint("Drop it with all it holds by memory_drop_store(..., force => true)."));
        }
        writer.define(&format!("DROP TABLE IF EXISTS {access}"))?;
        writer.define(&format!("DROP TABLE {contexts}"))?;
        writer.define(&drop_entries)?;
        // Without CASCADE: whatever a user put beside the store keeps its schema.
        if alone { writer.define(&format!("DROP SCHEMA {}", store.schema)) } else { Ok(()) }
    })
}

/// Drops what is left of an adopted store whose table went, and its view with it. `refusal` is for a
/// schema that holds nothing of a store.
fn drop_remains(name: &str, force: bool, refusal: Error) -> Result<()> {
    let (schema, remains, alone) = spi::read(|reader| {
        let schema = create::quoted(reader, name)?;
        let mut remains = Vec::new();
        for relation in ["entry_access", "contexts"] {
            let mut statement = Statement::default();
            let relation = format!("{schema}.{relation}");
            let table = statement.bind(Param::text(relation.as_str()));
            let statement = statement.with(format!("SELECT pg_catalog.to_regclass({table}) IS NOT NULL"));
            if reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true) {
                remains.push(relation);
            }
        }
        let alone = is_alone(reader, &schema)?;
        Ok((schema, remains, alone))
    })?;
    if remains.len() < 2 {
        return Err(refusal);
    }
    spi::write(|writer| {
        writer.define(&format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", remains.join(", ")))?;
        if !force && holds_rows(writer, &remains)? {
            return Err(Error::new(
                ErrorKind::WrongState,
                format!("store \"{name}\" has lost its entries, but holds contexts or access counts"),
            )
            .hint("Drop what is left by memory_drop_store(..., force => true)."));
        }
        writer.define(&format!("DROP TABLE {}", remains.join(", ")))?;
        if alone { writer.define(&format!("DROP SCHEMA {schema}")) } else { Ok(()) }
    })
}

/// Whether there is any row, also one that a policy hides from the caller: under a policy that
/// cannot be switched off the look itself fails.
fn holds_rows(writer: &mut Writer<'_>, relations: &[String]) -> Result<bool> {
    let any: Vec<String> = relations.iter().map(|relation| format!("EXISTS (SELECT FROM {relation})")).collect();
    let look = Statement::default().with(format!("SELECT {}", any.join(" OR ")));
    let mut holds = true;
    with_settings(writer, &EVERY_ROW, |_| {
        // The transaction's own snapshot may be older than the lock.
        spi::read_newest(|reader| {
            reader.rows(&look, |row| {
                holds = row.boolean(1) != Some(false);
                Ok(())
            })
        })
    })?;
    Ok(holds)
}

/// Whether the schema holds nothing but the store's relations (with their indexes and sequences),
/// and the caller may drop it.
fn is_alone(reader: &spi::Reader<'_>, schema: &str) -> Result<bool> {
    let mut statement = Statement::default();
    let schema = statement.bind(Param::text(schema));
    let statement = statement.with(format!(
        "WITH relation AS (SELECT c.oid FROM pg_catalog.pg_class c \
             WHERE c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace \
               AND c.relname OPERATOR(pg_catalog.=) ANY (ARRAY['entries', 'contexts', 'entry_access']::pg_catalog.name[])) \
         SELECT pg_catalog.pg_has_role(n.nspowner, 'USAGE') \
           AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d \
             WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass \
               AND d.refobjid OPERATOR(pg_catalog.=) n.oid \
               AND NOT (d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
                 AND (d.objid OPERATOR(pg_catalog.=) ANY (SELECT oid FROM relation) \
                   OR EXISTS (SELECT FROM pg_catalog.pg_depend own \
                     WHERE own.classid OPERATOR(pg_catalog.=) d.classid AND own.objid OPERATOR(pg_catalog.=) d.objid \
                       AND own.refclassid OPERATOR(pg_catalog.=) d.classid \
                       AND own.deptype OPERATOR(pg_catalog.=) ANY (ARRAY['a', 'i']::pg_catalog.\"char\"[]) \
                       AND own.refobjid OPERATOR(pg_catalog.=) ANY (SELECT oid FROM relation))))) \
         FROM pg_catalog.pg_namespace n WHERE n.oid OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace"
    ));
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}
