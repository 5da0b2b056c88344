//! Floats in half precision, as factors of codes are kept.

/// Half to single precision by shifting the bits and adjusting the exponent, right for all that is finite and not
/// negative.
#[inline(always)]
pub(super) fn single(half: u16) -> f32 {
    f32::from_bits(u32::from(half & 0x7fff) << 13) * f32::from_bits(239 << 23)
}
