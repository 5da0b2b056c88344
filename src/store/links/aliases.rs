//! Other names for the entities of a memory. The target of an alias is never an alias itself: a chain is resolved when
//! it is made, for each order of its parts, so that readers need one look-up.

use std::collections::BTreeMap;

use memory_search_core::bounds_and_defaults::{ALIAS_CHAIN, MAX_RESPONSE_BYTES};
use memory_search_core::error::shown;
use memory_search_core::request::links::Name;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::text::entity_key::entity_key;
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, Result};

use crate::pg::datum::text;
use crate::pg::identifier::QualifiedName;
use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::settings;
use crate::pg::spi::{self, Statement};
use crate::store::definition::tables_of_links::required;
use crate::store::definition::{self, Store};
use crate::store::statements::row_locks;

/// A stored alias.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Alias {
    pub alias: String,
    pub entity: String,
    pub created: Option<Micros>,
}

/// The aliases of one memory.
struct Table<'a> {
    store: &'a Store,
    relation: QualifiedName,
    memory_id: String,
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

    /// Runs `work` with custom plans: a plan for any memory would lock every partition.
    fn in_one_partition<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let is_partitioned = self.store.is_partitioned || self.store.tables_by_memory.is_some();
        if is_partitioned { settings::with(c"plan_cache_mode", c"force_custom_plan", work) } else { work() }
    }
}

fn with_table<T>(
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

fn read(row: &Row<'_>) -> Result<Alias> {
    Ok(Alias { alias: row.required_text(1)?, entity: row.required_text(2)?, created: row.timestamp(3) })
}

/// Makes a name an alias of another in a memory; returns whether it was no alias before. Aliases of the new alias
/// become aliases of the other name. A circle is refused (22023).
pub fn set(store_name: &StoreName, memory_id: &MemoryId, alias: &Name, entity: &Name) -> Result<bool> {
    if alias.folded == entity.folded {
        let message = format!("alias and entity are the same name, \"{}\"", shown(&entity.written));
        return Err(Error::invalid(message).hint("Names are compared without case and accents: no alias is needed."));
    }
    with_table(store_name, memory_id, |table| {
        spi::write(|writer| {
            // Two sessions that each make half of a circle run one after the other.
            row_locks::lock_memory(writer, table.store, memory_id)?;
            let mut known = BTreeMap::new();
            writer.returning(&table.all(), |row| {
                let Alias { alias, entity, .. } = read(&row)?;
                known.insert(alias, entity);
                Ok(())
            })?;
            let entity = resolved(&known, alias, entity)?;
            interrupt::check();
            let mut stand_for_it: Vec<String> = known
                .iter()
                .filter(|(_, entity)| key_of(entity) == alias.folded)
                .map(|(name, _)| name.clone())
                .collect();
            let is_new = !known.contains_key(&alias.folded);
            if !is_new {
                stand_for_it.push(alias.folded.clone());
            }
            if !stand_for_it.is_empty() {
                let mut statement = Statement::default();
                let of_memory = table.of_memory(&mut statement);
                let [names, entity] =
                    [Param::Texts(stand_for_it), Param::text(entity.as_str())].map(|param| statement.bind(param));
                writer.execute(&statement.with(format!(
                    "UPDATE {} a SET entity = {entity} WHERE {of_memory} AND a.alias OPERATOR(pg_catalog.=) ANY ({names})",
                    table.relation
                )))?;
            }
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

/// The key of a name that plain SQL may have stored.
fn key_of(name: &str) -> String {
    entity_key(name).unwrap_or_default().into_owned()
}

/// The name that a name stands for at the end of its chain.
fn resolved(known: &BTreeMap<String, String>, alias: &Name, entity: &Name) -> Result<String> {
    let (mut name, mut key) = (&entity.written, entity.folded.clone());
    for _ in 0..ALIAS_CHAIN {
        let Some(next) = known.get(&key) else { return Ok(name.clone()) };
        (name, key) = (next, key_of(next));
        if key == alias.folded {
            let (alias, entity) = (shown(&alias.written), shown(&entity.written));
            let refusal = format!("\"{entity}\" is an alias of \"{alias}\": each would stand for the other");
            return Err(Error::invalid(refusal).hint("Remove that alias first: memory_unalias(memory_id, alias)."));
        }
    }
    Err(Error::invalid(format!("\"{}\" is in a circle of aliases, or in a chain of too many", shown(&entity.written)))
        .hint("Remove one of them first: memory_aliases(memory_id) shows them, memory_unalias removes one."))
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
