//! Rescoring: whether the rows whose distances were computed hold the nearest ones. Binary quantization
//! chooses them ([`crate::vector::binary_quantization`]); how much it says depends on the data: of
//! embeddings that are centred on zero much, of others little or nothing, and nothing in the bits
//! themselves tells which. The distances tell: those of the rows with the best estimates and of a sample
//! of all others show how far a row's cosine strays from what its estimate promises, and so how many of
//! the rows that were not rescored would be among the wanted.
//!
//! It is a statistical bound, not a proof: strays are taken for normal with the widest spread seen, wider still
//! where they have heavy tails.

/// Of the wanted rows, how many the unread ones may be expected to hold. With it recall@10 stays above 0.98 over all
/// distributions and dimensions that tests/cluster/test_recall.py tries.
const EXPECTED_MISSES: f64 = 0.05;
/// Estimates are counted in so many equal steps between the least and the greatest.
const STEPS: usize = 1024;
/// Reading more than this share of the rows by their places takes longer than reading all in turn.
const LARGEST_SHARE: f64 = 0.25;
/// Fewer rescored rows than this show no spread.
const LEAST_COMPARED: usize = 100;

/// A row that was rescored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rescored {
    /// What its quantized embedding promised.
    pub estimate: f32,
    /// Its cosine similarity.
    pub cosine: f64,
    /// Whether it is of the sample, and not for its estimate.
    pub is_sampled: bool,
}

/// What is still to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// Nothing: the nearest are among the rescored.
    Nothing,
    /// To rescore so many rows by their estimates.
    Rescore(usize),
    /// To compare every row.
    Everything,
}

/// Whether the `wanted` nearest of all rows, whose estimates are given in any order, are among the `kept` with the
/// best estimates, which were rescored together with a sample. `largest_element` is that of the query's vector, at
/// length 1.
pub fn needed(
    estimates: &[f32],
    mut rescored: Vec<Rescored>,
    kept: usize,
    wanted: usize,
    largest_element: f64,
) -> Needed {
    if estimates.len() <= kept {
        return Needed::Nothing;
    }
    if rescored.len() < LEAST_COMPARED.max(wanted) {
        return Needed::Everything;
    }
    // In one order whatever the order of reading, so that sums of floats are the same.
    rescored.sort_by(|a, b| b.estimate.total_cmp(&a.estimate).then_with(|| b.cosine.total_cmp(&a.cosine)));
    let fit = Fit::new(&rescored);
    let mut cosines: Vec<f64> = rescored.iter().map(|row| row.cosine).collect();
    let (_, least_wanted, _) = cosines.select_nth_unstable_by(wanted.max(1) - 1, |a, b| b.total_cmp(a));
    // A row that points along one dimension has the query's element there for its cosine, and bits say nothing of it:
    // a few such rows need not show in any sample.
    if largest_element >= *least_wanted {
        return Needed::Everything;
    }
    let steps = Steps::new(estimates);
    let mut misses = 0.0;
    // From the lowest estimates up, as long as what is left unread holds hardly any of the wanted.
    let mut unread = 0;
    for (highest, rows) in steps.upwards() {
        misses += rows as f64 * fit.chance_above(*least_wanted, highest);
        if misses > EXPECTED_MISSES {
            break;
        }
        unread += rows;
    }
    let read = estimates.len() - unread;
    match read {
        _ if read <= kept => Needed::Nothing,
        _ if read as f64 <= LARGEST_SHARE * estimates.len() as f64 => Needed::Rescore(read),
        _ => Needed::Everything,
    }
}

/// The line through estimates and cosines, and how far rows stray from it.
struct Fit {
    offset: f64,
    slope: f64,
    spread: f64,
}

impl Fit {
    fn new(rescored: &[Rescored]) -> Fit {
        let rows = rescored.len() as f64;
        let mean = |value: fn(&Rescored) -> f64| rescored.iter().map(value).sum::<f64>() / rows;
        let (estimate, cosine) = (mean(|row| f64::from(row.estimate)), mean(|row| row.cosine));
        let (mut both, mut square) = (0.0, 0.0);
        for row in rescored {
            let x = f64::from(row.estimate) - estimate;
            both += x * (row.cosine - cosine);
            square += x * x;
        }
        let slope = if square > 0.0 { both / square } else { 0.0 };
        let offset = cosine - slope * estimate;
        let strays: Vec<f64> =
            rescored.iter().map(|row| (row.cosine - offset - slope * f64::from(row.estimate)).powi(2)).collect();
        let mean_of = |is_wanted: &dyn Fn(usize) -> bool| {
            let wanted: Vec<f64> = (0..strays.len()).filter(|&index| is_wanted(index)).map(|p| strays[p]).collect();
            wanted.iter().sum::<f64>() / wanted.len().max(1) as f64
        };
        let all = mean_of(&|_| true);
        // Near the cut, and far from it, rows may stray further.
        let lower_half = mean_of(&|index| index >= rescored.len() / 2);
        let widest = all.max(lower_half).max(mean_of(&|index| rescored[index].is_sampled));
        // A normal distribution has a kurtosis of 3.
        let fourth = strays.iter().map(|square| square * square).sum::<f64>() / rows;
        let kurtosis = if all > 0.0 { fourth / (all * all) } else { 3.0 };
        Fit { offset, slope, spread: (widest * (kurtosis / 3.0).max(1.0)).sqrt() }
    }

