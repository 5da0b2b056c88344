//! The instructions of AVX-512 VNNI.

use std::arch::x86_64::__m512i;

use super::blocks::Pair;
use super::instructions::Instructions;
use super::scale::ROUND;
use crate::encoder::panels::LANES;

pulp::simd_type! {
    /// AVX-512 with its instructions for neural networks: one multiplies 32 pairs' numbers and adds them to 16 sums.
    pub(crate) struct Vnni {
        pub f: "avx512f",
        pub bw: "avx512bw",
        pub vl: "avx512vl",
        pub dq: "avx512dq",
        pub vnni: "avx512vnni",
    }
}

impl Vnni {
    /// In the lowest 16 bits of each lane, and other bits above them.
    #[inline(always)]
    fn rounded(self, numbers: &[f32; LANES], inverse: &[f32; LANES]) -> __m512i {
        let product = self.f._mm512_mul_ps(pulp::cast(*numbers), pulp::cast(*inverse));
        pulp::cast(self.f._mm512_add_ps(product, self.f._mm512_set1_ps(ROUND)))
    }
}

impl Instructions for Vnni {
    type Lanes = __m512i;
    type Sums = __m512i;

    #[inline(always)]
    fn run<R>(self, code: impl FnOnce() -> R) -> R {
        self.vectorize(code)
    }

    #[inline(always)]
    fn zeros(self) -> __m512i {
        self.f._mm512_setzero_si512()
    }

    #[inline(always)]
    fn all(self, pair: [i16; 2]) -> __m512i {
        self.f._mm512_set1_epi32(pulp::cast(pair))
    }

    #[inline(always)]
    fn load(self, pairs: &[Pair; LANES]) -> __m512i {
        pulp::cast(*pairs)
    }

    #[inline(always)]
    fn add_products(self, sums: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // The compiler makes one instruction of both, `vpdpwssd`, for which pulp has no function.
        self.f._mm512_add_epi32(sums, self.bw._mm512_madd_epi16(a, b))
    }

    #[inline(always)]
    fn greater(self, magnitudes: __m512i, numbers: &[f32; LANES]) -> __m512i {
        let sign = self.f._mm512_set1_epi32(i32::MIN);
        self.f._mm512_max_epu32(magnitudes, self.f._mm512_andnot_si512(sign, pulp::cast(*numbers)))
    }

    #[inline(always)]
    fn magnitudes(self, magnitudes: __m512i) -> [u32; LANES] {
        pulp::cast(magnitudes)
    }

    #[inline(always)]
    fn round(self, low: &[f32; LANES], high: &[f32; LANES], inverse: &[f32; LANES]) -> [Pair; LANES] {
        let low = self.f._mm512_and_si512(self.rounded(low, inverse), self.f._mm512_set1_epi32(0xffff));
        pulp::cast(self.f._mm512_or_si512(low, self.f._mm512_slli_epi32::<16>(self.rounded(high, inverse))))
    }

    #[inline(always)]
    fn bytes(self, even: &[Pair; LANES], odd: &[Pair; LANES]) -> [[u32; LANES]; 2] {
        let f = self.f;
        let (even, odd): (__m512i, __m512i) = (pulp::cast(*even), pulp::cast(*odd));
        let lower = f._mm512_set1_epi32(0x00ff_00ff);
        let low = f
            ._mm512_or_si512(f._mm512_and_si512(even, lower), f._mm512_slli_epi32::<8>(f._mm512_and_si512(odd, lower)));
        // The higher byte is rounded.
        let half = f._mm512_set1_epi32(0x0080_0080);
        let (even, odd) = (self.bw._mm512_add_epi16(even, half), self.bw._mm512_add_epi16(odd, half));
        let high = f._mm512_or_si512(
            f._mm512_and_si512(f._mm512_srli_epi32::<8>(even), lower),
            f._mm512_andnot_si512(lower, odd),
        );
        [pulp::cast(high), pulp::cast(low)]
    }

    #[inline(always)]
    fn add_scaled(self, sums: __m512i, unit: f32, units: &[f32; LANES], out: &mut [f32; LANES]) {
        let units = self.f._mm512_mul_ps(self.f._mm512_set1_ps(unit), pulp::cast(*units));
        let scaled = self.f._mm512_mul_ps(self.f._mm512_cvtepi32_ps(sums), units);
        *out = pulp::cast(self.f._mm512_add_ps(pulp::cast(*out), scaled));
    }
}
