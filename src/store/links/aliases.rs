//! Other names for the entities of a memory, in the flat form of `entities::flat_aliases`.

use memory_search_core::bounds_and_defaults::MAX_RESPONSE_BYTES;
use memory_search_core::entities::flat_aliases::{Change, FlatAliases};
use memory_search_core::error::shown;
use memory_search_core::request::links::Name;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::datum::text;
use crate::pg::identifier::QualifiedName;
use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::settings;
use crate::pg::snapshot;
use crate::pg::spi::{self, Statement, Writer};
use crate::store::definition::tables_of_links::required;
use crate::store::definition::{self, Store};
use crate::store::statements::row_locks;

/// Rows of one statement.
pub(super) const BATCH: usize = 1_000;

/// A stored alias.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Alias {
    pub alias: String,
    pub entity: String,
    pub created: Option<Micros>,
}

/// The aliases of one memory.
pub(super) struct Table<'a> {
    pub store: &'a Store,
    pub relation: QualifiedName,
    pub memory_id: String,
}

impl Table<'_> {
    /// The condition that rows `a` belong to the memory.
    fn of_memory(&self, statement: &mut Statement) -> String {
        format!("a.memory_id OPERATOR(pg_catalog.=) {}", statement.bind(Param::text(self.memory_id.as_str())))
    }

    fn all(&self) -> Statement {
        let mut statement = Statement::default();
        let of_memory = self.of_memory(&mut statement);
        statement.with(format!(
            "SELECT a.alias, a.entity, a.creation_time FROM {} a WHERE {of_memory} \
              ORDER BY a.entity COLLATE pg_catalog.\"C\", a.alias COLLATE pg_catalog.\"C\"",
            self.relation
        ))
    }

    /// The aliases before a change. Until the end of the transaction no other session changes them by a function: two
    /// sessions that each make half of a circle run one after the other. If the transaction's snapshot is older than
    /// the lock, it may lack aliases of a session that had the lock before (40001).
    pub fn locked(&self, writer: &mut Writer<'_>, memory_id: &MemoryId) -> Result<FlatAliases> {
        row_locks::lock_memory(writer, self.store, memory_id)?;
        let all = self.all();
        let mut pairs = Vec::new();
        writer.returning(&all, |row| add_pair(&mut pairs, &row))?;
        if snapshot::level_that_keeps_one().is_some() {
            let mut newest = Vec::new();
            spi::read_newest(|reader| reader.scan(&all, |row| add_pair(&mut newest, &row)))?;
            if newest != pairs {
                return Err(changed_meanwhile(memory_id));
            }
        }
        interrupt::check();
        Ok(FlatAliases::of(pairs))
    }

    /// Gives existing aliases the entities of `aliases`.
    pub fn update(&self, writer: &mut Writer<'_>, names: &[String], aliases: &FlatAliases) -> Result<()> {
        for names in names.chunks(BATCH) {
            let mut statement = Statement::default();
            let of_memory = self.of_memory(&mut statement);
            let entities = names.iter().map(|name| aliases.entity(name).map(str::to_owned)).collect();
            let [names, entities] =
                [Param::Texts(names.to_vec()), Param::NullableTexts(entities)].map(|param| statement.bind(param));
            writer.execute(&statement.with(format!(
                "UPDATE {} a SET entity = ({entities})[pg_catalog.array_position({names}, a.alias)] \
                  WHERE {of_memory} AND a.alias OPERATOR(pg_catalog.=) ANY ({names})",
                self.relation
            )))?;
        }
        Ok(())
    }

    /// Runs `work` with custom plans: a plan for any memory would lock every partition.
    fn in_one_partition<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let is_partitioned = self.store.is_partitioned || self.store.tables_by_memory.is_some();
        if is_partitioned { settings::with(c"plan_cache_mode", c"force_custom_plan", work) } else { work() }
    }
}

/// Runs `work` with the aliases of a memory, for which the store must have a table (55000).
pub(super) fn with_table<T>(
    store_name: &StoreName,
    memory_id: &MemoryId,
    work: impl FnOnce(&Table<'_>) -> Result<T>,
) -> Result<T> {
    let (store, relation) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        let relation = required(reader, &store, store_name, "aliases")?;
        Ok((store, relation))
    })?;
    let table = Table { store: &store, relation, memory_id: store.canonical_memory_id(memory_id) };
    table.in_one_partition(|| work(&table))
}

fn add_pair(pairs: &mut Vec<(String, String)>, row: &Row<'_>) -> Result<()> {
    let Alias { alias, entity, .. } = read(row)?;
    pairs.push((alias, entity));
    Ok(())
}

/// Refuses to change aliases that the transaction does not see as they are.
fn changed_meanwhile(memory_id: &MemoryId) -> Error {
    let message = format!("aliases of memory \"{}\" changed after the transaction's snapshot", shown(memory_id));
    Error::new(ErrorKind::ChangedMeanwhile, message)
        .detail("With them, the new alias could make a circle.")
        .hint("Try again in a new transaction.")
}

fn read(row: &Row<'_>) -> Result<Alias> {
    Ok(Alias { alias: row.required_text(1)?, entity: row.required_text(2)?, created: row.timestamp(3) })
}

/// Makes a name an alias of another in a memory; returns whether it was no alias before. Aliases of the new alias
/// become aliases of the other name. A circle is refused (22023).
pub fn set(store_name: &StoreName, memory_id: &MemoryId, alias: &Name, entity: &Name) -> Result<bool> {
    with_table(store_name, memory_id, |table| {
        spi::write(|writer| {
            let mut aliases = table.locked(writer, memory_id)?;
            let Change { is_new, entity, moved } = aliases.set(&alias.folded, alias, entity)?;
            table.update(writer, &moved, &aliases)?;
            if is_new {
                let mut statement = Statement::default();
                let [memory, alias, entity] =
                    [table.memory_id.as_str(), &alias.folded, &entity].map(|text| statement.bind(Param::text(text)));
                writer.execute(&statement.with(format!(
                    "INSERT INTO {} (memory_id, alias, entity) VALUES ({memory}, {alias}, {entity}) \
                     ON CONFLICT (memory_id, alias) DO UPDATE SET entity = EXCLUDED.entity",
                    table.relation
                )))?;
            }
            Ok(is_new)
        })
    })
}

/// Removes an alias; returns whether it existed.
pub fn remove(store_name: &StoreName, memory_id: &MemoryId, alias: &Name) -> Result<bool> {
    with_table(store_name, memory_id, |table| {
        let mut statement = Statement::default();
        let of_memory = table.of_memory(&mut statement);
        let alias = statement.bind(Param::text(alias.folded.as_str()));
        let statement = statement.with(format!(
            "DELETE FROM {} a WHERE {of_memory} AND a.alias OPERATOR(pg_catalog.=) {alias}",
            table.relation
        ));
        spi::write(|writer| writer.execute(&statement)).map(|removed| removed > 0)
    })
}

/// The aliases of a memory, ordered by the names that they stand for.
pub fn all(store_name: &StoreName, memory_id: &MemoryId) -> Result<Vec<Alias>> {
    with_table(store_name, memory_id, |table| {
        let (mut found, mut bytes) = (Vec::new(), 0);
        spi::read(|reader| {
            reader.scan(&table.all(), |row| {
                let alias = read(&row)?;
                bytes += alias.alias.len() + alias.entity.len();
                if bytes > MAX_RESPONSE_BYTES {
                    return Err(text::too_much(bytes));
                }
                found.push(alias);
                Ok(())
            })
        })?;
        Ok(found)
    })
}
