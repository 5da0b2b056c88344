//! The embedding that is stored with an entry or a context.

use std::cell::Cell;

use memory_search_core::vector::embedding;
use memory_search_core::{Error, ErrorKind, Result};

use crate::embed::embedder::{self, Without};
use crate::pg::{notice, settings};
use crate::store::definition::Store;

thread_local! {
    /// Whether this session has already been warned that the embedder's vectors do not fit a store.
    static HAS_WARNED: Cell<bool> = const { Cell::new(false) };
}

/// The text of an entry that is embedded. A search for the entry will resemble its summary most, which expresses it
/// best, and then its text.
pub fn meaning(summary: Option<&str>, raw_entry: &str) -> String {
    match summary {
        Some(summary) if !summary.trim().is_empty() => format!("{summary}\n{raw_entry}"),
        _ => raw_entry.to_owned(),
    }
}

/// A vector to store.
#[derive(Debug)]
pub struct Embedded {
    /// Its elements.
    pub vector: Vec<f32>,
    /// The embedder that made it; `None` if the caller gave it.
    pub model: Option<String>,
}

/// The vector to store with a text that is written now: none if the caller gave none and it is embedded later.
pub fn vector_to_write(store: &Store, given: Option<Vec<f32>>, text: &str) -> Result<Option<Embedded>> {
    if given.is_none() && !settings::embeds_on_write() {
        return Ok(None);
    }
    vector_for(store, given, text)
}

/// [`vector_to_write`] for an entry. If the caller gave no vector and the embedder's vectors do not fit the store, the
/// session is warned.
pub fn entry_vector_to_write(store: &Store, given: Option<Vec<f32>>, text: &str) -> Result<Option<Embedded>> {
    let is_left_to_us = given.is_none() && settings::embeds_on_write();
    let vector = vector_to_write(store, given, text)?;
    if vector.is_none()
        && is_left_to_us
        && let Some(made) = embedder::dimensions()?.filter(|made| !store.takes(*made))
    {
        warn_of_dimensions(store, made);
    }
    Ok(vector)
}

/// The vector to store for `text`: the caller's, checked, or the embedder's if it fits.
pub fn vector_for(store: &Store, given: Option<Vec<f32>>, text: &str) -> Result<Option<Embedded>> {
    match given {
        Some(vector) => {
            embedding::check(&vector)?;
            if let Some(dimensions) = store.embedding.dimensions {
                embedding::check_dimensions(&vector, dimensions)?;
            }
            Ok(Some(Embedded { vector: embedding::storable(vector), model: None }))
        }
        None => {
            let vector = embedder::embed(text)?;
            if vector.is_none() {
                embedder::warn_if_not_installed(Without::Storing)?;
            }
            Ok(vector
                .filter(|vector| store.takes(vector.len()))
                .map(|vector| Embedded { vector, model: Some(embedder::name()) }))
        }
    }
}

/// Warns, once in a session, that the embedder's vectors do not fit the store.
fn warn_of_dimensions(store: &Store, made: usize) {
    if HAS_WARNED.replace(true) {
        return;
    }
    let warning = Error::new(
        ErrorKind::DimensionMismatch,
        format!(
            "{} makes embeddings of {made} dimensions, but the store {} holds {}: entries that come without an embedding \
             get none, and are found by words alone",
            embedder::name(),
            store.schema,
            store.embedding.dimensions.unwrap_or_default()
        ),
    );
    notice::warn(&warning.hint(
        "Give embeddings with each call, name an embedder that fits in memory_search.embedding_function, or set \
         memory_search.embed_on_write to off to store rows without embeddings.",
    ));
}
