//! A row from the server, as a document.

use half::f16;
use memory_search_core::bounds_and_defaults::MAX_PASSAGES;
use memory_search_core::filter::containment;
use memory_search_core::place::Place;
use memory_search_core::text::document::{Document as _, Occurrences};
use memory_search_core::text::made_words::Weight;
use memory_search_core::{Error, ErrorKind, Result};
use memory_search_index::document::Document;
use memory_search_index::hashing::{Hashes, MemoryHash};
use memory_search_pgformat::tsvector::TsVector;
use pgrx::pg_sys;

use super::definition::{IdType, Kept, NumberType, TermType, VectorType};
use super::state::State;
use crate::pg::datum::array::data_of;
use crate::pg::datum::json::with_jsonb_text;
use crate::pg::datum::text_array;
use crate::pg::datum::varlena::with_bytes;
use crate::pg::datum::vector;
use crate::pg::epoch::from_postgres;
use crate::pg::text_search::indexed_texts::TextType;
use crate::pg::text_search::words::{Accents, Parser, Words};

/// A row, as a document without the codes of its embeddings.
pub struct Row {
    /// Its memory.
    pub memory: MemoryHash,
    /// The data that the index holds of it.
    pub document: Document,
    /// Its embedding, and the embeddings of its passages.
    pub embeddings: Vec<Vec<f32>>,
}

/// The memory of an id.
///
/// # Safety
/// The datum must be of the type that the definition's first column has.
pub unsafe fn memory(hashes: &Hashes, id_type: IdType, id: pg_sys::Datum) -> MemoryHash {
    // SAFETY: by the caller's promise.
    unsafe {
        match id_type {
            IdType::Text => with_bytes(id, |bytes| hashes.memory(bytes)),
            IdType::Uuid => hashes.memory(std::slice::from_raw_parts(id.cast_mut_ptr::<u8>(), 16)),
            IdType::Int8 => hashes.memory(&(id.value() as i64).to_be_bytes()),
            IdType::Int4 => hashes.memory(&i64::from(id.value() as i32).to_be_bytes()),
            IdType::Int2 => hashes.memory(&i64::from(id.value() as i16).to_be_bytes()),
        }
    }
}

/// The elements of a vector.
///
/// # Safety
/// The datum must be of the type.
pub unsafe fn embedding(vector_type: VectorType, value: pg_sys::Datum) -> Option<Vec<f32>> {
    // SAFETY: by the caller's promise.
    unsafe {
        with_bytes(value, |bytes| match vector_type {
            VectorType::Vector => vector::from_bytes(bytes),
            VectorType::Halfvec => from_halves(bytes),
        })
    }
}

/// Splits a row into its parts; `None` if its memory is null, because no search asks for that.
///
/// # Safety
/// `values` and `nulls` must hold as many as the definition has columns, of their types; inside a transaction.
pub unsafe fn read(
    State { definition, hashes, texts, .. }: &State,
    values: *const pg_sys::Datum,
    nulls: *const bool,
    at: Place,
) -> Result<Option<Row>> {
    let mut document = Document { place: at, ..Document::default() };
    let mut embeddings = Vec::new();
    let mut memory_hash = None;
    let mut words = match texts {
        None => None,
        Some(texts) => Some((Words::by(texts.configuration, Parser::Analyzer, Accents::Folded)?, texts.weights.iter())),
    };
    for (number, kept) in definition.columns().enumerate() {
        // SAFETY: there are as many.
        let (value, is_null) = unsafe { (*values.add(number), *nulls.add(number)) };
        let column = number as u16 + 1;
        if is_null {
            match kept {
                Kept::Memory(_) => return Ok(None),
                Kept::Number(_) => document.numbers.push(None),
                Kept::Text(_) => _ = words.as_mut().and_then(|(_, weights)| weights.next()),
                _ => {}
            }
            continue;
        }
        // SAFETY: the datum is of the column's type.
        unsafe {
            match kept {
                Kept::Memory(id_type) => memory_hash = Some(memory(hashes, id_type, value)),
                Kept::Words => set_words(&mut document, with_bytes(value, |bytes| read_words(hashes, bytes))?)?,
                Kept::Text(text_type) => {
                    if let Some((words, weights)) = &mut words
                        && let Some(&weight) = weights.next()
                    {
                        add_text(words, text_type, value, weight);
                    }
                    match text_type {
                        TextType::Text => {}
                        TextType::Texts => add_terms(hashes, &mut document, column, TermType::Texts, value),
                        TextType::Json => add_terms(hashes, &mut document, column, TermType::Json, value),
                    }
                }
                Kept::Embedding(vector_type) => embeddings.extend(embedding(vector_type, value)),
                Kept::Passages(vector_type) => {
                    let passages = data_of(value);
                    if passages.len() > MAX_PASSAGES {
                        return Err(too_many_passages(at, passages.len()));
                    }
                    embeddings.extend(passages.into_iter().filter_map(|one| embedding(vector_type, one)));
                }
                Kept::Number(number_type) => document.numbers.push(Some(as_number(number_type, value))),
                Kept::Terms(term_type) => add_terms(hashes, &mut document, column, term_type, value),
            }
        }
    }
    if let Some((mut words, _)) = words {
        let lexemes = words.finish_counted(|lexeme, occurrences| (hashes.lexeme(lexeme), occurrences));
        set_words(&mut document, lexemes)?;
    }
    document.terms.sort_unstable();
    document.terms.dedup();
    Ok(memory_hash.map(|memory| Row { memory, document, embeddings }))
}

