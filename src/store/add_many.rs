//! Adds many entries: all of them, or none.

use memory_search_core::Result;
use memory_search_core::request::entry_rows::EntryRow;
use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::timestamp::Micros;

use crate::pg::interrupt;
use crate::pg::spi;
use crate::store::context::{self, NewContext};
use crate::store::definition;
use crate::store::insert_rows::{self, NewRow, Past};
use crate::store::stored_embedding;

/// What is to be remembered of an entry when its row is gone: the context that it brings.
struct Brought {
    at: usize,
    context: String,
    user_id: Option<String>,
    creation_time: Option<Micros>,
}

/// Adds entries as `memory_add` adds each; gives their ids in the same order.
pub fn add_many(store_name: &StoreName, memory_id: &MemoryId, entries: Vec<EntryRow>) -> Result<Vec<EntryId>> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    store.require_own_entries("memory_add_many")?;
    let (mut rows, mut contexts) = (Vec::with_capacity(entries.len()), Vec::new());
    for (at, mut entry) in entries.into_iter().enumerate() {
        interrupt::check();
        let meaning = stored_embedding::meaning(entry.summary.as_deref(), &entry.raw_entry);
        let embedding = stored_embedding::entry_vector_to_write(&store, entry.embedding.take(), &meaning)
            .map_err(|refusal| refusal.detail(format!("It is of entries[{at}].")))?;
        if let Some(context) = entry.context.as_ref().filter(|text| !text.trim().is_empty()) {
            let (user_id, creation_time) = (entry.user_id.clone(), entry.creation_time);
            contexts.push(Brought { at, context: context.clone(), user_id, creation_time });
        }
        rows.push(NewRow { entry, embedding, past: Past::default() });
    }
    let ids = insert_rows::insert(&store, memory_id, rows)?;
    for Brought { at, context, user_id, creation_time } in contexts {
        interrupt::check();
        let snapshot = NewContext {
            memory_id: memory_id.clone(),
            context,
            embedding: None,
            user_id,
            creation_time,
            entry_id: ids.get(at).cloned(),
        };
        context::put_if_changed(&store, snapshot)?;
    }
    Ok(ids)
}
