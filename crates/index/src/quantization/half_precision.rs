//! Floats in half precision, as factors of codes are kept.

/// Half to single precision by shifting the bits and adjusting the exponent, right for all that is finite and not
/// negative.
#[inline(always)]
pub(super) fn single(low: u8, high: u8) -> f32 {
    f32::from_bits(u32::from(u16::from_le_bytes([low, high]) & 0x7fff) << 13) * f32::from_bits(239 << 23)
}