fn too_many_passages(Place { block, offset }: Place, count: usize) -> Error {
    let message = format!("the row at ({block},{offset}) has {count} embeddings of passages, more than {MAX_PASSAGES}");
    Error::new(ErrorKind::LimitExceeded, message).hint("Cut the text into fewer passages, which may have more words.")
}

fn read_words(hashes: &Hashes, bytes: &[u8]) -> Result<Vec<(u64, Occurrences)>> {
    let words = TsVector::new(bytes)?;
    (0..words.lexeme_count())
        .map(|index| Ok((hashes.lexeme(words.lexeme(index)?), words.occurrences(index)?)))
        .collect()
}

fn set_words(document: &mut Document, mut lexemes: Vec<(u64, Occurrences)>) -> Result<()> {
    lexemes.sort_unstable_by_key(|&(hash, _)| hash);
    // Two words of one row have the same hash: neither is what it seems, and nobody can make such words.
    if lexemes.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        let Place { block, offset } = document.place;
        let message = format!("two words of the row at ({block},{offset}) have the same hash in its memory index");
        return Err(Error::new(ErrorKind::WrongState, message)
            .hint("A new key separates them. REINDEX INDEX the index, then repeat the statement."));
    }
    document.length = lexemes.len() as u32;
    document.lexemes = lexemes;
    Ok(())
}

/// The elements of a `halfvec` payload (pgvector, src/halfvec.h): int16 dimensions, int16 unused, then the elements.
fn from_halves(payload: &[u8]) -> Option<Vec<f32>> {
    let (dimensions, rest) = payload.split_first_chunk::<2>()?;
    let dimensions = usize::try_from(i16::from_ne_bytes(*dimensions)).ok()?;
    let elements = rest.get(2..)?;
    (elements.len() == dimensions * 2)
        .then(|| elements.chunks_exact(2).map(|b| f16::from_ne_bytes([b[0], b[1]]).to_f32()).collect())
}

fn as_number(number_type: NumberType, value: pg_sys::Datum) -> i64 {
    match number_type {
        NumberType::Timestamp => from_postgres(value.value() as i64),
        NumberType::Int8 | NumberType::Float8 => value.value() as i64,
        NumberType::Date | NumberType::Int4 => i64::from(value.value() as i32),
        NumberType::Float4 => f64::from(f32::from_bits(value.value() as u32)).to_bits() as i64,
        NumberType::Int2 => i64::from(value.value() as i16),
        NumberType::Bool => i64::from(value.value() & 1 == 1),
    }
}

/// # Safety
/// The datum must be of the type.
unsafe fn add_terms(hashes: &Hashes, document: &mut Document, column: u16, term_type: TermType, value: pg_sys::Datum) {
    document.terms.push(hashes.presence(column));
    let mut keys = Vec::new();
    let mut add = |value: &[u8]| document.terms.push(hashes.value(column, value));
    // SAFETY: by the caller's promise; an array of texts has elements of variable length, aligned to 4 bytes.
    unsafe {
        match term_type {
            TermType::Text => with_bytes(value, add),
            TermType::Uuid => add(std::slice::from_raw_parts(value.cast_mut_ptr::<u8>(), 16)),
            // The code here does not know whether they are names of entities, which are found by their keys too.
            TermType::Texts => {
                for element in data_of(value) {
                    let key = with_bytes(element, |bytes| {
                        add(bytes);
                        std::str::from_utf8(bytes).ok().and_then(|name| hashes.term_of_key(column, name))
                    });
                    keys.extend(key);
                }
            }
            TermType::Json => match with_jsonb_text(value, containment::terms).flatten() {
                Some(terms) => terms.iter().for_each(|term| add(term)),
                None => document.terms.push(hashes.whole(column)),
            },
        }
    }
    document.terms.extend(keys);
}

/// Adds the words of a column with text.
///
/// # Safety
/// The datum must be of the type.
unsafe fn add_text(words: &mut Words, text_type: TextType, value: pg_sys::Datum, weight: Weight) {
    // SAFETY: by the caller's promise.
    unsafe {
        match text_type {
            TextType::Text => with_bytes(value, |bytes| words.add_text(&String::from_utf8_lossy(bytes), weight)),
            TextType::Texts => {
                let texts = text_array::elements(value);
                words.add_texts(texts.iter().map(String::as_str), weight);
            }
            TextType::Json => _ = with_jsonb_text(value, |json| words.add_json(json, weight)),
        }
    }
}
