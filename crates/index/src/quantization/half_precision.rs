//! Floats in half precision, as factors of codes are kept.

/// Half to single precision by shifting the bits and adjusting the exponent, correct for all values that are finite and
/// not negative.
#[inline(always)]
pub(super) fn single(half: u16) -> f32 {
    f32::from_bits(u32::from(half & 0x7fff) << 13) * f32::from_bits(239 << 23)
}

/// A number of any sign in single precision; one that is not finite becomes a number beyond 65,535.
#[inline(always)]
pub(super) fn signed(half: u16) -> f32 {
    f32::from_bits(single(half).to_bits() | u32::from(half & 0x8000) << 16)
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;

    #[test]
    fn every_half_becomes_the_number_that_it_is() {
        for half in 0..=u16::MAX {
            let (number, value) = (f16::from_bits(half), signed(half));
            match number.is_finite() {
                true => assert_eq!(value.to_bits(), number.to_f32().to_bits()),
                false => assert!(value.abs() > 65_535.0),
            }
        }
    }
}
