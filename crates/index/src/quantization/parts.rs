//! A code in two parts: a first pass over many codes reads their first parts, and a second pass the rests of the codes
//! that may be near.
//!
//! For the known part of a residual, `f y`, the signs `s` give `g s` with `g = |f y|^2 / <f y, s>`, which makes the
//! rest, `f y - g s`, perpendicular to it (RaBitQ with one bit for each dimension). Its length gives the standard
//! deviation of the first estimate, as `e` gives that of a whole code (see [`super`]).
//!
//! ```text
//! first part      0        2       4       8          rest    0        4        6
//!                 | e' f16 | g f16 | a f32 | signs            | f f32  | e f16  | three planes
//! ```
//!
//! `e'` is the deviation of the first estimate. Both parts together hold the whole code except its dimensions. Codes
//! with a byte for each level are their own first part, and have no rest, because the signs of so few dimensions carry
//! little information.

use half::f16;

use super::code::{Factors, HEADER_BYTES, code_bytes, middle};
use super::half_precision::single;
use super::planes::{PLANES, plane_bytes};
use super::simd::{self, Work};
use super::{FINE_DIMENSIONS, dimensions_of};

/// Bytes of a first part before the signs.
pub(super) const FIRST_HEADER_BYTES: usize = 8;
/// Bytes of a rest before its planes.
pub(super) const REST_HEADER_BYTES: usize = 6;

/// Bytes of the first part of a code of so many dimensions.
pub fn first_bytes(dimensions: usize) -> usize {
    match dimensions <= FINE_DIMENSIONS {
        true => code_bytes(dimensions),
        false => FIRST_HEADER_BYTES + plane_bytes(dimensions),
    }
}

/// Bytes of the rest of a code of so many dimensions; 0 where the first part is all of it.
pub fn rest_bytes(dimensions: usize) -> usize {
    match dimensions <= FINE_DIMENSIONS {
        true => 0,
        false => REST_HEADER_BYTES + (PLANES - 1) * plane_bytes(dimensions),
    }
}

/// The factors of a first part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FirstFactors {
    pub(super) e: f32,
    pub(super) g: f32,
    pub(super) a: f32,
}

impl FirstFactors {
    /// The factors of a header as a little-endian number, so that one instruction unpacks several of them.
    #[inline(always)]
    pub(super) fn of(header: u64) -> FirstFactors {
        FirstFactors {
            e: single(header as u16),
            g: single((header >> 16) as u16),
            a: f32::from_bits((header >> 32) as u32),
        }
    }
}

/// `f` and `e` of a rest.
pub(super) fn rest_factors(header: &[u8; REST_HEADER_BYTES]) -> (f32, f32) {
    let [f0, f1, f2, f3, e0, e1] = *header;
    (f32::from_le_bytes([f0, f1, f2, f3]), single(u16::from_le_bytes([e0, e1])))
}

/// Appends the first part of a code of more than [`FINE_DIMENSIONS`] dimensions. False, and nothing is appended, for
/// other bytes.
pub fn put_first(code: &[u8], first: &mut Vec<u8>) -> bool {
    let Some((dimensions, header, levels)) = taken_apart(code) else { return false };
    let (e, g) = signs_of(Factors::read(header), levels, dimensions);
    first.extend_from_slice(&e.to_le_bytes());
    first.extend_from_slice(&g.to_le_bytes());
    first.extend_from_slice(&header[4..8]);
    first.extend_from_slice(&levels[..plane_bytes(dimensions)]);
    true
}

/// Appends the rest of such a code. False, and nothing is appended, for other bytes.
pub fn put_rest(code: &[u8], rest: &mut Vec<u8>) -> bool {
    let Some((dimensions, header, levels)) = taken_apart(code) else { return false };
    rest.extend_from_slice(&header[8..12]);
    rest.extend_from_slice(&header[2..4]);
    rest.extend_from_slice(&levels[plane_bytes(dimensions)..]);
    true
}

fn taken_apart(code: &[u8]) -> Option<(usize, &[u8; HEADER_BYTES], &[u8])> {
    let dimensions = dimensions_of(code).filter(|&dimensions| dimensions > FINE_DIMENSIONS)?;
    let (header, levels) = code.split_first_chunk()?;
    Some((dimensions, header, levels))
}

