//! Statements that make tables and columns of a store again, as `memory_create_store()` makes them, with the owner, the
//! privileges and the policies of the tables beside them.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::TablesOfLinks;
use crate::store::doctor::check::Patient;
use crate::store::schema::relations::{Relations, add_columns, as_one_statement, index_of_corrections_anew};

const GRANTS: &str = include_str!("tables_anew/grants.sql");
const MODULUS: &str = include_str!("tables_anew/modulus.sql");

/// A table that is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum New {
    EntryAccess,
    Links,
    Aliases,
}

impl New {
    fn name(self) -> &'static str {
        match self {
            New::EntryAccess => "entry_access",
            New::Links => "links",
            New::Aliases => "aliases",
        }
    }

    /// The columns that name entries.
    fn names_entries_by(self) -> &'static [&'static str] {
        match self {
            New::EntryAccess => &["entry_id"],
            New::Links => &["from_entry", "to_entry"],
            New::Aliases => &[],
        }
    }
}

/// The statement that adds the columns that a store lacks, and its table of access counts if that is missing.
pub fn columns(reader: &Reader<'_>, patient: &Patient) -> Result<String> {
    let mut parts = Vec::new();
    if patient.store.read_from.entry_access == 0 {
        parts = parts_of(reader, patient, &[New::EntryAccess])?;
    }
    parts.push(add_columns(&patient.store));
    // Policies of the other tables stay as their owner has set them.
    parts.extend(row_security_anew(patient).filter(|_| patient.store.read_from.entry_access == 0));
    Ok(as_one_statement(&parts.join("\n")))
}

/// The statement that makes missing tables.
pub fn tables(reader: &Reader<'_>, patient: &Patient, new: &[New]) -> Result<String> {
    let mut parts = parts_of(reader, patient, new)?;
    parts.extend(row_security_anew(patient));
    Ok(as_one_statement(&parts.join("\n")))
}

fn row_security_anew(patient: &Patient) -> Option<String> {
    let setting = patient.store.user_setting.as_ref()?;
    Some(format!("PERFORM memory_enable_row_security({}, setting => '{setting}');", patient.argument()))
}

fn parts_of(reader: &Reader<'_>, patient: &Patient, new: &[New]) -> Result<Vec<String>> {
    let store = &patient.store;
    let relations = Relations {
        schema: store.schema.clone(),
        embedding_type: String::new(),
        language: String::new(),
        partitions: partitions(reader, patient)?,
    };
    let has_entries_table = !store.is_view;
    // Citus accepts references between two distributed tables, but none that changes the distribution column.
    let has_references = has_entries_table && !store.is_distributed;
    let mut parts: Vec<String> = new
        .iter()
        .map(|table| match table {
            New::EntryAccess => relations.entry_access(store.ids, has_references),
            New::Links => relations.links(store.ids, has_references),
            New::Aliases => relations.aliases(),
        })
        .collect();
    if has_entries_table && new.contains(&New::Links) {
        parts.push(index_of_corrections_anew(&store.schema));
    }
    let names: Vec<_> = new.iter().map(|table| store.relation(table.name())).collect();
    let mut statement = Statement::default();
    let like = statement.bind(Param::Integer(Some(i64::from(like(reader, patient)?))));
    let bound = statement.bind(Param::text(names.join(", ")));
    let statement = statement.with(filled(GRANTS, &[("{like}", &like), ("{new}", &bound)]));
    let found = reader.first(&statement, |row| Ok((row.required_text(1)?, row.text(2)?)))?;
    if let Some((owner, grants)) = found {
        parts.extend(names.iter().map(|table| format!("ALTER TABLE {table} OWNER TO {owner};")));
        parts.extend(grants);
    }
    if store.is_distributed {
        let entries = store.relation("entries");
        let quoted = |name: &str| name.replace('\'', "''");
        parts.extend(names.iter().map(|table| {
            format!(
                "PERFORM create_distributed_table('{}', 'memory_id', colocate_with => '{}');",
                quoted(table),
                quoted(&entries)
            )
        }));
        parts.extend(new.iter().flat_map(|table| table.names_entries_by().iter().map(move |end| (table, end))).map(
            |(table, end)| {
                format!(
                    "ALTER TABLE {} ADD FOREIGN KEY (memory_id, {end}) REFERENCES {entries} (memory_id, entry_id) \
                     ON DELETE CASCADE;",
                    store.relation(table.name())
                )
            },
        ));
    }
    Ok(parts)
}

/// The table whose owner and privileges new ones get: roles that may count uses may make links, and the reverse. A
/// store without both tables has contexts.
fn like(reader: &Reader<'_>, patient: &Patient) -> Result<u32> {
    let store = &patient.store;
    if store.read_from.entry_access != 0 {
        return Ok(store.read_from.entry_access);
    }
    let links = TablesOfLinks::find(reader, &store.schema)?;
    Ok(links.links.or(links.aliases).unwrap_or(store.read_from.contexts))
}

/// The number of partitions of entries, if they are partitioned by the hash of the memory. Some may be detached.
fn partitions(reader: &Reader<'_>, patient: &Patient) -> Result<Option<usize>> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(patient.store.read_from.entries))));
    let statement = statement.with(filled(MODULUS, &[("{entries}", &entries)]));
    let modulus = reader.only(&statement, |row| Ok(row.integer(1)))?;
    Ok(modulus.and_then(|modulus| usize::try_from(modulus).ok()))
}
