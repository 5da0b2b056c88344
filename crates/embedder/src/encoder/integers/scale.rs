//! Numbers as integers with a common scale.

/// Below it a scale does not fall: its inverse must be a number. What is rounded to 0 then is less than 1e-33.
const LEAST: f32 = 1e-30;

/// Added to a number this takes away its fraction, and leaves the whole part in the lowest bits.
pub(crate) const ROUND: f32 = 12_582_912.0;

/// The bits of a number's magnitude. They are in the order of the magnitudes, and behind all numbers' come those of
/// infinity and of what is no number.
#[inline(always)]
pub(crate) fn magnitude(number: f32) -> u32 {
    number.to_bits() & !(1 << 31)
}

/// A scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// The number that 1 stands for; no number if one of the rounded ones is none, or is infinite: then no product of
    /// them is a number either. 0 if all of them are 0: then no product with another unit is subnormal, which is slow.
    pub(crate) unit: f32,
    pub(crate) inverse: f32,
}

impl Scale {
    /// The scale by which the number of the greatest [`magnitude`] becomes `most`.
    #[inline(always)]
    pub(crate) fn new(greatest: u32, most: i16) -> Self {
        let (greatest, most) = (f32::from_bits(greatest), f32::from(most));
        let (finite, zeros) = (greatest < f32::INFINITY, greatest == 0.0);
        let greatest = if greatest > LEAST { greatest } else { LEAST };
        let unit = if zeros { 0.0 } else { greatest / most };
        Self { unit: if finite { unit } else { f32::NAN }, inverse: most / greatest }
    }
}

/// The nearest integer to a product: with a scale's inverse it is at most the scale's `most`.
#[inline(always)]
pub(crate) fn rounded(number: f32, inverse: f32) -> i16 {
    // The lowest 16 bits.
    (number * inverse + ROUND).to_bits() as i16
}