/// The code of this many dimensions that has these parts, or that is `first` if there is no rest. `None` for parts
/// that no such code has.
pub fn join(dimensions: usize, first: &[u8], rest: &[u8]) -> Option<Vec<u8>> {
    let is_whole = rest.is_empty() && first.len() == code_bytes(dimensions);
    if !is_whole && (first.len() != first_bytes(dimensions) || rest.len() != rest_bytes(dimensions)) {
        return None;
    }
    let mut code = Vec::new();
    code.try_reserve_exact(code_bytes(dimensions)).ok()?;
    if is_whole {
        code.extend_from_slice(first);
    } else {
        code.extend_from_slice(&u16::try_from(dimensions).ok()?.to_le_bytes());
        code.extend_from_slice(&rest[4..6]);
        code.extend_from_slice(&first[4..8]);
        code.extend_from_slice(&rest[..4]);
        code.extend_from_slice(&first[FIRST_HEADER_BYTES..]);
        code.extend_from_slice(&rest[REST_HEADER_BYTES..]);
    }
    (dimensions_of(&code) == Some(dimensions)).then_some(code)
}

/// The deviation of an estimate by the signs of a code, rounded up, and the factor of its signs.
fn signs_of(Factors { f, e, .. }: Factors, levels: &[u8], dimensions: usize) -> (f16, f16) {
    let Sums { squared, along } = simd::widest(SumsOf { levels, dimensions });
    let (f, e, dimensions) = (f64::from(f), f64::from(e), dimensions as f64);
    let exact = f * squared / along;
    let g = f16::from_f64(exact);
    let left = (exact * exact * dimensions - f * f * squared).max(0.0);
    // The error of rounding is not random. It is at most one deviation.
    let rounding = (g.to_f64() - exact).powi(2) * dimensions;
    let deviation = (left / (dimensions - 1.0) + e * e + rounding).sqrt();
    let mut rounded = f16::from_f64(deviation);
    if rounded.to_f64() < deviation {
        rounded = f16::from_bits(rounded.to_bits() + 1);
    }
    (rounded, g)
}

/// |y|² and <y, s> of levels, which represent numbers `y` with the signs `s`.
#[derive(Debug, PartialEq)]
struct Sums {
    squared: f64,
    along: f64,
}

/// They follow from how many bits of a plane are set, and how many of two planes together: sums of whole numbers.
struct SumsOf<'a> {
    levels: &'a [u8],
    dimensions: usize,
}

impl Work for SumsOf<'_> {
    type Result = Sums;

    #[inline(always)]
    fn run(self) -> Sums {
        let planes: Vec<&[u8]> = self.levels.chunks_exact(plane_bytes(self.dimensions)).take(PLANES).collect();
        let weight = |plane: usize| 1_u64 << (PLANES - 1 - plane);
        // The sums of levels, of their squares, and of what the lower planes say of those whose sign is set.
        let (mut sum, mut squared, mut of_set) = (0, 0, 0);
        for one in 0..PLANES {
            for other in one..PLANES {
                let both = both_set(planes[one], planes[other]);
                if one == other {
                    sum += weight(one) * both;
                    squared += weight(one) * weight(one) * both;
                } else {
                    squared += 2 * weight(one) * weight(other) * both;
                }
                if one == 0 && other > 0 {
                    of_set += weight(other) * both;
                }
            }
        }
        let set = both_set(planes[0], planes[0]);
        let (dimensions, middle) = (self.dimensions as f64, f64::from(middle(self.dimensions)));
        // A number is its level less the middle; where the sign is set half of one more than the lower planes say.
        let of_others = (sum - weight(0) * set - of_set) as f64;
        let along = of_set as f64 + set as f64 / 2.0 + middle * (dimensions - set as f64) - of_others;
        let squared = squared as f64 - 2.0 * middle * sum as f64 + middle * middle * dimensions;
        Sums { squared, along }
    }
}

/// The number of bits that are set in both.
#[inline(always)]
fn both_set(one: &[u8], other: &[u8]) -> u64 {
    let ((ones, rest), (others, other_rest)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    let words = ones.iter().zip(others).map(|(a, b)| u64::from_le_bytes(*a) & u64::from_le_bytes(*b));
    let bytes = rest.iter().zip(other_rest).map(|(a, b)| u64::from(a & b));
    words.chain(bytes).map(|word| u64::from(word.count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::code::each_level;
    use super::*;

    proptest! {
        #[test]
        fn sums_of_levels_are_those_of_each(levels in prop::collection::vec(0u8..16, 33..700)) {
            let dimensions = levels.len();
            let values: Vec<f32> = levels.iter().map(|&level| f32::from(level)).collect();
            let mut bytes = vec![0; PLANES * plane_bytes(dimensions)];
            super::super::planes::put(&values, &mut bytes, |value| value as u8);
            let mut naive = Sums { squared: 0.0, along: 0.0 };
            each_level(&bytes, dimensions, |_, level| {
                let y = f64::from(level) - 7.5;
                (naive.squared, naive.along) = (naive.squared + y * y, naive.along + y.abs());
            });
            prop_assert_eq!(SumsOf { levels: &bytes, dimensions }.run(), naive);
        }
    }
}
