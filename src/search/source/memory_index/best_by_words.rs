//! The best documents by words: those with the highest scores that may be found, the newer first where scores are equal,
//! then by their ids and memories.

use std::cmp::Ordering;

use memory_search_core::{Result, error};
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

/// Takes the rows with the `count` greatest scores, and all whose score is that of the last of them: most rows are told
/// apart by their scores, which lie side by side here.
fn with_best_scores(rows: &mut Vec<usize>, count: usize, score: impl Fn(usize) -> f64) -> Result<Vec<usize>> {
    if rows.len() <= count {
        return Ok(std::mem::take(rows));
    }
    let mut scores: Vec<f64> = Vec::new();
    scores.try_reserve_exact(rows.len()).map_err(|_| error::out_of_memory())?;
    scores.extend(rows.iter().map(|&row| score(row)));
    let (_, &mut least, _) = scores.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
    let mut taken = Vec::new();
    rows.retain(|&row| {
        let is_taken = score(row).total_cmp(&least) != Ordering::Less;
        if is_taken {
            taken.push(row);
        }
        !is_taken
    });
    Ok(taken)
}

/// Takes the first `count` of the rows in an order, and all that stand beside the last of them.
fn best(rows: &mut Vec<usize>, count: usize, order: &impl Fn(&usize, &usize) -> Ordering) -> Vec<usize> {
    if rows.len() <= count {
        return std::mem::take(rows);
    }
    let (_, &mut last, _) = rows.select_nth_unstable_by(count - 1, order);
    let mut taken = rows[..count].to_vec();
    let mut rest = rows.split_off(count);
    rest.retain(|row| {
        let stands_beside = order(row, &last) != Ordering::Greater;
        if stands_beside {
            taken.push(*row);
        }
        !stands_beside
    });
    *rows = rest;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_with_the_best_scores_are_taken_with_all_that_equal_the_last() {
        let scores = [5.0, 3.0, 3.0, 9.0, 3.0, 1.0];
        let mut rows: Vec<usize> = (0..scores.len()).collect();
        assert_eq!(with_best_scores(&mut rows, 3, |row| scores[row]).unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(rows, [5]);
        assert_eq!(with_best_scores(&mut rows, 3, |row| scores[row]).unwrap(), [5]);
        assert!(rows.is_empty());
    }

    #[test]
    fn what_stands_beside_the_last_is_taken_too_and_nothing_twice() {
        let scores = [5, 3, 3, 9, 3, 1, 3];
        let order = |a: &usize, b: &usize| scores[*b].cmp(&scores[*a]);
        let mut rows: Vec<usize> = (0..scores.len()).collect();
        let mut first = best(&mut rows, 3, &order);
        first.sort_unstable();
        assert_eq!(first, [0, 1, 2, 3, 4, 6]);
        assert_eq!(best(&mut rows, 3, &order), [5]);
        assert!(rows.is_empty());
    }
}
