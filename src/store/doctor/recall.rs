//! Compares searches by meaning with exact answers, for a sample of entries, and counts the results that they miss.
//! Does the same for a vector index that the user made.

use std::collections::HashSet;

use memory_search_core::Result;
use memory_search_core::filter::visibility;

use crate::pg::extension;
use crate::pg::param::Param;
use crate::pg::progress::Progress;
use crate::pg::settings;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::pg::subtransaction;
use crate::pg::temporary_settings::with_settings;
use crate::store::doctor::check::{Check, Patient};
use crate::store::doctor::indexes::INDEX_ORDER;
use crate::store::predicate::{Rows, at_present};

const FIND_VECTOR_INDEX: &str = include_str!("recall/vector_index.sql");

/// The number of entries whose neighbours are searched.
const SAMPLE: usize = 20;
/// The number of neighbours that are compared.
const NEIGHBOURS: usize = 10;
/// Below this recall an index misses more than the ranking can compensate.
const LEAST_RECALL: f64 = 0.95;
/// The least recall of searches, which choose themselves how many distances they compute.
const LEAST_RECALL_OF_SEARCHES: f64 = 0.98;

struct Sampled {
    memory_id: String,
    vector: Vec<f32>,
}

/// Measures the recall of searches as this store runs them: the function that users call searches for the nearest
/// neighbours of sampled entries.
pub fn of_searches(writer: &mut Writer<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "recall of searches";
    let sample = sample(writer, patient)?;
    if sample.is_empty() {
        return Ok(Check::ok(NAME, "no embedding to try it with"));
    }
    let (mut found, mut wanted) = (0, 0);
    let mut progress = Progress::new("sampled", Some(sample.len() as u64));
    for sampled in &sample {
        let exact = neighbours(writer, patient, sampled, Compared::Passages, "OFFSET 0")?;
        // It returns whole texts, which may be too long for a response: the other checks go on.
        let by_search = match subtransaction::attempt(|| searched(writer, patient, sampled)) {
            Ok(by_search) => by_search?,
            Err(message) => {
                progress.finish();
                return Ok(Check::warning(NAME, format!("not measured, because a search fails: {message}"), None));
            }
        };
        let most = (settings::bounds().highest_top_ke.unsigned_abs() as usize).min(NEIGHBOURS).min(exact.len());
        wanted += most;
        found += exact.intersection(&by_search).count().min(most);
        progress.advance(1);
    }
    progress.finish();
    let recall = found as f64 / wanted.max(1) as f64;
    let detail = format!("{recall:.2} of the {NEIGHBOURS} nearest, over {} entries", sample.len());
    if recall >= LEAST_RECALL_OF_SEARCHES {
        return Ok(Check::ok(NAME, detail));
    }
    Ok(Check::warning(NAME, format!("{detail}: please report it, with how the embeddings were made"), None))
}

/// The ids from a search by meaning alone for the sampled entry's vector.
fn searched(writer: &mut Writer<'_>, patient: &Patient, sampled: &Sampled) -> Result<HashSet<String>> {
    let mut statement = Statement::default();
    let extension = spi::read(extension::schema)?;
    let memory = statement.bind(Param::text(sampled.memory_id.as_str()));
    let vector = statement.bind(Param::Reals(Some(sampled.vector.clone())));
    let most = settings::bounds().highest_top_ke.min(NEIGHBOURS as i64);
    let store = statement.bind(Param::text(&patient.name));
    let statement = statement.with(format!(
        "SELECT f.entry_id::pg_catalog.text FROM {extension}.memory_search_entries({memory}, '', {most}::pg_catalog.int4, \
           embedding => {vector}::{extension}.memory_embedding, store => {store}, \
           options => '{{\"strategy\": \"semantic\", \"fallback\": false, \"includeSuperseded\": true, \"validAt\": \"any\", \
             \"boosts\": {{\"recency\": 0, \"importance\": 0, \"author\": 0, \"date\": 0, \"length\": 0}}}}') f"
    ));
    let mut found = HashSet::new();
    writer.returning(&statement, |row| {
        found.insert(row.required_text(1)?);
        Ok(())
    })?;
    Ok(found)
}

