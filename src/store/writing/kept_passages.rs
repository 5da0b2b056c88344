//! Embeddings of passages that are used again, because the text of an entry stays the same: the embedder would take as
//! many calls to make them again.
//!
//! They are read and stored again with the other vectors. So they belong to the text that is stored, even if other
//! sessions change the entry meanwhile, and no row has to be locked while an embedder works.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition::Store;
use crate::store::writing::stored_embedding::{self, Embedded, Meaning};

/// The greatest cosine distance between two embeddings of one text: one is rounded to half precision, and a model on
/// another server need not compute alike twice. A greater distance shows that the function behind the embedder's name
/// has changed, or that plain SQL has changed the text and not the embeddings. A smaller one proves nothing: an encoder
/// reads only the beginning of a long text.
const SAME: f64 = 0.001;

/// The vectors of an entry with those of its passages. The condition `this` finds the entry as `e`, as it is before the
/// change: the embeddings of its passages are used if they are of the same text and by the same embedder. `summary` is
/// the new one; the passages are of the text alone.
pub fn with_passages(
    store: &Store,
    this: impl FnOnce(&mut Statement) -> String,
    summary: Option<&str>,
    whole: Embedded,
    meaning: &Meaning,
) -> Result<Embedded> {
    let count = if whole.model.is_some() { meaning.passages().len() } else { 0 };
    if count > 0 {
        let passages = read(&statement(store, this, summary, &whole, meaning, count))?;
        if !passages.is_empty() {
            return Ok(Embedded { passages, ..whole });
        }
    }
    stored_embedding::with_passages(whole, meaning)
}

fn read(statement: &Statement) -> Result<Vec<Vec<f32>>> {
    let mut passages = Vec::new();
    spi::with_own_changes(|| {
        spi::read(|reader| {
            reader.scan(statement, |row| {
                passages.extend(row.reals(1)?);
                Ok(())
            })
        })
    })?;
    Ok(passages)
}

/// Selects the embeddings of an entry's passages in their order: all of them, or none. A passage that says nothing to the
/// embedder has the embedding of the whole text, with the old summary: then all are made again.
fn statement(
    store: &Store,
    this: impl FnOnce(&mut Statement) -> String,
    summary: Option<&str>,
    whole: &Embedded,
    meaning: &Meaning,
    count: usize,
) -> Statement {
    let mut statement = Statement::default();
    let this = this(&mut statement);
    let raw_entry = statement.bind(Param::text(meaning.entry()));
    let summary = statement.bind(Param::text(summary.unwrap_or_default()));
    let model = statement.bind(Param::Text(whole.model.clone()));
    let count = statement.bind(Param::Integer(Some(count as i64)));
    let vector = statement.bind(Param::Reals(Some(whole.vector.clone())));
    statement.with(format!(
        "SELECT p.embedding::pg_catalog.float4[] \
         FROM {entries} e CROSS JOIN LATERAL pg_catalog.unnest(e.passage_embeddings) WITH ORDINALITY p(embedding, n) \
         WHERE {this} AND e.raw_entry OPERATOR(pg_catalog.=) {raw_entry} \
           AND e.embedding_model OPERATOR(pg_catalog.=) {model} \
           AND pg_catalog.cardinality(e.passage_embeddings) OPERATOR(pg_catalog.=) {count} \
           AND NOT EXISTS (SELECT FROM pg_catalog.unnest(e.passage_embeddings) o(embedding) \
             WHERE {schema}.vector_dims(o.embedding) IS DISTINCT FROM {dimensions} \
                OR o.embedding OPERATOR({schema}.=) e.embedding) \
           AND CASE WHEN {schema}.vector_dims(e.embedding) IS DISTINCT FROM {dimensions} THEN false \
             WHEN COALESCE(e.summary, '') OPERATOR(pg_catalog.=) {summary} \
               THEN (e.embedding {distance} {vector}) OPERATOR(pg_catalog.<) {SAME} ELSE true END \
         ORDER BY p.n",
        entries = store.relation("entries"),
        schema = store.vector_schema,
        dimensions = whole.vector.len(),
        distance = store.cosine_distance(),
        vector = store.vector(&vector)
    ))
}
