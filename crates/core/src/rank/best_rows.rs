//! The best of many rows, a batch at a time: rows of equal rank stay together, so that a finer order among them can be
//! computed afterwards.

use std::cmp::Ordering;

use crate::error::{Result, out_of_memory};

/// Takes the rows with the `count` greatest scores, and all with the score of the last of these: most rows differ in
/// their scores, which are next to each other here.
pub fn with_best_scores(rows: &mut Vec<usize>, count: usize, score: impl Fn(usize) -> f64) -> Result<Vec<usize>> {
    if rows.len() <= count {
        return Ok(std::mem::take(rows));
    }
    let mut scores: Vec<f64> = Vec::new();
    scores.try_reserve_exact(rows.len()).map_err(|_| out_of_memory())?;
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

/// Takes the first `count` of the rows in an order, and all that tie with the last of these.
pub fn best(rows: &mut Vec<usize>, count: usize, order: &impl Fn(&usize, &usize) -> Ordering) -> Vec<usize> {
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
