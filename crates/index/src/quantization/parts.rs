//! A code in two parts: the first is what a first pass over many codes reads, the rest what is read of those that it
//! leaves.
//!
//! Of the known part of a residual, `f y`, the signs `s` say `g s` with `g = |f y|^2 / <f y, s>`, which makes what is
//! left, `f y - g s`, perpendicular to it (RaBitQ with one bit a dimension). Its length is known, and with it the standard
//! deviation of the first estimate, as that of a whole code from `e` (see [`super`]).
//!
//! ```text
//! first part      0        2       4       8          rest    0        4        6
//!                 | e' f16 | g f16 | a f32 | signs            | f f32  | e f16  | three planes
//! ```
//!
//! `e'` is the deviation of the first estimate. Both parts together hold all of the code but its dimensions. Codes with a
//! level a byte are their own first part, and have no rest: so few dimensions say little by their signs.

use half::f16;

use super::code::{Factors, HEADER_BYTES, code_bytes, each_level, middle};
use super::half_precision::single;
use super::planes::{PLANES, plane_bytes};
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
    #[inline(always)]
    pub(super) fn read(header: &[u8; FIRST_HEADER_BYTES]) -> FirstFactors {
        let [e0, e1, g0, g1, a0, a1, a2, a3] = *header;
        FirstFactors { e: single(e0, e1), g: single(g0, g1), a: f32::from_le_bytes([a0, a1, a2, a3]) }
    }
}

/// `f` and `e` of a rest.
pub(super) fn rest_factors(header: &[u8; REST_HEADER_BYTES]) -> (f32, f32) {
    let [f0, f1, f2, f3, e0, e1] = *header;
    (f32::from_le_bytes([f0, f1, f2, f3]), single(e0, e1))
}

/// Appends the parts of a code to `first` and `rest`. False, and nothing is appended, for bytes that are no code.
pub fn split(code: &[u8], first: &mut Vec<u8>, rest: &mut Vec<u8>) -> bool {
    let (Some(dimensions), Some((header, levels))) = (dimensions_of(code), code.split_first_chunk::<HEADER_BYTES>())
    else {
        return false;
    };
    if dimensions <= FINE_DIMENSIONS {
        first.extend_from_slice(code);
        return true;
    }
    let (e, g) = signs_of(Factors::read(header), levels, dimensions);
    let (signs, planes) = levels.split_at(plane_bytes(dimensions));
    first.extend_from_slice(&e.to_le_bytes());
    first.extend_from_slice(&g.to_le_bytes());
    first.extend_from_slice(&header[4..8]);
    first.extend_from_slice(signs);
    rest.extend_from_slice(&header[8..12]);
    rest.extend_from_slice(&header[2..4]);
    rest.extend_from_slice(planes);
    true
}

/// The code of so many dimensions that has these parts, or that is `first` where there is no rest. `None` for parts that
/// no such code has.
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
    let (mut squared, mut along) = (0.0_f64, 0.0_f64);
    let middle = f64::from(middle(dimensions));
    each_level(levels, dimensions, |_, level| {
        let y = f64::from(level) - middle;
        (squared, along) = (squared + y * y, along + y.abs());
    });
    let (f, e, dimensions) = (f64::from(f), f64::from(e), dimensions as f64);
    let exact = f * squared / along;
    let g = f16::from_f64(exact);
    let left = (exact * exact * dimensions - f * f * squared).max(0.0);
    // Rounding is no error of chance: of at most one deviation.
    let rounding = (g.to_f64() - exact).powi(2) * dimensions;
    let deviation = (left / (dimensions - 1.0) + e * e + rounding).sqrt();
    let mut rounded = f16::from_f64(deviation);
    if rounded.to_f64() < deviation {
        rounded = f16::from_bits(rounded.to_bits() + 1);
    }
    (rounded, g)
}
