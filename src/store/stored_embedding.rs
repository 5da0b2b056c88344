//! What is stored as the embedding of an entry or a context.

use memory_search_core::Result;
use memory_search_core::vector::embedding;

use crate::embed::embedder;
use crate::store::definition::Store;

/// What of an entry becomes its embedding. A search for it will look like its summary, which says it
/// best, then like its text.
pub fn meaning(summary: Option<&str>, raw_entry: &str) -> String {
    match summary {
        Some(summary) if !summary.trim().is_empty() => format!("{summary}\n{raw_entry}"),
        _ => raw_entry.to_owned(),
    }
}

/// A vector to store.
pub struct Embedded {
    /// Its elements.
    pub vector: Vec<f32>,
    /// The embedder that made it; `None` when the caller gave it.
    pub model: Option<String>,
}

/// The vector to store for `text`: the caller's, checked, or the embedder's where it fits.
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
                embedder::warn_if_not_installed()?;
            }
            Ok(vector
                .filter(|vector| store.takes(vector.len()))
                .map(|vector| Embedded { vector, model: Some(embedder::name()) }))
        }
    }
}
