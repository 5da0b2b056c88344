//! The lengths at which the server computes with embeddings as with real numbers.
//!
//! pgvector adds squares and products in single precision. Beyond these lengths they become infinite, zero, or lose
//! most of their bits, and its distance is then any number from 0 to 2, or not a number: the cosine by a code does not
//! predict it.

use super::simd::{self, Work};

/// Products of two vectors up to this length, and their sums, stay below the greatest single-precision number, 3.4e38.
const GREATEST: f64 = 1e19;
/// The squares of a vector of this length sum up to 1e-26. The loss of as many products as there are dimensions, each
/// below the least number of full precision, 1.2e-38, is less than the eighth digit of that.
const LEAST: f64 = 1e-13;

/// Whether a vector has a direction, but a length that the server cannot compute with.
pub fn is_unusual(vector: &[f32]) -> bool {
    simd::widest(IsUnusual(vector))
}

/// Whether the square of a length is one of a vector that has a direction, and is not unusual.
pub(super) fn is_usual_square(squared: f64) -> bool {
    (LEAST * LEAST..=GREATEST * GREATEST).contains(&squared)
}

struct IsUnusual<'a>(&'a [f32]);

impl Work for IsUnusual<'_> {
    type Result = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let squared = simd::dot(self.0, self.0);
        squared.is_finite() && squared > 0.0 && !is_usual_square(squared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantization::{
        DEVIATIONS, MAX_DIMENSIONS, Nearest, Query, Rotation, code_of_unusual, dimensions_of, encode,
    };

    /// The cosine as pgvector computes it: in single precision, kept within its range.
    fn cosine(a: &[f32], b: &[f32]) -> f64 {
        let sum = |a: &[f32], b: &[f32]| a.iter().zip(b).fold(0.0_f32, |sum, (a, b)| sum + a * b);
        let cosine = f64::from(sum(a, b)) / (f64::from(sum(a, a)) * f64::from(sum(b, b))).sqrt();
        if cosine.is_nan() { cosine } else { cosine.clamp(-1.0, 1.0) }
    }

    fn vector(seed: u32, length: f32) -> Vec<f32> {
        (0..48).map(|at| ((seed * 50 + at) as f32 * 0.7).sin() * length).collect()
    }

    #[test]
    fn the_bound_of_a_row_of_any_length_holds_for_the_servers_distance() {
        let rotation = Rotation::new(48).unwrap();
        let query = vector(0, 1.0);
        let prepared = Query::new(&query).unwrap().against(None).unwrap();
        let (mut unusual, mut wrong_without) = (0, 0);
        for (seed, exponent) in (1..).zip(-37..38) {
            let row = vector(seed, 10_f32.powi(exponent));
            let exact = cosine(&query, &row);
            let estimate = prepared.estimate(&encode(&rotation, &row, None).unwrap()).unwrap();
            let holds = exact.is_nan() || estimate.upper().is_nan() || exact <= f64::from(estimate.upper());
            assert!(holds, "a row of about 1e{exponent}: {exact} is not below {estimate:?}");
            if is_unusual(&row) {
                unusual += 1;
                // The direction is the same, with a usual length.
                let scaled: Vec<f32> = vector(seed, 1.0);
                let estimate = prepared.estimate(&encode(&rotation, &scaled, None).unwrap()).unwrap();
                wrong_without += usize::from(exact > f64::from(estimate.cosine + DEVIATIONS * estimate.error));
            }
        }
        assert!(unusual > 30 && wrong_without > 5, "{wrong_without} of {unusual}");
    }

    #[test]
    fn only_vectors_with_a_direction_and_an_unusual_length_are_unusual() {
        for usual in [[1.0, -1.0], [1e-12, 0.0], [0.0, 5e18], [0.0, 0.0], [f32::NAN, 1e30], [f32::INFINITY, 1.0]] {
            assert!(!is_unusual(&usual), "{usual:?}");
            assert_eq!(code_of_unusual(&usual), None);
        }
        for unusual in [[1e25, 0.0], [1e-25, 1e-30], [f32::MAX, f32::MAX], [1e-45, 0.0]] {
            assert!(is_unusual(&unusual), "{unusual:?}");
            assert_eq!(code_of_unusual(&unusual).as_deref().and_then(dimensions_of), Some(2));
            assert!(Query::new(&unusual).is_none());
        }
        assert_eq!(code_of_unusual(&vec![1e25; MAX_DIMENSIONS + 1]), None);
    }

    #[test]
    fn its_row_is_always_named() {
        for dimensions in [2, 32, 33, 64, 700] {
            let query = Query::new(&vec![1.0; dimensions]).unwrap().against(None).unwrap();
            let usual = encode(&Rotation::new(dimensions).unwrap(), &vec![2.0; dimensions], None).unwrap();
            let unusual = code_of_unusual(&vec![-1e25; dimensions]).unwrap();
            let mut nearest = Nearest::new(1);
            for document in 0..5_000 {
                let code = if document == 4_321 { &unusual } else { &usual };
                nearest.add(document, query.estimate(code).unwrap()).unwrap();
            }
            assert_eq!(nearest.next(1).unwrap(), [4_321]);
        }
    }
}
