//! The embedding that is stored with an entry or a context.

use std::cell::Cell;

use memory_search_core::request::entry_rows::EntryRow;
use memory_search_core::text::long_text;
use memory_search_core::vector::embedding;
use memory_search_core::{Error, ErrorKind, Result};

use crate::embed::embedder::{self, Without};
use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::pg::{notice, read_only, settings};
use crate::store::definition::Store;

thread_local! {
    /// Whether this session has already been warned that the embedder's vectors do not fit a store.
    static HAS_WARNED: Cell<bool> = const { Cell::new(false) };
}

/// The texts of an entry that are embedded. A search for the entry will resemble its summary most, which expresses it
/// best, and then its text.
#[derive(Debug, PartialEq, Eq)]
pub struct Meaning {
    text: String,
    /// The first byte of the entry's own text, whose passages are also embedded if it is long.
    entry_from: usize,
}

impl Meaning {
    /// The meaning of an entry.
    pub fn of(summary: Option<&str>, raw_entry: &str) -> Meaning {
        match summary {
            Some(summary) if !summary.trim().is_empty() => {
                Meaning { text: format!("{summary}\n{raw_entry}"), entry_from: summary.len() + 1 }
            }
            _ => Meaning { text: raw_entry.to_owned(), entry_from: 0 },
        }
    }

    /// The meaning of a text without passages, as contexts are.
    pub fn whole(text: String) -> Meaning {
        Meaning { entry_from: text.len(), text }
    }
}

impl Meaning {
    /// The entry's own text.
    pub fn entry(&self) -> &str {
        &self.text[self.entry_from..]
    }

    /// Whether there is nothing to embed.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The passages that are embedded too.
    pub fn passages(&self) -> Vec<&str> {
        let text = self.entry();
        long_text::passages(text, &interrupt::check).into_iter().map(|range| &text[range]).collect()
    }
}

/// The vectors that a caller gives for an entry.
#[derive(Debug)]
pub struct GivenVectors {
    /// The embedding of the entry.
    pub embedding: Vec<f32>,
    /// The embeddings of its passages.
    pub passages: Vec<Vec<f32>>,
}

/// The vectors that an entry comes with; they are taken from it.
pub fn given(entry: &mut EntryRow) -> Option<GivenVectors> {
    let passages = entry.passage_embeddings.take().unwrap_or_default();
    entry.embedding.take().map(|embedding| GivenVectors { embedding, passages })
}

/// Vectors to store.
#[derive(Debug)]
pub struct Embedded {
    /// The elements of the embedding.
    pub vector: Vec<f32>,
    /// The embeddings of the passages of a long text, with as many elements each.
    pub passages: Vec<Vec<f32>>,
    /// The embedder that made them; `None` if the caller gave them.
    pub model: Option<String>,
}

/// The vector to store with a text that is written now: none if the caller gave none and it is embedded later.
pub fn vector_to_write(store: &Store, given: Option<Vec<f32>>, text: &str) -> Result<Option<Embedded>> {
    if given.is_none() && !settings::embeds_on_write() {
        return Ok(None);
    }
    vector_for(store, given, text)
}

/// The vectors to store with an entry that is written now. If the caller gave none and the embedder's vectors do not fit
/// the store, the session is warned.
pub fn entry_vectors_to_write(
    store: &Store,
    given: Option<GivenVectors>,
    meaning: &Meaning,
) -> Result<Option<Embedded>> {
    let vector = whole_vector_to_write(store, given, meaning)?;
    vector.map(|whole| with_passages(whole, meaning)).transpose()
}

/// [`entry_vectors_to_write`] without the vectors of passages that the embedder makes.
pub fn whole_vector_to_write(
    store: &Store,
    given: Option<GivenVectors>,
    meaning: &Meaning,
) -> Result<Option<Embedded>> {
    let is_left_to_us = given.is_none() && settings::embeds_on_write();
    let vector = match given {
        Some(given) => Some(checked(store, given)?),
        None if is_left_to_us => vector_for(store, None, &meaning.text)?,
        None => None,
    };
    if vector.is_none()
        && is_left_to_us
        && let Some(made) = embedder::dimensions()?.filter(|made| !store.takes(*made))
    {
        warn_of_dimensions(store, made);
    }
    Ok(vector)
}

