//! The code of one vector (layout in [`super`]).

use half::f16;

use super::half_precision::single;
use super::simd::{self, Work};
use super::{FINE_DIMENSIONS, MAX_DIMENSIONS, Mean, Rotation, is_unusual, planes};

/// Bytes before the levels.
pub(super) const HEADER_BYTES: usize = 12;

/// A residual below this length is kept as zero, with its length as error, because single precision has no more
/// information about it.
const NO_RESIDUAL: f64 = 1e-6;
/// Adding it rounds a float below 2^22 to a whole number, which is then in its low bits.
const ROUNDING: f32 = 8_388_608.0;

/// Steps between levels to try, in standard deviations of a coordinate, in addition to the step that clips nothing:
/// values around the best one for normally distributed coordinates.
const COARSE_STEPS: [f32; 4] = [0.29, 0.325, 0.36, 0.4];
/// The steps for 256 levels; clipping is mostly not worth it with few coordinates.
const FINE_STEPS: [f32; 5] = [0.012, 0.015, 0.018, 0.021, 0.025];

/// The factors at the start of a code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Factors {
    pub(super) dimensions: u16,
    pub(super) a: f32,
    pub(super) f: f32,
    pub(super) e: f32,
}

impl Factors {
    /// From the start of a code, which must be long enough.
    #[inline(always)]
    pub(super) fn read(header: &[u8; HEADER_BYTES]) -> Factors {
        let [d0, d1, e0, e1, a0, a1, a2, a3, f0, f1, f2, f3] = *header;
        Factors {
            dimensions: u16::from_le_bytes([d0, d1]),
            a: f32::from_le_bytes([a0, a1, a2, a3]),
            f: f32::from_le_bytes([f0, f1, f2, f3]),
            e: single(u16::from_le_bytes([e0, e1])),
        }
    }

    fn write(self, code: &mut [u8]) {
        let mut e = f16::from_f32(self.e);
        if e.to_f32() < self.e {
            e = f16::from_bits(e.to_bits() + 1);
        }
        code[..2].copy_from_slice(&self.dimensions.to_le_bytes());
        code[2..4].copy_from_slice(&e.to_le_bytes());
        code[4..8].copy_from_slice(&self.a.to_le_bytes());
        code[8..12].copy_from_slice(&self.f.to_le_bytes());
    }
}

/// Bytes of a code of so many dimensions.
pub fn code_bytes(dimensions: usize) -> usize {
    HEADER_BYTES + level_bytes(dimensions)
}

/// The number of a code's dimensions. `None` for bytes that are no code.
pub fn dimensions_of(code: &[u8]) -> Option<usize> {
    let (header, _) = code.split_first_chunk::<HEADER_BYTES>()?;
    let dimensions = usize::from(Factors::read(header).dimensions);
    let is_code = (1..=MAX_DIMENSIONS).contains(&dimensions) && code.len() == code_bytes(dimensions);
    is_code.then_some(dimensions)
}

/// The code of a vector of any length, counted from a mean, or from zero. `None` if it is zero or not finite, or
/// rotation and mean are of other dimensions.
pub fn encode(rotation: &Rotation, vector: &[f32], mean: Option<&Mean>) -> Option<Vec<u8>> {
    match rotation.unit(vector) {
        Some(unit) => encode_rotated(&unit, mean),
        None if vector.len() == rotation.dimensions() => code_of_unusual(vector),
        None => None,
    }
}

/// The code of a vector of an [unusual](is_unusual) length: its cosine may be any. `None` for any other vector.
pub fn code_of_unusual(vector: &[f32]) -> Option<Vec<u8>> {
    let dimensions = vector.len();
    if !(1..=MAX_DIMENSIONS).contains(&dimensions) || !is_unusual(vector) {
        return None;
    }
    let mut code = vec![0; code_bytes(dimensions)];
    Factors { dimensions: dimensions as u16, a: f32::NAN, f: 0.0, e: 0.0 }.write(&mut code);
    Some(code)
}

/// The code of a rotated unit vector ([`Rotation::unit`]).
pub fn encode_rotated(unit: &[f32], mean: Option<&Mean>) -> Option<Vec<u8>> {
    let fits = (1..=MAX_DIMENSIONS).contains(&unit.len());
    if !fits || mean.is_some_and(|mean| mean.dimensions() != unit.len()) {
        return None;
    }
    Some(simd::widest(Encode(unit, mean)))
}

