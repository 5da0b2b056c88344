//! The rotation before vectors are coded: it spreads the peculiarities of single dimensions over all of them, so that
//! levels fit and errors are random. It is part of the format of codes: for a number of dimensions it never changes.
//!
//! If dimensions are a power of two, three rounds of: change signs, Hadamard transform. Two would leave errors of
//! vectors with few dimensions up to nine standard deviations wide: signs between two transforms make a matrix whose
//! entry depends on the exclusive or of row and column alone.
//!
//! Else three rounds of: replace coordinates `i` of the first and of the last half by sum and difference; change signs,
//! Hadamard transform of the first `window` coordinates; change signs, Hadamard transform of the last `window`, where
//! `window` is the greatest power of two below the number of dimensions. All steps are scaled to keep lengths.

use std::f32::consts::FRAC_1_SQRT_2;

use super::MAX_DIMENSIONS;
use super::length::is_usual_square;
use super::simd::{self, Work};

/// The seed of the signs.
const SEED: u64 = 0x6d65_6d6f_7279_0001;

/// The rotation of vectors of a number of dimensions.
#[derive(Debug, Clone)]
pub struct Rotation {
    dimensions: usize,
    window: usize,
    /// The signs of each transform, 1 or -1 for each coordinate.
    signs: Vec<f32>,
}

impl Rotation {
    /// For vectors of `dimensions`, 1 to [`MAX_DIMENSIONS`].
    pub fn new(dimensions: usize) -> Option<Rotation> {
        if dimensions == 0 || dimensions > MAX_DIMENSIONS {
            return None;
        }
        let transforms = if dimensions.is_power_of_two() { 3 } else { 6 };
        let signs = (0..transforms).flat_map(|transform| (0..dimensions).map(move |at| sign(transform, at))).collect();
        Some(Rotation { dimensions, window: 1 << dimensions.ilog2(), signs })
    }

    /// The number of its vectors' dimensions.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Rotates a vector.
    ///
    /// # Panics
    /// If it has other than [`Rotation::dimensions`].
    pub fn rotate(&self, vector: &mut [f32]) {
        assert_eq!(vector.len(), self.dimensions, "a rotation of other dimensions");
        simd::widest(Rotate(self, vector));
    }

    /// The unit vector in the direction of `vector`, rotated. `None` if it has other dimensions, is zero, has elements
    /// that are not finite, or is of an [unusual](super::is_unusual) length.
    pub fn unit(&self, vector: &[f32]) -> Option<Vec<f32>> {
        if vector.len() == self.dimensions { simd::widest(Unit(self, vector)) } else { None }
    }
}

struct Unit<'a>(&'a Rotation, &'a [f32]);

impl Work for Unit<'_> {
    type Result = Option<Vec<f32>>;

    #[inline(always)]
    fn run(self) -> Option<Vec<f32>> {
        let Unit(rotation, vector) = self;
        let squared = simd::dot(vector, vector);
        if !is_usual_square(squared) {
            return None;
        }
        let scale = 1.0 / squared.sqrt();
        let mut unit: Vec<f32> = vector.iter().map(|&value| (f64::from(value) * scale) as f32).collect();
        Rotate(rotation, &mut unit).run();
        Some(unit)
    }
}

struct Rotate<'a>(&'a Rotation, &'a mut [f32]);

impl Work for Rotate<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Rotate(Rotation { dimensions, window, signs }, vector) = self;
        for (transform, signs) in signs.chunks_exact(*dimensions).enumerate() {
            let halves_to_mix = window < dimensions && transform % 2 == 0;
            if halves_to_mix {
                mix_halves(vector);
            }
            for (value, sign) in vector.iter_mut().zip(signs) {
                *value *= sign;
            }
            let first = if transform % 2 == 0 { 0 } else { dimensions - window };
            hadamard(&mut vector[first..first + window]);
        }
    }
}

