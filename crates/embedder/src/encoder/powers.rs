//! The exponential function, without a call.

use pulp::Simd;

/// 2 to the power x, off by at most 2e-7 of it; 0 below -127, and for x above 127 any number. What is no number stays
/// none.
#[inline(always)]
pub(super) fn power_of_two<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    /// Adding this to a number removes its fraction, and leaves the whole part in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    /// Bits of a f32's fraction, and the bias of its exponent.
    const FRACTION: u32 = 23;
    const BIAS: u32 = 127;
    let splat = |number| simd.splat_f32s(number);
    // The exponent's bits are 0 for this power, and so is the product with it.
    let least = splat(-127.0);
    let x = simd.select_f32s(simd.less_than_f32s(x, least), least, x);
    let rounded = simd.add_f32s(x, splat(ROUND));
    let rest = simd.sub_f32s(x, simd.sub_f32s(rounded, splat(ROUND)));
    // The polynomial of degree 5 with the least error from -1/2 to 1/2: 7.5e-8.
    let mut sum = splat(1.327_656_7e-3);
    for coefficient in [9.675_577e-3, 5.550_713_5e-2, 2.402_211_9e-1, 6.931_469_4e-1, 1.000_000_1] {
        sum = simd.mul_add_e_f32s(sum, rest, splat(coefficient));
    }
    let exponent = simd.splat_u32s(BIAS.wrapping_sub(ROUND.to_bits()));
    let exponent = simd.add_u32s(simd.transmute_u32s_f32s(rounded), exponent);
    let power = simd.wrapping_dyn_shl_u32s(exponent, simd.splat_u32s(FRACTION));
    simd.mul_f32s(sum, simd.transmute_f32s_u32s(power))
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, Scalar, WithSimd};

    use super::*;
    use crate::encoder::panels::LANES;

    struct Powers<'a> {
        numbers: &'a mut [f32],
    }

    impl WithSimd for Powers<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            for number in S::as_mut_simd_f32s(self.numbers).0 {
                *number = power_of_two(simd, *number);
            }
        }
    }

    /// By the widest instructions, without vector instructions, and on x86 by AVX2.
    fn by_each(numbers: &[f32]) -> Vec<Vec<f32>> {
        let mut each = vec![numbers.to_vec(); 3];
        Arch::new().dispatch(Powers { numbers: &mut each[0] });
        Powers { numbers: &mut each[1] }.with_simd(Scalar);
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            Simd::vectorize(avx2, Powers { numbers: &mut each[2] });
            return each;
        }
        each.truncate(2);
        each
    }

    #[test]
    fn powers_agree_with_std_to_seven_digits() {
        let mut xs: Vec<f32> = (-12_600..=1_600).map(|step| step as f32 / 100.0).collect();
        xs.truncate(xs.len() / LANES * LANES);
        for powers in by_each(&xs) {
            for (power, &x) in powers.iter().zip(&xs) {
                let exact = f64::from(x).exp2();
                let off = (f64::from(*power) - exact).abs() / exact;
                assert!(off < 2e-7, "{x}: {off:e}");
            }
        }
    }

    #[test]
    fn far_below_the_power_is_zero() {
        let ends = [-1e30, f32::NEG_INFINITY, -128.0, f32::NAN].repeat(LANES);
        for powers in by_each(&ends) {
            for (power, x) in powers.iter().zip(&ends) {
                assert!(if x.is_nan() { power.is_nan() } else { *power == 0.0 }, "{x}: {power}");
            }
        }
    }
}