/// Measures the recall of the store's vector index, within the memories of the sampled entries.
pub fn of_vector_index(writer: &mut Writer<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "recall of the vector index";
    let Some((index, method)) = vector_index(writer, patient)? else {
        return Ok(Check::ok(NAME, "there is none, and searches need none"));
    };
    let sample = sample(writer, patient)?;
    if sample.is_empty() {
        return Ok(Check::ok(NAME, format!("{index}: no embedding to try it with")));
    }
    let (mut found, mut wanted) = (0, 0);
    let mut settings = INDEX_ORDER.to_vec();
    // Both kinds of index continue until they have enough rows that pass the filter.
    settings.extend([("hnsw.iterative_scan", "relaxed_order"), ("ivfflat.iterative_scan", "relaxed_order")]);
    let mut progress = Progress::new("sampled", Some(sample.len() as u64));
    for sampled in &sample {
        let exact = neighbours(writer, patient, sampled, Compared::Texts, "OFFSET 0")?;
        let by_index =
            with_settings(writer, &settings, |writer| neighbours(writer, patient, sampled, Compared::Texts, ""))?;
        wanted += exact.len();
        found += exact.intersection(&by_index).count();
        progress.advance(1);
    }
    progress.finish();
    let recall = found as f64 / wanted.max(1) as f64;
    let detail = format!("{index}: {:.2} of the {NEIGHBOURS} nearest, over {} entries", recall, sample.len());
    if recall >= LEAST_RECALL {
        return Ok(Check::ok(NAME, detail));
    }
    let fix = if method == "hnsw" { "SET hnsw.ef_search = 200;" } else { "SET ivfflat.probes = 100;" };
    Ok(Check::warning(NAME, detail, fix.to_owned()))
}

/// A valid index by cosine distance, with its method; an index by another distance cannot be used.
fn vector_index(writer: &mut Writer<'_>, patient: &Patient) -> Result<Option<(String, String)>> {
    let mut statement = Statement::default();
    let tables = statement.bind(Param::Texts(patient.tables.iter().map(u32::to_string).collect()));
    let statement = statement.with(filled(FIND_VECTOR_INDEX, &[("{tables}", &tables)]));
    writer.first(&statement, |row| Ok((row.required_text(1)?, row.required_text(2)?)))
}

/// Entries spread evenly by their ids, the same entries every time.
fn sample(writer: &mut Writer<'_>, patient: &Patient) -> Result<Vec<Sampled>> {
    let mut statement = Statement::default();
    let present = Rows::entries(&patient.store, "e").and(&mut statement, &visibility::present(at_present()));
    let statement = statement.with(format!(
        "SELECT e.memory_id::pg_catalog.text, e.embedding::pg_catalog.float4[] FROM {} e \
         WHERE e.embedding IS NOT NULL{present} AND e.memory_id::pg_catalog.text OPERATOR(pg_catalog.<>) '' AND e.entry_id IS NOT NULL \
         ORDER BY pg_catalog.md5(e.entry_id::pg_catalog.text) LIMIT {SAMPLE}",
        patient.store.relation("entries")
    ));
    let mut found = Vec::new();
    writer.returning(&statement, |row| {
        let vector = row.reals(2)?.unwrap_or_default();
        // A zero vector has no neighbours, and cannot be searched for.
        if vector.iter().any(|element| *element != 0.0) {
            found.push(Sampled { memory_id: row.required_text(1)?, vector });
        }
        Ok(())
    })?;
    Ok(found)
}

/// The vectors that are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// The embeddings of whole texts, which a vector index holds.
    Texts,
    /// Also the embeddings of passages, as a search does.
    Passages,
}

/// The ids of the nearest entries in the sampled entry's memory. A zero vector is at no distance. `fence` keeps the
/// planner from the index.
fn neighbours(
    writer: &mut Writer<'_>,
    patient: &Patient,
    sampled: &Sampled,
    compared: Compared,
    fence: &str,
) -> Result<HashSet<String>> {
    let store = &patient.store;
    let mut statement = Statement::default();
    let of_memory = store.of_memory(&mut statement, "e", &sampled.memory_id);
    let vector = statement.bind(Param::Reals(Some(sampled.vector.clone())));
    let present = Rows::entries(store, "e").and(&mut statement, &visibility::present(at_present()));
    let comparable = match store.embedding.dimensions {
        Some(_) => String::new(),
        None => format!(
            " AND {}.vector_dims(e.embedding) OPERATOR(pg_catalog.=) {}",
            store.vector_schema,
            sampled.vector.len()
        ),
    };
    let (operator, vector) = (store.cosine_distance(), store.vector(&vector));
    let mut distance = format!("e.embedding {operator} {vector}");
    if compared == Compared::Passages && !store.is_adopted() {
        distance = format!(
            "LEAST({distance}, (SELECT pg_catalog.min({} {operator} {vector}) FROM {}))",
            store.vector("p.embedding"),
            store.passages(sampled.vector.len())
        );
    }
    let statement = statement.with(format!(
        "SELECT s.id::pg_catalog.text FROM (SELECT e.entry_id AS id, {distance} AS distance \
           FROM {entries} e WHERE {of_memory}{present} AND e.embedding IS NOT NULL \
             AND e.entry_id IS NOT NULL{comparable} {fence}) s \
         WHERE s.distance OPERATOR(pg_catalog.<>) 'NaN'::pg_catalog.float8 \
         ORDER BY s.distance FETCH FIRST {NEIGHBOURS} ROWS WITH TIES",
        entries = store.relation("entries"),
    ));
    let mut found = HashSet::new();
    writer.returning(&statement, |row| {
        found.insert(row.required_text(1)?);
        Ok(())
    })?;
    Ok(found)
}