    /// At most this is the chance that a row with such an estimate has a greater cosine (Chernoff's bound).
    fn chance_above(&self, cosine: f64, estimate: f64) -> f64 {
        let distance = cosine - self.offset - self.slope * estimate;
        if distance <= 0.0 {
            1.0
        } else if self.spread > 0.0 {
            0.5 * (-0.5 * (distance / self.spread).powi(2)).exp()
        } else {
            0.0
        }
    }
}

/// How many rows have an estimate in each step between the least and the greatest.
struct Steps {
    least: f64,
    width: f64,
    rows: Vec<usize>,
}

impl Steps {
    fn new(estimates: &[f32]) -> Steps {
        let (least, greatest) = estimates
            .iter()
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &estimate| (low.min(estimate), high.max(estimate)));
        let (least, greatest) = (f64::from(least), f64::from(greatest));
        let width = ((greatest - least) / STEPS as f64).max(f64::MIN_POSITIVE);
        let mut rows = vec![0; STEPS];
        for &estimate in estimates {
            rows[(((f64::from(estimate) - least) / width) as usize).min(STEPS - 1)] += 1;
        }
        Steps { least, width, rows }
    }

    /// The highest estimate of each step with its rows, lowest step first.
    fn upwards(&self) -> impl Iterator<Item = (f64, usize)> {
        self.rows.iter().enumerate().map(|(step, &rows)| (self.least + self.width * (step + 1) as f64, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same numbers everywhere: a linear congruence (Knuth), made nearly normal by a sum of twelve.
    struct Numbers(u64);

    impl Numbers {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
        }
    }

    /// Rows whose cosine is `slope` times their estimate and a stray; the best 750 and every 20th rescored.
    fn look(rows: usize, slope: f64, stray: f64) -> Needed {
        let mut numbers = Numbers(7);
        let mut rows: Vec<(f32, f64)> = (0..rows)
            .map(|_| {
                let estimate = numbers.normal();
                (estimate as f32, slope * estimate + stray * numbers.normal())
            })
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        let estimates: Vec<f32> = rows.iter().map(|row| row.0).collect();
        let rescored = rows
            .iter()
            .enumerate()
            .filter(|(index, _)| *index < 750 || index % 20 == 0)
            .map(|(index, &(estimate, cosine))| Rescored { estimate, cosine, is_sampled: index >= 750 })
            .collect();
        needed(&estimates, rescored, 750, 10, 0.0)
    }

    #[test]
    fn good_estimates_need_nothing_more() {
        assert_eq!(look(5_000, 0.1, 0.02), Needed::Nothing);
    }

    #[test]
    fn fair_estimates_need_some_more_rows() {
        assert!(matches!(look(40_000, 0.1, 0.034), Needed::Rescore(751..=10_000)), "{:?}", look(40_000, 0.1, 0.034));
    }

    #[test]
    fn estimates_that_say_nothing_need_everything() {
        assert_eq!(look(5_000, 0.0, 0.1), Needed::Everything);
        assert_eq!(look(5_000, 0.1, 0.2), Needed::Everything);
    }

    #[test]
    fn a_row_along_one_dimension_might_be_nearer_than_all_that_was_found() {
        let estimates: Vec<f32> = (0..5_000).map(|n| 5_000.0 - n as f32).collect();
        let rescored: Vec<Rescored> = estimates
            .iter()
            .enumerate()
            .filter(|(index, _)| *index < 750 || index % 20 == 0)
            .map(|(index, &estimate)| Rescored {
                estimate,
                cosine: f64::from(estimate) / 10_000.0,
                is_sampled: index >= 750,
            })
            .collect();
        assert_eq!(needed(&estimates, rescored.clone(), 750, 10, 0.4), Needed::Nothing);
        assert_eq!(needed(&estimates, rescored, 750, 10, 0.5), Needed::Everything);
    }

    #[test]
    fn equal_estimates_need_everything() {
        let rescored =
            (0..900).map(|n| Rescored { estimate: 1.0, cosine: f64::from(n) / 900.0, is_sampled: n > 750 }).collect();
        assert_eq!(needed(&[1.0; 5_000], rescored, 750, 10, 0.0), Needed::Everything);
    }

    #[test]
    fn what_was_kept_whole_needs_nothing() {
        assert_eq!(needed(&[1.0; 750], Vec::new(), 750, 10, 0.0), Needed::Nothing);
    }

    #[test]
    fn rows_that_cannot_be_compared_are_no_evidence() {
        assert_eq!(needed(&[1.0; 5_000], Vec::new(), 750, 10, 0.0), Needed::Everything);
    }
}
