//! The mean of a group of rotated unit vectors, which their codes are relative to: embeddings of most models point to
//! one side, and their differences are much smaller than they are.

use half::f16;

use super::MAX_DIMENSIONS;
use super::half_precision::signed;
use super::simd::{self, Work};

/// The mean of a group, in half precision. Codes and queries use exactly the stored values.
#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    values: Vec<f32>,
    squared_norm: f64,
}

impl Mean {
    /// The mean of rotated unit vectors ([`super::Rotation::unit`], [`super::decode`]). `None` if there are no vectors,
    /// or they differ in dimensions, or the mean is not finite.
    pub fn of<V: AsRef<[f32]>>(vectors: impl IntoIterator<Item = V>) -> Option<Mean> {
        let mut sums: Vec<f64> = Vec::new();
        let mut count = 0u64;
        for vector in vectors {
            let vector = vector.as_ref();
            if count == 0 {
                sums.resize(vector.len(), 0.0);
            }
            if vector.len() != sums.len() {
                return None;
            }
            sums.iter_mut().zip(vector).for_each(|(sum, &value)| *sum += f64::from(value));
            count += 1;
        }
        Mean::decoded(sums.into_iter().map(|sum| f16::from_f64(sum / count as f64).to_f32()).collect())
    }

    /// Little-endian half-precision floats, two bytes a dimension.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.values.iter().flat_map(|&value| f16::from_f32(value).to_le_bytes()).collect()
    }

    /// From [`Mean::to_bytes`]. `None` for bytes that are no mean.
    pub fn from_bytes(bytes: &[u8]) -> Option<Mean> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() || pairs.len() > MAX_DIMENSIONS {
            return None;
        }
        simd::widest(Decoded(pairs))
    }

    /// The number of its dimensions.
    pub fn dimensions(&self) -> usize {
        self.values.len()
    }

    /// Its coordinates, as decoded.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The square of its length.
    pub fn squared_norm(&self) -> f64 {
        self.squared_norm
    }

    #[inline(always)]
    fn decoded(values: Vec<f32>) -> Option<Mean> {
        let squared_norm = simd::dot(&values, &values);
        // A mean of unit vectors is no longer than they are. A longer one is damage, and would make errors look small.
        let fits = (1..=MAX_DIMENSIONS).contains(&values.len()) && squared_norm <= 1.01;
        fits.then_some(Mean { values, squared_norm })
    }
}

/// The mean of which these are the bytes: a search decodes hundreds of them.
struct Decoded<'a>(&'a [[u8; 2]]);

impl Work for Decoded<'_> {
    type Result = Option<Mean>;

    #[inline(always)]
    fn run(self) -> Option<Mean> {
        // A number that is not finite becomes one far too long for a mean.
        Mean::decoded(self.0.iter().map(|&pair| signed(u16::from_le_bytes(pair))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_mean_in_half_precision() {
        let mean = Mean::of([[1.0f32, 0.0], [0.0, 1.0], [0.6, 0.8]]).unwrap();
        assert_eq!(mean.values(), [f16::from_f64(1.6 / 3.0).to_f32(), f16::from_f64(0.6).to_f32()]);
        let squares = mean.values().iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
        assert_eq!(mean.squared_norm(), squares);
    }

    #[test]
    fn bytes_give_the_same_mean() {
        let mean = Mean::of([vec![0.5f32, -0.25, 1e-7, 0.1]]).unwrap();
        assert_eq!(mean.to_bytes().len(), 8);
        assert_eq!(Mean::from_bytes(&mean.to_bytes()), Some(mean));
    }

    #[test]
    fn bytes_that_are_no_mean_are_refused() {
        assert_eq!(Mean::of::<Vec<f32>>([]), None);
        assert_eq!(Mean::of([vec![1.0f32], vec![0.5, 0.5]]), None);
        assert_eq!(Mean::of([vec![f32::NAN]]), None);
        assert_eq!(Mean::from_bytes(&[]), None);
        assert_eq!(Mean::from_bytes(&[0; 3]), None);
        assert_eq!(Mean::from_bytes(&f16::INFINITY.to_le_bytes()), None);
        assert_eq!(Mean::from_bytes(&f16::from_f32(2.0).to_le_bytes()), None);
        assert_eq!(Mean::from_bytes(&[0; 2 * (MAX_DIMENSIONS + 1)]), None);
    }
}
