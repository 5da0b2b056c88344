//! The session's cache of query embeddings: an agent repeats its questions, and an embedder behind
//! an SQL function may take a hundred times as long as the search. Only embeddings are kept, never
//! results, because an outdated answer of a memory is a wrong one (ADR-0012).

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;

use lru::LruCache;
use memory_search_core::Result;

use crate::pg::role;
use crate::pg::settings;

/// Longer texts are not kept: they are not repeated, and the cache stays small.
const MAX_TEXT_BYTES: usize = 4 * 1024;

/// The embedder, the role and the text.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    embedder: String,
    role: u32,
    text: String,
}

type Cache = LruCache<Key, Vec<f32>>;

thread_local! {
    // Not dropped at exit: the memory ends with the process.
    static CACHE: ManuallyDrop<RefCell<Option<Cache>>> = ManuallyDrop::default();
}

/// The embedding of `text` by `embedder`, from the cache or from `embed`. A failure, or a text
/// without meaning, is not kept.
pub fn get_or_embed(
    embedder: &str,
    text: &str,
    embed: impl FnOnce() -> Result<Option<Vec<f32>>>,
) -> Result<Option<Vec<f32>>> {
    let Some(capacity) = NonZeroUsize::new(settings::embedding_cache()) else {
        CACHE.with(|cache| cache.borrow_mut().take());
        return embed();
    };
    if text.len() > MAX_TEXT_BYTES {
        return embed();
    }
    let key = Key { embedder: embedder.to_owned(), role: role::current(), text: text.to_owned() };
    let known = CACHE.with(|cache| {
        let mut cache = cache.borrow_mut();
        let cache = cache.get_or_insert_with(|| LruCache::new(capacity));
        cache.resize(capacity);
        cache.get(&key).cloned()
    });
    if known.is_some() {
        return Ok(known);
    }
    // The cache is not borrowed here, because an SQL function may run searches itself.
    let vector = embed()?;
    if let Some(vector) = &vector {
        CACHE.with(|cache| {
            if let Some(cache) = cache.borrow_mut().as_mut() {
                cache.put(key, vector.clone());
            }
        });
    }
    Ok(vector)
}
