//! Embeddings of passages that an entry keeps because its text stays the same: the embedder would take as many calls
//! to make them again.

use memory_search_core::Result;
use memory_search_core::request::names::MemoryId;

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition::Store;
use crate::store::writing::stored_embedding::{Embedded, Meaning};
use crate::store::writing::upsert;

/// The greatest cosine distance between two embeddings of one text: one is rounded to half precision, and a model on
/// another server need not compute alike twice. If it is greater, the function behind the embedder's name has changed,
/// or plain SQL has changed the text and not the embeddings.
const SAME: f64 = 0.001;

/// Whether an entry with a key keeps the embeddings of its passages if it is stored again with these texts. Then it does
/// not change until the end of the transaction.
pub fn by_key(
    store: &Store,
    memory_id: &MemoryId,
    entry_key: &str,
    (summary, meaning): (Option<&str>, &Meaning),
    made: &Embedded,
) -> Result<bool> {
    let Some(passages) = passages_to_make(made, meaning) else { return Ok(false) };
    let look = |lock: &str| {
        let mut statement = Statement::default();
        let this = upsert::with_key(store, &mut statement, memory_id, entry_key);
        let raw_entry = statement.bind(Param::text(meaning.entry()));
        let summary = statement.bind(Param::text(summary.unwrap_or_default()));
        let has_them = has(store, &mut statement, made, passages);
        let is_same = is_of_same_text(store, &mut statement, made);
        // Embeddings without an embedder's name were given by a caller, and stay if the summary is the same too.
        statement.with(format!(
            "SELECT FROM {} e WHERE {this} AND e.raw_entry OPERATOR(pg_catalog.=) {raw_entry} \
             AND e.embedding IS NOT NULL AND CASE WHEN COALESCE(e.summary, '') OPERATOR(pg_catalog.=) {summary} \
               THEN e.embedding_model IS NULL OR {has_them} AND {is_same} ELSE {has_them} END{lock}",
            store.relation("entries")
        ))
    };
    // Without a lock first: while an embedder works, other sessions shall not wait for the row.
    let keeps = is_found(&look(""))?;
    Ok(keeps && spi::write(|writer| writer.first(&look(" FOR NO KEY UPDATE"), |_| Ok(())))?.is_some())
}

/// Whether an entry that is changed, in a row that `this` finds as `e`, keeps the embeddings of its passages. `is_same`:
/// its summary does not change either.
pub fn in_row(
    store: &Store,
    this: impl FnOnce(&mut Statement) -> String,
    meaning: &Meaning,
    is_same: bool,
    made: &Embedded,
) -> Result<bool> {
    let Some(passages) = passages_to_make(made, meaning) else { return Ok(false) };
    let mut statement = Statement::default();
    let this = this(&mut statement);
    let raw_entry = statement.bind(Param::text(meaning.entry()));
    let has_them = has(store, &mut statement, made, passages);
    let is_same = match is_same {
        true => format!(" AND {}", is_of_same_text(store, &mut statement, made)),
        false => String::new(),
    };
    is_found(&statement.with(format!(
        "SELECT FROM {} e WHERE {this} AND e.raw_entry OPERATOR(pg_catalog.=) {raw_entry} AND {has_them}{is_same}",
        store.relation("entries")
    )))
}

fn is_found(statement: &Statement) -> Result<bool> {
    Ok(spi::with_own_changes(|| spi::read(|reader| reader.first(statement, |_| Ok(()))))?.is_some())
}

/// The number of passages that the embedder would embed, if it embeds any.
fn passages_to_make(made: &Embedded, meaning: &Meaning) -> Option<usize> {
    made.model.as_ref()?;
    Some(meaning.passages().len()).filter(|count| *count > 0)
}

/// The condition that entries `e` have an embedding for each passage, by the embedder that made these vectors.
fn has(store: &Store, statement: &mut Statement, made: &Embedded, passages: usize) -> String {
    let model = statement.bind(Param::Text(made.model.clone()));
    let passages = statement.bind(Param::Integer(Some(passages as i64)));
    format!(
        "e.embedding_model OPERATOR(pg_catalog.=) {model} \
         AND pg_catalog.cardinality(e.passage_embeddings) OPERATOR(pg_catalog.=) {passages} \
         AND NOT EXISTS (SELECT FROM pg_catalog.unnest(e.passage_embeddings) p(embedding) \
           WHERE {}.vector_dims(p.embedding) IS DISTINCT FROM {})",
        store.vector_schema,
        made.vector.len()
    )
}

/// The condition that the embedding of entries `e` is the embedder's for the same text.
fn is_of_same_text(store: &Store, statement: &mut Statement, made: &Embedded) -> String {
    let vector = statement.bind(Param::Reals(Some(made.vector.clone())));
    format!(
        "CASE WHEN {schema}.vector_dims(e.embedding) OPERATOR(pg_catalog.=) {dimensions} \
         THEN (e.embedding {distance} {vector}) OPERATOR(pg_catalog.<) {SAME} ELSE false END",
        schema = store.vector_schema,
        dimensions = made.vector.len(),
        distance = store.cosine_distance(),
        vector = store.vector(&vector)
    )
}
