//! The best documents by words: those with the highest scores that may be found, the newer first where scores are equal,
//! then by their ids and memories.

use std::cmp::Ordering;

use memory_search_core::error;
use memory_search_core::rank::best_rows::{best, with_best_scores};
use memory_search_index::fault::Outcome;

use super::counted::Counted;
use super::search::{Search, Worded};

/// Documents that the table is asked about at once, where it says which may be found, as multiples of those wanted.
const FIRST_BATCH: usize = 2;

/// Rows of `worded.matching`, best first. What is said of them was asked.
pub fn find(search: &mut Search<'_>, counted: &Counted<'_>, worded: &Worded) -> Outcome<Vec<usize>> {
    let limit = search.wanted.limit;
    let required = search.wanted.required_words(search.scopes.plan.word_match);
    let matching = &worded.matching;
    let mut rows: Vec<usize> = Vec::new();
    rows.try_reserve_exact(matching.documents.len()).map_err(|_| error::out_of_memory())?;
    let candidates = counted.candidates_among(&matching.documents);
    rows.extend(candidates.filter(|&row| usize::from(matching.held[row]) >= required));
    if limit == 0 {
        return Ok(Vec::new());
    }
    let order = |a: &usize, b: &usize| {
        let by_words = worded.scores[*b].words.total_cmp(&worded.scores[*a].words);
        by_words.then_with(|| matching.rows.arrivals[*b].created.cmp(&matching.rows.arrivals[*a].created))
    };
    let mut found: Vec<usize> = Vec::new();
    let mut batch = if counted.is_coarse { limit * FIRST_BATCH } else { limit };
    loop {
        let mut asked = with_best_scores(&mut rows, batch, |row| worded.scores[row].words)?;
        let taken = best(&mut asked, batch, &order);
        rows.append(&mut asked);
        let asked = taken;
        let documents: Vec<u32> = asked.iter().map(|&row| matching.documents[row]).collect();
        search.ask(counted, &documents)?;
        found.extend(asked.into_iter().filter(|&row| search.found(matching.documents[row]).is_some()));
        if found.len() >= limit || rows.is_empty() {
            break;
        }
        batch *= 2;
    }
    found.sort_by(|a, b| {
        order(a, b)
            .then_with(|| {
                let id = |row: &usize| search.found(matching.documents[*row]).map(|fetched| &fetched.id);
                match (id(a), id(b)) {
                    (Some(a), Some(b)) => a.text_order(b),
                    _ => Ordering::Equal,
                }
            })
            // The documents of a memory follow those of the one before.
            .then_with(|| a.cmp(b))
    });
    found.truncate(limit);
    Ok(found)
}
