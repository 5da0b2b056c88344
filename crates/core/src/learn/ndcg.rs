//! Normalised discounted cumulative gain (Järvelin & Kekäläinen, TOIS 2002) of a ranking whose entries helped or did
//! not.

/// The ranks that count.
pub const DEPTH: usize = 10;

/// nDCG of the first [`DEPTH`] entries, best first, of which `helpful` in all would be right; 0..1 if no more than
/// these are right.
pub fn of(best: impl Iterator<Item = bool>, helpful: usize) -> f64 {
    let discount = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let gained: f64 = best.take(DEPTH).enumerate().filter(|(_, helped)| *helped).map(|(rank, _)| discount(rank)).sum();
    let ideal: f64 = (0..helpful.min(DEPTH)).map(discount).sum();
    if ideal > 0.0 { gained / ideal } else { 0.0 }
}

/// The mean of some values; 0 of none.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_order_has_one_and_each_lower_rank_less() {
        assert_eq!(of([true, true, false].into_iter(), 2), 1.0);
        assert_eq!(of([false, false].into_iter(), 1), 0.0);
        assert!((of([false, true].into_iter(), 1) - 1.0 / 3f64.log2()).abs() < 1e-12);
        assert_eq!(of(std::iter::repeat_n(true, 30), 30), 1.0);
        assert_eq!(of((0..30).map(|rank| rank == 10), 1), 0.0, "beyond the tenth rank nothing counts");
    }

    #[test]
    fn entries_that_helped_and_are_not_found_lower_it() {
        assert!(of([true].into_iter(), 2) < 1.0);
    }
}
