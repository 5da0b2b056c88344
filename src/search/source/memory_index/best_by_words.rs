//! The best documents by words: those with the highest scores that may be found, with equal scores the newer ones
//! first, then in the order of their ids and memories.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use memory_search_core::error;
use memory_search_core::rank::best_rows::best;
use memory_search_core::rank::word_matches::{Scoring, Taken};
use memory_search_core::timestamp::Micros;
use memory_search_index::fault::Outcome;

use super::counted::Counted;
use super::search::{NumberHasher, Search, Worded};
use super::words::Matching;
use crate::pg::interrupt;

/// The number of documents in the first statement, if the table must say which may be found, as a multiple of the
/// wanted number.
const FIRST_BATCH: usize = 2;

/// The rows of `worded.matching`, the best first. The table has been asked about each of them.
pub fn find(search: &mut Search<'_>, counted: &Counted<'_>, worded: &mut Worded) -> Outcome<Vec<usize>> {
    let limit = search.wanted.limit;
    let required = search.wanted.required_words(search.scopes.plan.word_match);
    let Matching { rows: matching, times, .. } = &worded.matching;
    let scoring = &mut worded.scoring;
    let may_be_taken = |row: usize| {
        (required <= 1 || matching.words_held(row) >= required) && counted.may_be_found(matching.documents[row])
    };
    if limit == 0 {
        return Ok(Vec::new());
    }
    let created = |rows: &[usize]| times.created(counted, &matching.documents, rows);
    let mut created_of = CreatedOf::default();
    let mut found: Vec<usize> = Vec::new();
    let mut batch = if counted.is_coarse { limit * FIRST_BATCH } else { limit };
    loop {
        let take_best = || scoring.take_best(matching, may_be_taken, batch, &interrupt::check);
        let Taken { rows: mut left, are_all } = search.scopes.trace.phase("score", take_best)?;
        created_of.try_reserve(left.len()).map_err(|_| error::out_of_memory())?;
        created_of.extend(left.iter().map(|&row| row as u32).zip(created(&left)?));
        let asked = best(&mut left, batch, &|a: &usize, b: &usize| order(scoring, &created_of, *a, *b));
        let documents: Vec<u32> = asked.iter().map(|&row| matching.documents[row]).collect();
        search.ask(counted, &documents)?;
        found.extend(asked.into_iter().filter(|&row| search.found(matching.documents[row]).is_some()));
        if found.len() >= limit || are_all && left.is_empty() {
            break;
        }
        scoring.put_back(&left);
        batch *= 2;
    }
    found.sort_by(|&a, &b| {
        order(scoring, &created_of, a, b)
            .then_with(|| {
                let id = |row: usize| search.found(matching.documents[row]).map(|fetched| &fetched.id);
                match (id(a), id(b)) {
                    (Some(a), Some(b)) => a.text_order(b),
                    _ => Ordering::Equal,
                }
            })
            // The documents of a memory follow those of the previous one.
            .then_with(|| a.cmp(&b))
    });
    found.truncate(limit);
    Ok(found)
}

/// The creation times of rows.
type CreatedOf = HashMap<u32, Micros, BuildHasherDefault<NumberHasher>>;

/// The order of two scored rows, as far as their words and times determine it.
fn order(scoring: &Scoring, created: &CreatedOf, a: usize, b: usize) -> Ordering {
    let words = |row| scoring.score(row).map_or(0.0, |score| score.words);
    let time = |row: usize| created.get(&(row as u32));
    words(b).total_cmp(&words(a)).then_with(|| time(b).cmp(&time(a)))
}
