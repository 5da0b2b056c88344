//! Comparisons of the rows chosen by bounds with the rows of a scan.

use proptest::prelude::*;

use super::*;
use crate::quantization::DEVIATIONS;

/// A row: its exact cosine, how far its estimate is off in parts of the bound, and the bound.
type Given = (f64, f32, f32);

fn rows() -> impl Strategy<Value = Vec<Given>> {
    // Cosines of few values, so that many are equal.
    prop::collection::vec(((0u8..40), -0.99f32..0.99, 0.001f32..0.3), 0..400)
        .prop_map(|rows| rows.into_iter().map(|(c, off, bound)| (f64::from(c) / 40.0, off, bound)).collect())
}

fn add_all(nearest: &mut Nearest, rows: &[Given]) {
    for (document, &(cosine, off, bound)) in rows.iter().enumerate() {
        let estimate = Estimate { cosine: cosine as f32 + off * bound, error: (bound + 1e-6) / DEVIATIONS };
        nearest.add(document as u32, estimate).unwrap();
    }
}

/// Runs it to its end; rows that `counts` denies do not count.
fn run(nearest: &mut Nearest, rows: &[Given], at_most: usize, counts: impl Fn(u32) -> bool) -> usize {
    let mut read = 0;
    loop {
        let next = nearest.next(at_most).unwrap();
        if next.is_empty() {
            return read;
        }
        assert!(next.len() <= at_most);
        read += next.len();
        for document in next {
            let cosine = rows[document as usize].0;
            nearest.learn(document, counts(document).then_some(cosine)).unwrap();
        }
    }
}

fn by_scan(rows: &[Given], k: usize, counts: impl Fn(u32) -> bool) -> Vec<(u32, f64)> {
    let mut all: Vec<(u32, f64)> = rows.iter().enumerate().map(|(at, row)| (at as u32, row.0)).collect();
    all.retain(|row| counts(row.0));
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let least = match k {
        0 => f64::INFINITY,
        _ => all.get(k - 1).map_or(f64::NEG_INFINITY, |row| row.1),
    };
    all.retain(|row| row.1 >= least);
    all
}

proptest! {
    #[test]
    fn the_nearest_are_found_with_all_that_are_as_near(rows in rows(), k in 0usize..30, at_most in 1usize..40) {
        let mut nearest = Nearest::new(k);
        add_all(&mut nearest, &rows);
        run(&mut nearest, &rows, at_most, |_| true);
        prop_assert!(nearest.is_complete());
        prop_assert_eq!(nearest.found(), by_scan(&rows, k, |_| true));
    }

    #[test]
    fn rows_that_do_not_count_are_skipped_or_missing_rows_are_reported(
        rows in rows(), k in 1usize..20, spare in 0usize..40, share in 1u32..6,
    ) {
        let counts = |document: u32| document % 6 >= share;
        let mut nearest = Nearest::with_spare(k, spare);
        add_all(&mut nearest, &rows);
        run(&mut nearest, &rows, 7, counts);
        let missing = rows.len() - (0..rows.len() as u32).filter(|&document| counts(document)).count();
        prop_assert!(nearest.is_complete() || missing > spare);
        if nearest.is_complete() {
            prop_assert_eq!(nearest.found(), by_scan(&rows, k, counts));
        }
    }
}

#[test]
fn hopeless_rows_are_neither_read_nor_kept() {
    let rows: Vec<Given> = (0..100_000).map(|at| (f64::from(at) / 100_000.0, 0.0, 0.001)).collect();
    let mut nearest = Nearest::new(10);
    add_all(&mut nearest, &rows);
    assert!(nearest.rows.capacity() <= 4 * FIRST_PRUNING);
    assert!((200..=220).contains(&nearest.kept()), "{} kept", nearest.kept());
    let read = run(&mut nearest, &rows, 1, |_| true);
    assert!(read <= 120, "{read} read");
    assert_eq!(nearest.found()[0].0, 99_999);
}

#[test]
fn a_row_whose_estimate_is_no_number_is_read() {
    let mut nearest = Nearest::new(1);
    nearest.add(1, Estimate { cosine: 0.9, error: 0.001 }).unwrap();
    nearest.add(2, Estimate { cosine: f32::NAN, error: 0.001 }).unwrap();
    nearest.add(3, Estimate { cosine: 0.5, error: f32::INFINITY }).unwrap();
    nearest.add(4, Estimate { cosine: 0.5, error: 0.001 }).unwrap();
    let mut next = nearest.next(10).unwrap();
    next.sort_unstable();
    assert_eq!(next, [1, 2, 3]);
}

#[test]
fn rows_left_out_are_looked_for_where_more_than_the_spare_ones_do_not_count() {
    let mut nearest = Nearest::with_spare(1, 1);
    for (document, cosine) in [(0, 0.9), (1, 0.8), (2, 0.795)] {
        nearest.add(document, Estimate { cosine, error: 0.002 }).unwrap();
    }
    assert_eq!(nearest.expected_least(), 0.8);
    nearest.leave_out();
    assert_eq!(nearest.next(9).unwrap(), [0, 1, 2]);
    nearest.learn(0, None).unwrap();
    nearest.learn(1, None).unwrap();
    // Nearer than the last lower bound, and not as near as the rows may be that were left out.
    nearest.learn(2, Some(0.795)).unwrap();
    assert!(!nearest.is_complete());
}