/// The sign of coordinate `at` before a transform: a bit of SplitMix64's output for it and the block of 64 coordinates.
fn sign(transform: u64, at: usize) -> f32 {
    let block = (transform << 32) + at as u64 / 64 + 1;
    let mut bits = SEED.wrapping_add(block.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    if bits >> (at % 64) & 1 == 0 { 1.0 } else { -1.0 }
}

#[inline(always)]
fn mix_halves(vector: &mut [f32]) {
    let half = vector.len() / 2;
    let (first, last) = vector.split_at_mut(vector.len() - half);
    for (a, b) in first.iter_mut().zip(last) {
        (*a, *b) = ((*a + *b) * FRAC_1_SQRT_2, (*a - *b) * FRAC_1_SQRT_2);
    }
}

/// The orthonormal Hadamard transform of a power of two of values.
#[inline(always)]
fn hadamard(values: &mut [f32]) {
    let scale = (1.0 / (values.len() as f64).sqrt()) as f32;
    let mut width = 1;
    let (eights, rest) = values.as_chunks_mut::<8>();
    if rest.is_empty() {
        for eight in eights {
            *eight = hadamard_of_eight(*eight);
        }
        width = 8;
    }
    while width < values.len() {
        for pair in values.chunks_exact_mut(2 * width) {
            let (first, last) = pair.split_at_mut(width);
            for (a, b) in first.iter_mut().zip(last) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        width *= 2;
    }
    for value in values {
        *value *= scale;
    }
}

#[inline(always)]
fn hadamard_of_eight(v: [f32; 8]) -> [f32; 8] {
    let [a, b, c, d, e, f, g, h] = v;
    let [a, b, c, d, e, f, g, h] = [a + b, a - b, c + d, c - d, e + f, e - f, g + h, g - h];
    let [a, b, c, d, e, f, g, h] = [a + c, b + d, a - c, b - d, e + g, f + h, e - g, f - h];
    [a + e, b + f, c + g, d + h, a - e, b - f, c - g, d - h]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rotated(vector: &[f32]) -> Vec<f32> {
        let mut vector = vector.to_vec();
        Rotation::new(vector.len()).unwrap().rotate(&mut vector);
        vector
    }

    /// The rotation by its definition, in double precision.
    fn by_definition(vector: &[f32]) -> Vec<f64> {
        fn transform(values: &[f64]) -> Vec<f64> {
            let entry = |i: usize, j: usize| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
            let row = |i: usize| values.iter().enumerate().map(|(j, value)| entry(i, j) * value).sum::<f64>();
            (0..values.len()).map(|i| row(i) / (values.len() as f64).sqrt()).collect()
        }
        let n = vector.len();
        let mut values: Vec<f64> = vector.iter().map(|&value| f64::from(value)).collect();
        let (half, window) = (n / 2, 1 << n.ilog2());
        for number in 0..if n == window { 3 } else { 6 } {
            for i in 0..if n == window || number % 2 == 1 { 0 } else { half } {
                let (a, b) = (values[i], values[n - half + i]);
                (values[i], values[n - half + i]) = ((a + b) / 2f64.sqrt(), (a - b) / 2f64.sqrt());
            }
            values.iter_mut().enumerate().for_each(|(at, value)| *value *= f64::from(sign(number, at)));
            let first = if number % 2 == 0 { 0 } else { n - window };
            let transformed = transform(&values[first..first + window]);
            values[first..first + window].copy_from_slice(&transformed);
        }
        values
    }

    proptest! {
        #[test]
        fn it_agrees_with_its_definition(vector in prop::collection::vec(-1f32..1.0, 1..300)) {
            for (fast, defined) in rotated(&vector).into_iter().zip(by_definition(&vector)) {
                prop_assert!((f64::from(fast) - defined).abs() < 1e-5);
            }
        }

        #[test]
        fn it_keeps_inner_products(pairs in prop::collection::vec((-1f32..1.0, -1f32..1.0), 1..1000)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            prop_assert!((simd::dot(&a, &b) - simd::dot(&rotated(&a), &rotated(&b))).abs() < 1e-5 * a.len() as f64);
        }
    }

    #[test]
    fn it_never_changes() {
        let exact = |dimensions: usize| {
            let ramp: Vec<f32> = (1..=dimensions).map(|at| at as f32).collect();
            let hash = |bytes: u64, value: &f32| (bytes ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3);
            rotated(&ramp).iter().fold(0xcbf2_9ce4_8422_2325, hash)
        };
        assert_eq!(rotated(&[1.0]), [-1.0]);
        let hashes: Vec<u64> = [1, 2, 3, 8, 100, 256, 768, 1536].into_iter().map(exact).collect();
        assert_eq!(
            hashes,
            [
                3414780549728942047,
                14626150208018721166,
                4088099802614925437,
                4518974669032241530,
                9828539168214028626,
                9577364163531345189,
                573006062824943552,
                8760208820100290874
            ]
        );
    }

    #[test]
    fn it_spreads_a_single_dimension_over_all() {
        for dimensions in [64, 65, 100, 127, 255, 256, 300, 768, 1023, 1536] {
            for at in [0, 1, dimensions / 2, dimensions - 1] {
                let mut vector = vec![0.0; dimensions];
                vector[at] = 1.0;
                let vector = rotated(&vector);
                assert!(simd::greatest(&vector) < 5.0 / (dimensions as f32).sqrt(), "{at} of {dimensions}");
                let first: f64 = simd::dot(&vector[..dimensions / 2], &vector[..dimensions / 2]);
                assert!((0.25..0.75).contains(&first), "{first} of {at} of {dimensions} in the first half");
            }
        }
    }

    #[test]
    fn a_vector_without_direction_has_no_unit_vector() {
        let unit = |vector: &[f32]| Rotation::new(3).unwrap().unit(vector);
        for vector in [[0.0; 3], [f32::NAN, 1.0, 1.0], [f32::INFINITY, 0.0, 1.0], [f32::MAX; 3], [1e-45; 3]] {
            assert_eq!(unit(&vector), None);
        }
        assert_eq!(unit(&[1.0; 2]), None);
        for vector in [[5e18; 3], [1e-12; 3]] {
            let unit = unit(&vector).unwrap();
            assert!((simd::dot(&unit, &unit) - 1.0).abs() < 1e-6);
        }
        assert!(Rotation::new(0).is_none() && Rotation::new(MAX_DIMENSIONS + 1).is_none());
    }
}