/// The caller's vectors, checked.
fn checked(store: &Store, given: GivenVectors) -> Result<Embedded> {
    embedding::check(&given.embedding)?;
    if let Some(dimensions) = store.embedding.dimensions {
        embedding::check_dimensions(&given.embedding, dimensions)?;
    }
    check_passages(&given)?;
    let passages = given.passages.into_iter().map(embedding::storable).collect();
    Ok(Embedded { vector: embedding::storable(given.embedding), passages, model: None })
}

/// Refuses embeddings of passages that cannot be compared, or that have other dimensions than the embedding.
pub fn check_passages(given: &GivenVectors) -> Result<()> {
    const HINT: &str = "Give a vector of the embedding's dimensions for each passage, or leave passageEmbeddings out.";
    let dimensions = given.embedding.len();
    for (number, passage) in given.passages.iter().enumerate() {
        let name = format!("passageEmbeddings[{number}]");
        if passage.len() != dimensions {
            let message = format!("{name} has {} dimensions, and embedding has {dimensions}", passage.len());
            return Err(Error::new(ErrorKind::DimensionMismatch, message).hint(HINT));
        }
        embedding::check(passage).map_err(|refusal| {
            Error { message: refusal.message.replacen("embedding", &name, 1), ..refusal }.hint(HINT)
        })?;
    }
    Ok(())
}

/// The embedder's vectors, if they fit.
pub fn made_for(store: &Store, meaning: &Meaning) -> Result<Option<Embedded>> {
    vector_for(store, None, &meaning.text)?.map(|whole| with_passages(whole, meaning)).transpose()
}

/// Adds the embeddings of passages to that of a text that the embedder has made. Those that a caller gives are complete.
pub fn with_passages(mut made: Embedded, meaning: &Meaning) -> Result<Embedded> {
    if made.model.is_none() {
        return Ok(made);
    }
    for passage in meaning.passages() {
        // A passage without meaning for the embedder counts like the whole, so that each passage has its place.
        let vector = embedder::embed(passage)?.map_or_else(|| made.vector.clone(), embedding::storable);
        if vector.len() != made.vector.len() {
            let message = format!(
                "{} made an embedding of {} dimensions for a passage of a text, and one of {} for the text",
                embedder::name_in_words(),
                vector.len(),
                made.vector.len()
            );
            return Err(Error::new(ErrorKind::DimensionMismatch, message)
                .hint("An embedder gives each text a vector of the same dimensions: fix the function."));
        }
        made.passages.push(vector);
    }
    Ok(made)
}

/// The vector to store for `text`: the caller's, checked, or the embedder's if it fits.
fn vector_for(store: &Store, given: Option<Vec<f32>>, text: &str) -> Result<Option<Embedded>> {
    match given {
        Some(vector) => checked(store, GivenVectors { embedding: vector, passages: Vec::new() }).map(Some),
        None => {
            read_only::refuse(c"INSERT");
            // A function's vectors may be too long or too short for the column's type, as a caller's may.
            let vector = embedder::embed(text)?.map(embedding::storable);
            if vector.is_none() {
                embedder::warn_if_not_installed(Without::Storing)?;
            }
            Ok(vector.filter(|vector| store.takes(vector.len())).map(|vector| Embedded {
                vector,
                passages: Vec::new(),
                model: Some(embedder::name()),
            }))
        }
    }
}

/// The assignments, in an UPDATE of a table with or without vectors of passages, that store vectors in place of those
/// before.
pub fn assignments(store: &Store, statement: &mut Statement, embedded: Option<Embedded>, has_passages: bool) -> String {
    let (vector, passages, model) = match embedded {
        Some(Embedded { vector, passages, model }) => (Some(vector), passages, model),
        None => (None, Vec::new(), None),
    };
    let vector = statement.bind(Param::Reals(vector));
    let vector = store.vector(&vector);
    let of_passages = match passages.is_empty() {
        _ if !has_passages => String::new(),
        true => ", passage_embeddings = NULL".to_owned(),
        false => format!(", passage_embeddings = {}", store.vectors(statement, passages)),
    };
    let model = statement.bind(Param::Text(model));
    format!("embedding = {vector}{of_passages}, embedding_model = {model}, embedding_error = NULL")
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
