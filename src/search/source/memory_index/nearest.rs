//! The nearest documents: candidates by their codes, rescored with the exact distances of their rows until no other can
//! be among the nearest.

use memory_search_index::fault::Outcome;
use memory_search_index::quantization::{Nearest, Query};

use super::counted::Counted;
use super::fetched::Fetched;
use super::search::{Search, Worded};

/// The first batch of rows to ask about, as a share of the wanted number: for real embeddings about this many may be
/// among the nearest.
const FIRST_BATCH_PERCENT: usize = 140;
/// The next batch; then each is twice as large, if equal or nearly equal distances need many.
const NEXT_BATCH: usize = 32;
/// The most rows in a batch.
const MOST_A_BATCH: usize = 4096;
/// The factor for the rows to look at if too many of them did not count.
const MORE: usize = 8;

/// Documents, the nearest first. The table has been asked about them, as about the best by words.
pub fn find(
    search: &mut Search<'_>,
    counted: &Counted<'_>,
    vector: &[f32],
    worded: Option<&Worded>,
) -> Outcome<Vec<u32>> {
    let limit = search.wanted.limit;
    if let Some(worded) = worded {
        let documents: Vec<u32> = worded.best.iter().map(|&row| worded.document(row)).collect();
        search.ask(counted, &documents)?;
    }
    // Rows are compared with the vector as the column's type holds it.
    let Some(query) = Query::new(&search.first.store.embedding.as_held(vector)) else { return Ok(Vec::new()) };
    let nearest = match counted.to_compare(limit * FIRST_BATCH_PERCENT / 100)? {
        // The table is asked about this many anyway, so codes are not needed.
        Some(documents) => {
            search.ask(counted, &documents)?;
            documents
        }
        None => by_codes(search, counted, &query)?,
    };
    let compared = |document: &u32| search.found(*document).filter(|fetched| fetched.distance.is_some());
    let mut found: Vec<(u32, &Fetched)> =
        nearest.into_iter().filter_map(|document| Some((document, compared(&document)?))).collect();
    found.sort_by(|(a_document, a), (b_document, b)| {
        let distance = |fetched: &Fetched| fetched.distance.unwrap_or(f64::INFINITY);
        let nearer_or_newer = distance(a).total_cmp(&distance(b)).then_with(|| b.created.cmp(&a.created));
        // The documents of a memory follow those of the previous one.
        nearer_or_newer.then_with(|| a.id.text_order(&b.id)).then_with(|| a_document.cmp(b_document))
    });
    found.truncate(limit);
    Ok(found.into_iter().map(|(document, _)| document).collect())
}

/// The nearest documents, and all with the same distance as the last of them, in no order: by their codes until no
/// other can be among them.
fn by_codes(search: &mut Search<'_>, counted: &Counted<'_>, query: &Query) -> Outcome<Vec<u32>> {
    let limit = search.wanted.limit;
    let mut spare = if counted.is_coarse { MORE * limit } else { 0 };
    loop {
        let mut near = Nearest::with_spare(limit, spare);
        if !search.wanted.searched.compares_passages(search.first) {
            near.compare_one_vector();
        }
        counted.add_near(query, &mut near)?;
        let (mut batch, mut next_batch) = (limit * FIRST_BATCH_PERCENT / 100, NEXT_BATCH);
        loop {
            let next = near.next(batch.max(1))?;
            if next.is_empty() {
                break;
            }
            search.ask(counted, &next)?;
            for document in next {
                let distance = search.found(document).and_then(|fetched| fetched.distance);
                near.learn(document, distance.map(|distance| 1.0 - distance))?;
            }
            batch = next_batch;
            next_batch = (2 * next_batch).min(MOST_A_BATCH);
        }
        if near.is_complete() {
            return Ok(near.found().into_iter().map(|(document, _)| document).collect());
        }
        spare = (spare * MORE).max(MORE * limit);
    }
}