/// The rotated unit vector that a code represents, within its error. `None` for bytes that are no code, or a mean of
/// other dimensions.
pub fn decode(code: &[u8], mean: Option<&Mean>) -> Option<Vec<f32>> {
    let dimensions = dimensions_of(code)?;
    if mean.is_some_and(|mean| mean.dimensions() != dimensions) {
        return None;
    }
    let (header, levels) = code.split_first_chunk::<HEADER_BYTES>()?;
    let f = Factors::read(header).f;
    let middle = middle(dimensions);
    let mut vector = vec![0.0; dimensions];
    each_level(levels, dimensions, |dimension, level| vector[dimension] = f * (f32::from(level) - middle));
    if let Some(mean) = mean {
        vector.iter_mut().zip(mean.values()).for_each(|(value, mean)| *value += mean);
    }
    Some(vector)
}

/// Bytes of the levels of so many dimensions.
pub(super) fn level_bytes(dimensions: usize) -> usize {
    match dimensions <= FINE_DIMENSIONS {
        true => dimensions,
        false => planes::PLANES * planes::plane_bytes(dimensions),
    }
}

/// Calls `each` with every dimension and its level.
pub(super) fn each_level(levels: &[u8], dimensions: usize, mut each: impl FnMut(usize, u8)) {
    match dimensions <= FINE_DIMENSIONS {
        true => levels.iter().enumerate().for_each(|(dimension, &level)| each(dimension, level)),
        false => planes::each_level(levels, dimensions, each),
    }
}

/// The middle of the levels of a code, which represents zero.
pub(super) fn middle(dimensions: usize) -> f32 {
    if dimensions <= FINE_DIMENSIONS { 127.5 } else { 7.5 }
}

struct Encode<'a>(&'a [f32], Option<&'a Mean>);

impl Work for Encode<'_> {
    type Result = Vec<u8>;

    #[inline(always)]
    fn run(self) -> Vec<u8> {
        let Encode(unit, mean) = self;
        let mut residual = unit.to_vec();
        let mut a = 0.0;
        if let Some(mean) = mean {
            residual.iter_mut().zip(mean.values()).for_each(|(value, mean)| *value -= mean);
            a = simd::dot(mean.values(), unit);
        }
        encode_residual(&residual, a)
    }
}

#[inline(always)]
fn encode_residual(residual: &[f32], a: f64) -> Vec<u8> {
    let dimensions = residual.len();
    let middle = middle(dimensions);
    let squared_norm = simd::dot(residual, residual);
    let (mut f, mut e, mut inverse_step) = (0.0, squared_norm.sqrt(), 0.0);
    if e > NO_RESIDUAL {
        inverse_step = best_inverse_step(residual, middle, squared_norm);
        let along: f64 =
            simd::sum(residual, |value| f64::from(value) * f64::from(level(value, inverse_step, middle).0));
        f = (squared_norm / along) as f32;
        let left: f64 = simd::sum(residual, |value| {
            let left = f64::from(value) - f64::from(f) * f64::from(level(value, inverse_step, middle).0);
            left * left
        });
        e = (left / (dimensions - 1).max(1) as f64).sqrt();
    }
    let mut code = vec![0; code_bytes(dimensions)];
    let e = (e as f32).next_up();
    Factors { dimensions: dimensions as u16, a: a as f32, f, e }.write(&mut code);
    let levels = &mut code[HEADER_BYTES..];
    if dimensions <= FINE_DIMENSIONS {
        levels.iter_mut().zip(residual).for_each(|(byte, &value)| *byte = level(value, inverse_step, middle).1);
    } else {
        planes::put(residual, levels, |value| level(value, inverse_step, middle).1);
    }
    code
}

/// The level nearest to a value, as the number that it represents (in steps) and as it is stored.
#[inline(always)]
fn level(value: f32, inverse_step: f32, middle: f32) -> (f32, u8) {
    let rounded = (value * inverse_step + middle).max(0.0).min(2.0 * middle) + ROUNDING;
    (rounded - ROUNDING - middle, rounded.to_bits() as u8)
}

/// The inverse of the step between levels for which the levels point most nearly in the direction of the residual.
#[inline(always)]
fn best_inverse_step(residual: &[f32], middle: f32, squared_norm: f64) -> f32 {
    let deviation = (squared_norm / residual.len() as f64).sqrt() as f32;
    let without_clipping = middle / simd::greatest(residual);
    let steps: &[f32] = if residual.len() <= FINE_DIMENSIONS { &FINE_STEPS } else { &COARSE_STEPS };
    let clipping = steps.iter().map(|step| 1.0 / (step * deviation)).filter(|&inverse| inverse > without_clipping);
    let (mut best, mut best_cosine) = (without_clipping, f32::MIN);
    for inverse_step in clipping.chain([without_clipping]) {
        let (along, squared) = simd::sums(residual, |value| {
            let y = level(value, inverse_step, middle).0;
            (value * y, y * y)
        });
        let cosine = along / squared.sqrt();
        if cosine > best_cosine {
            (best, best_cosine) = (inverse_step, cosine);
        }
    }
    best
}

#[cfg(test)]
mod tests;
