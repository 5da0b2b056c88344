//! Entries with keys of the application: an entry that is stored again under the same key changes the entry that has
//! it.

use std::collections::HashSet;

use memory_search_core::request::names::{EntryId, MemoryId};
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition::Store;
use crate::store::statements::row_locks;
use crate::store::writing::entry_columns::{COLUMNS, EntryColumn, StoredAgain};

/// The text after the rows of an INSERT into entries `e`: a row whose key exists changes the entry that has it, which
/// is restored if it was deleted, unless the new row is deleted as well. Its id, its use and its correction stay, and
/// its creation time unless a new one is given.
///
/// If the texts are the same, embeddings that a caller gave, which have no embedder's name, stay unless the caller gives
/// others. If the new row has no embedding, which is then made later, those that are there stay too.
///
/// # Errors
///
/// The store has no index that makes a key unique within a memory (55000).
pub fn on_conflict(store: &Store, gives_time: bool) -> Result<String> {
    if !store.has_key_index {
        let entries = store.relation("entries");
        let refusal =
            format!("entry_key cannot be stored: {entries} lacks the unique index on memory_id and entry_key");
        return Err(Error::new(ErrorKind::WrongState, refusal).hint(index_of_keys_anew(store)));
    }
    let is_replaced = |column: &&EntryColumn| match column.stored_again {
        StoredAgain::Replaced => true,
        StoredAgain::ReplacedIfGiven => gives_time,
        StoredAgain::Stays | StoredAgain::AsTheEmbedding => false,
    };
    let replaced = COLUMNS.iter().filter(is_replaced);
    let mut assignments: Vec<String> = replaced.map(|column| format!("{0} = EXCLUDED.{0}", column.name)).collect();
    let stays = "e.embedding IS NOT NULL AND e.raw_entry OPERATOR(pg_catalog.=) EXCLUDED.raw_entry \
                 AND COALESCE(e.summary, '') OPERATOR(pg_catalog.=) COALESCE(EXCLUDED.summary, '') \
                 AND (EXCLUDED.embedding IS NULL \
                   OR e.embedding_model IS NULL AND EXCLUDED.embedding_model IS NOT NULL)";
    for column in ["embedding", "passage_embeddings", "embedding_model", "embedding_error"] {
        assignments.push(format!("{column} = CASE WHEN {stays} THEN e.{column} ELSE EXCLUDED.{column} END"));
    }
    let set = assignments.join(", ");
    Ok(format!(" ON CONFLICT (memory_id, entry_key) WHERE entry_key IS NOT NULL DO UPDATE SET {set}"))
}

/// The statement that rebuilds the index of keys.
pub fn index_of_keys_anew(store: &Store) -> String {
    let entries = store.relation("entries");
    format!("CREATE UNIQUE INDEX entries_key ON {entries} (memory_id, entry_key) WHERE entry_key IS NOT NULL;")
}

/// Refuses an entry whose key belongs to another id than the given one (22023).
pub fn check_id(given: Option<&str>, entry_key: &str, stored: &EntryId) -> Result<()> {
    match given {
        Some(given) if !given.eq_ignore_ascii_case(stored) => Err(Error::invalid(format!(
            "entry_id {given} is not the entry with entry_key \"{entry_key}\", which is {stored}"
        ))
        .hint("Leave entry_id out: the entry keeps its own.")),
        _ => Ok(()),
    }
}

/// The condition that entries `e` are of a memory and have a key.
pub fn with_key(store: &Store, statement: &mut Statement, memory_id: &MemoryId, entry_key: &str) -> String {
    store.where_it_lies(statement);
    let memory = statement.bind(Param::text(memory_id));
    let key = statement.bind(Param::text(entry_key));
    format!(
        "e.memory_id OPERATOR(pg_catalog.=) {memory} AND e.entry_key OPERATOR(pg_catalog.=) {key} \
         AND e.entry_key IS NOT NULL"
    )
}

/// Whether an entry of a memory has a key, as far as the caller sees; another session may change this.
pub fn has(store: &Store, memory_id: &MemoryId, entry_key: &str) -> Result<bool> {
    let mut statement = Statement::default();
    let this = with_key(store, &mut statement, memory_id, entry_key);
    let statement = statement.with(format!("SELECT FROM {} e WHERE {this}", store.relation("entries")));
    Ok(spi::with_own_changes(|| spi::read(|reader| reader.first(&statement, |_| Ok(()))))?.is_some())
}

/// Whether an entry of a memory has a key, these texts, and embeddings that a caller gave: they stay when it is stored
/// again without others ([`on_conflict`]), so that the embedder has nothing to do. The entry then does not change until
/// the end of the transaction.
pub fn keeps_given_vectors(
    store: &Store,
    memory_id: &MemoryId,
    entry_key: &str,
    raw_entry: &str,
    summary: Option<&str>,
) -> Result<bool> {
    let mut statement = Statement::default();
    let this = with_key(store, &mut statement, memory_id, entry_key);
    let raw_entry = statement.bind(Param::text(raw_entry));
    let summary = statement.bind(Param::text(summary.unwrap_or_default()));
    let statement = statement.with(format!(
        "SELECT FROM {} e WHERE {this} AND e.embedding IS NOT NULL AND e.embedding_model IS NULL \
           AND e.raw_entry OPERATOR(pg_catalog.=) {raw_entry} \
           AND COALESCE(e.summary, '') OPERATOR(pg_catalog.=) {summary} FOR NO KEY UPDATE",
        store.relation("entries")
    ));
    Ok(spi::write(|writer| writer.first(&statement, |_| Ok(())))?.is_some())
}

/// Makes sessions that add several keys, or corrections, to a memory run one after the other: two calls with the same new
/// keys in different orders would each wait for a row that the other has inserted.
pub fn lock_keys(store: &Store, memory_id: &MemoryId) -> Result<()> {
    spi::write(|writer| row_locks::lock_memory(writer, store, memory_id))
}

/// The keys among these that entries of a memory have. These entries do not change until the end of the transaction.
/// Keys of rows that the caller does not see are left out.
pub fn known(store: &Store, memory_id: &MemoryId, keys: Vec<String>) -> Result<HashSet<String>> {
    let mut statement = Statement::default();
    store.where_it_lies(&mut statement);
    let memory = statement.bind(Param::text(memory_id));
    let keys = statement.bind(Param::Texts(keys));
    // In the order in which deletions lock too, so that sessions wait for each other without a deadlock.
    let statement = statement.with(format!(
        "SELECT e.entry_key FROM {} e WHERE e.memory_id OPERATOR(pg_catalog.=) {memory} \
         AND e.entry_key OPERATOR(pg_catalog.=) ANY ({keys}) AND e.entry_key IS NOT NULL \
         ORDER BY e.entry_id FOR NO KEY UPDATE",
        store.relation("entries")
    ));
    let mut known = HashSet::new();
    spi::write(|writer| {
        writer.returning(&statement, |row| {
            known.insert(row.required_text(1)?);
            Ok(())
        })
    })?;
    Ok(known)
}
