//! Adds many entries: all of them or none.

use std::collections::{HashMap, HashSet};

use memory_search_core::error::shown;
use memory_search_core::request::entry_rows::EntryRow;
use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, Result};

use crate::pg::interrupt;
use crate::pg::settings;
use crate::pg::spi::{self, Statement};
use crate::store::definition::{self, Store, placement};
use crate::store::writing::found_entities;
use crate::store::writing::insert_rows::{self, OnConflict};
use crate::store::writing::kept_passages;
use crate::store::writing::new_row::{NewRow, Past};
use crate::store::writing::put_context::{self, NewContext};
use crate::store::writing::stored_embedding::{self, Embedded, GivenVectors, Meaning};
use crate::store::writing::time_to_live;
use crate::store::writing::upsert;

/// The context of an entry, kept for later when its row has been moved away.
struct Brought {
    at: usize,
    context: String,
    user_id: Option<String>,
    creation_time: Option<Micros>,
}

/// The result for an entry.
#[derive(Debug)]
pub struct Stored {
    /// Its id.
    pub entry_id: EntryId,
    /// Whether an entry already had its key, and was changed.
    pub was_there: bool,
}

/// Adds each entry as `memory_add` does; returns their results in the same order.
pub fn add_many(store_name: &StoreName, memory_id: &MemoryId, mut entries: Vec<EntryRow>) -> Result<Vec<Stored>> {
    let store = placement::to_change(&spi::read(|reader| definition::store(reader, store_name))?, memory_id)?;
    store.require_own_entries("memory_add_many")?;
    let lives =
        entries.iter().enumerate().filter_map(|(at, entry)| Some((format!("entries[{at}].ttl"), entry.ttl.clone()?)));
    time_to_live::check(lives.collect())?;
    found_entities::add_to_many(&mut entries);
    let known = known(&store, memory_id, &entries)?;
    let entries = entries.into_iter().map(|entry| (entry, Past::default())).collect();
    add_rows(&store, memory_id, entries, &known, &|at| format!("entries[{at}]"))
}

/// Adds entries of a memory; `known` has the keys that exist already, and `name` gives an entry's name for a refusal.
pub fn add_rows(
    store: &Store,
    memory_id: &MemoryId,
    entries: Vec<(EntryRow, Past)>,
    known: &HashSet<String>,
    name: &dyn Fn(usize) -> String,
) -> Result<Vec<Stored>> {
    let (mut rows, mut contexts, mut keyed) = (Vec::with_capacity(entries.len()), Vec::new(), Vec::new());
    for (at, (mut entry, past)) in entries.into_iter().enumerate() {
        interrupt::check();
        let meaning = Meaning::of(entry.summary.as_deref(), &entry.raw_entry);
        let was_there = entry.entry_key.as_ref().is_some_and(|key| known.contains(key));
        let given = stored_embedding::given(&mut entry);
        let embedding = vectors(store, memory_id, (&entry, given), &meaning, was_there)
            .map_err(|refusal| concerns(refusal, &name(at)))?;
        if let Some(context) = entry.context.as_ref().filter(|text| !text.trim().is_empty()) {
            let (user_id, creation_time) = (entry.user_id.clone(), entry.creation_time);
            contexts.push(Brought { at, context: context.clone(), user_id, creation_time });
        }
        keyed.push((was_there, entry.entry_key.clone().zip(entry.entry_id.clone())));
        rows.push(NewRow { entry, embedding, past });
    }
    let on_conflict = match rows.iter().any(|row| row.entry.entry_key.is_some()) {
        true => {
            OnConflict { gives_time: upsert::on_conflict(store, true)?, keeps_time: upsert::on_conflict(store, false)? }
        }
        false => OnConflict::default(),
    };
    let ids = insert_rows::insert(store, memory_id, rows, &on_conflict, name)?;
    let snapshot = |brought: Brought| NewContext {
        memory_id: memory_id.clone(),
        context: brought.context,
        embedding: None,
        user_id: brought.user_id,
        creation_time: brought.creation_time,
        entry_id: ids.get(brought.at).cloned(),
    };
    put_context::put_if_changed(store, contexts.into_iter().map(snapshot).collect())?;
    ids.into_iter()
        .zip(keyed)
        .map(|(entry_id, (was_there, given))| {
            if let Some((key, given)) = given {
                upsert::check_id(Some(&given), &key, &entry_id)?;
            }
            Ok(Stored { entry_id, was_there })
        })
        .collect()
}

/// The error with the name of its entry, after a detail that it has, such as the embedder's function.
fn concerns(refusal: Error, entry: &str) -> Error {
    let detail = refusal.detail.as_ref().map_or_else(String::new, |detail| format!("{detail} "));
    refusal.detail(format!("{detail}The error concerns {entry}."))
}

/// The vectors to store with an entry.
fn vectors(
    store: &Store,
    memory_id: &MemoryId,
    (entry, given): (&EntryRow, Option<GivenVectors>),
    meaning: &Meaning,
    was_there: bool,
) -> Result<Option<Embedded>> {
    // The entry is locked: `known` has found it.
    if let Some(key) = entry.entry_key.as_ref().filter(|_| was_there && given.is_none() && settings::embeds_on_write())
        && upsert::keeps_given_vectors(store, memory_id, key, &entry.raw_entry, entry.summary.as_deref())?
    {
        return Ok(None);
    }
    let Some(whole) = stored_embedding::whole_vector_to_write(store, given, meaning)? else { return Ok(None) };
    let vectors = match entry.entry_key.as_ref().filter(|_| was_there) {
        Some(key) => {
            let this = |statement: &mut Statement| upsert::with_key(store, statement, memory_id, key);
            kept_passages::with_passages(store, this, entry.summary.as_deref(), whole, meaning)
        }
        None => stored_embedding::with_passages(whole, meaning),
    };
    vectors.map(Some)
}

/// The keys that entries of the memory already have. Refuses a key that two of the new entries have.
fn known(store: &Store, memory_id: &MemoryId, entries: &[EntryRow]) -> Result<HashSet<String>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let Some(key) = &entry.entry_key else { continue };
        if let Some(first) = places.insert(key, at) {
            return Err(Error::invalid(format!(
                "entries[{first}] and entries[{at}] have the same entryKey, \"{}\"",
                shown(key)
            ))
            .hint("A key is unique within a memory: keep one of the two entries."));
        }
    }
    if places.is_empty() {
        return Ok(HashSet::new());
    }
    if places.len() > 1 {
        upsert::lock_keys(store, memory_id)?;
    }
    upsert::known(store, memory_id, places.into_keys().map(str::to_owned).collect())
}
