//! The distribution of the cosines between a query and all rows of a memory: about normal, so its nearest rows and the
//! number of rows tell its mean and its deviation.

/// Standard deviation of the cosines of unrelated texts, for static and for contextual embedders (measured: 0.10 to
/// 0.14 over seven sets and two embedders). The candidates show whether an embedder's cosines lie closer together.
pub const USUAL_SPREAD: f64 = 0.11;
/// The least standard deviation of cosines: below this they are equal.
const LEAST_SPREAD: f64 = 1e-6;

/// The distribution of cosines, as its nearest rows show it.
#[derive(Debug, Clone, Copy)]
pub struct Distribution {
    /// The cosine of the last of the nearest.
    pub last: f64,
    /// Its distance from the mean in standard deviations.
    pub last_standing: f64,
    /// The standard deviation.
    pub spread: f64,
}

impl Distribution {
    /// From cosines of the nearest, best first: `reach` of them, in a memory of this many rows.
    pub fn of(cosines: &[f64], reach: usize, rows: f64) -> Distribution {
        let (middle, last) = (reach / 2, reach);
        let last_standing = upper_quantile(last as f64 / rows);
        let deviations = upper_quantile(middle as f64 / rows) - last_standing;
        let spread = (cosines[middle - 1] - cosines[last - 1]) / deviations;
        Distribution { last: cosines[last - 1], last_standing, spread: spread.clamp(LEAST_SPREAD, USUAL_SPREAD) }
    }

    /// The distance of a cosine from the mean in standard deviations.
    pub fn standing(self, cosine: f64) -> f64 {
        self.last_standing + (cosine - self.last) / self.spread
    }
}

/// The value that a standard normal variable exceeds with a probability of at most a half; the error is below 0.00045
/// (Abramowitz & Stegun, Handbook of Mathematical Functions, 26.2.23).
pub fn upper_quantile(probability: f64) -> f64 {
    let t = (-2.0 * probability.min(0.5).ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (probability, expected) in [(0.5, 0.0), (0.158_655, 1.0), (0.022_750, 2.0), (0.001_350, 3.0)] {
            assert!((upper_quantile(probability) - expected).abs() < 0.001, "{probability}");
        }
    }
}
