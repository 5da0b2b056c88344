//! Loops as wide as the processor allows. What they compute is the same to the last bit everywhere: sums are made in a
//! fixed number of lanes and nothing is fused, and products of levels and queries are of whole numbers.

/// Levels that share 32 bytes.
pub(super) const BLOCK: usize = 64;
/// Lanes of sums in double precision.
const LANES: usize = 8;
/// Lanes of sums in single precision.
const SINGLE_LANES: usize = 16;

/// A block of a query: what the low halves of 32 bytes are multiplied with, then what the high halves are.
pub(super) type QueryBlock = [i8; BLOCK];

/// Instructions that a processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instructions {
    /// What every processor of its kind has.
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Instructions {
    /// The widest that this processor has.
    pub(super) fn detect() -> Instructions {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Instructions::Avx2;
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            return Instructions::Neon;
        }
        Instructions::Plain
    }

    /// For each of `products.len()` rows, `stride` bytes apart from `first` on, the product of its half-byte levels with a
    /// query.
    ///
    /// # Panics
    /// If a row ends beyond `rows`.
    pub(super) fn half_byte_products(self, rows: Rows<'_>, query: &[QueryBlock], products: &mut [i32]) {
        match self {
            Instructions::Plain => rows.each(products, |levels| half_byte_product(levels, query)),
            // SAFETY: `detect` found AVX2.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::half_byte_products(rows, query, products) },
            // SAFETY: `detect` found NEON.
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => unsafe { neon::half_byte_products(rows, query, products) },
        }
    }

    /// Runs a loop compiled for these instructions. What `work` calls must be inlined to profit.
    #[inline(always)]
    pub(super) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        match self {
            // SAFETY: `detect` found AVX2.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::run(work) },
            // NEON is what the compiler assumes anyway.
            _ => work(),
        }
    }
}

/// The levels of rows in codes that lie at a fixed distance.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    /// The codes, from the first row's start.
    pub(super) codes: &'a [u8],
    /// Bytes from one row's start to the next one's.
    pub(super) stride: usize,
    /// Where the levels lie in a row.
    pub(super) first: usize,
    /// Bytes of the levels of a row.
    pub(super) bytes: usize,
}

impl Rows<'_> {
    /// Fills in the product of each row.
    #[inline(always)]
    pub(super) fn each(self, products: &mut [i32], product: impl Fn(&[u8]) -> i32) {
        for (row, out) in products.iter_mut().enumerate() {
            let start = row * self.stride + self.first;
            *out = product(&self.codes[start..start + self.bytes]);
        }
    }
}

/// [`Instructions::run`] with what this processor has.
#[inline(always)]
pub(super) fn widest<T>(work: impl FnOnce() -> T) -> T {
    Instructions::detect().run(work)
}

/// The inner product of two vectors, in double precision.
#[inline(always)]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0; LANES];
    let ((a, rest_of_a), (b, rest_of_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            lanes[lane] += f64::from(a[lane]) * f64::from(b[lane]);
        }
    }
    let rest: f64 = rest_of_a.iter().zip(rest_of_b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
    lanes.iter().sum::<f64>() + rest
}

/// The sum of a term over all values, in double precision.
#[inline(always)]
pub(super) fn sum(values: &[f32], term: impl Fn(f32) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] += term(chunk[lane]);
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|&value| term(value)).sum::<f64>()
}

/// The sums of two terms over all values, in single precision.
#[inline(always)]
pub(super) fn sums(values: &[f32], terms: impl Fn(f32) -> (f32, f32)) -> (f32, f32) {
    let (mut first, mut second) = ([0.0; SINGLE_LANES], [0.0; SINGLE_LANES]);
    let (chunks, rest) = values.as_chunks::<SINGLE_LANES>();
    for chunk in chunks {
        for lane in 0..SINGLE_LANES {
            let terms = terms(chunk[lane]);
            first[lane] += terms.0;
            second[lane] += terms.1;
        }
    }
    for (lane, &value) in rest.iter().enumerate() {
        let terms = terms(value);
        first[lane] += terms.0;
        second[lane] += terms.1;
    }
    (first.iter().sum(), second.iter().sum())
}

/// The greatest absolute value.
#[inline(always)]
pub(super) fn greatest(values: &[f32]) -> f32 {
    let mut lanes = [0.0f32; SINGLE_LANES];
    for chunk in values.chunks(SINGLE_LANES) {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = if value.abs() > *lane { value.abs() } else { *lane };
        }
    }
    lanes.into_iter().fold(0.0, f32::max)
}

/// The product of half-byte levels with a query: what all other ways to compute it must equal.
#[inline(always)]
fn half_byte_product(levels: &[u8], query: &[QueryBlock]) -> i32 {
    let blocks = levels.chunks(BLOCK / 2).zip(query);
    blocks
        .map(|(bytes, query)| {
            let (low, high) = query.split_at(BLOCK / 2);
            let halves = bytes.iter().zip(low.iter().zip(high));
            halves
                .map(|(byte, (&low, &high))| {
                    i32::from(byte & 15) * i32::from(low) + i32::from(byte >> 4) * i32::from(high)
                })
                .sum::<i32>()
        })
        .sum()
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BLOCK, QueryBlock, Rows};

    /// Blocks whose products fit 16 bits together: each adds at most 4 x 15 x 127 = 7,620 to a lane.
    const BLOCKS_A_SUM: usize = 4;

    #[target_feature(enable = "avx2")]
    pub(super) fn run<T>(work: impl FnOnce() -> T) -> T {
        work()
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn half_byte_products(rows: Rows<'_>, query: &[QueryBlock], products: &mut [i32]) {
        for (row, product) in products.iter_mut().enumerate() {
            let start = row * rows.stride + rows.first;
            *product = half_byte_product(&rows.codes[start..start + rows.bytes], query);
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn half_byte_product(levels: &[u8], query: &[QueryBlock]) -> i32 {
        let (blocks, rest) = levels.as_chunks::<{ BLOCK / 2 }>();
        let (full_query, rest_of_query) = query.split_at(blocks.len().min(query.len()));
        let (fours, blocks) = blocks.as_chunks::<BLOCKS_A_SUM>();
        let (query_fours, query_blocks) = full_query.as_chunks::<BLOCKS_A_SUM>();
        let mut sum = _mm256_setzero_si256();
        for (blocks, query) in fours.iter().zip(query_fours) {
            let mut products = _mm256_setzero_si256();
            for (block, query) in blocks.iter().zip(query) {
                products = _mm256_add_epi16(products, block_products(block, query));
            }
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(products, _mm256_set1_epi16(1)));
        }
        let mut products = _mm256_setzero_si256();
        for (block, query) in blocks.iter().zip(query_blocks) {
            products = _mm256_add_epi16(products, block_products(block, query));
        }
        if let Some(query) = rest_of_query.first() {
            let mut block = [0; BLOCK / 2];
            block[..rest.len()].copy_from_slice(rest);
            products = _mm256_add_epi16(products, block_products(&block, query));
        }
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(products, _mm256_set1_epi16(1)));
        let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b01_00_11_10>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum));
        _mm_cvtsi128_si32(sum)
    }

    /// Sixteen sums of four products each.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn block_products(block: &[u8; BLOCK / 2], query: &QueryBlock) -> __m256i {
        // SAFETY: a block has the 32 bytes that are read, a block of a query twice as many.
        let (block, query_low, query_high) = unsafe {
            (
                _mm256_loadu_si256(block.as_ptr().cast()),
                _mm256_loadu_si256(query.as_ptr().cast()),
                _mm256_loadu_si256(query.as_ptr().add(BLOCK / 2).cast()),
            )
        };
        let half = _mm256_set1_epi8(15);
        let (low, high) = (_mm256_and_si256(block, half), _mm256_and_si256(_mm256_srli_epi16::<4>(block), half));
        _mm256_add_epi16(_mm256_maddubs_epi16(low, query_low), _mm256_maddubs_epi16(high, query_high))
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::*;

    use super::{BLOCK, QueryBlock, Rows};

    #[target_feature(enable = "neon")]
    pub(super) fn half_byte_products(rows: Rows<'_>, query: &[QueryBlock], products: &mut [i32]) {
        for (row, product) in products.iter_mut().enumerate() {
            let start = row * rows.stride + rows.first;
            *product = half_byte_product(&rows.codes[start..start + rows.bytes], query);
        }
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn half_byte_product(levels: &[u8], query: &[QueryBlock]) -> i32 {
        let (blocks, rest) = levels.as_chunks::<{ BLOCK / 2 }>();
        let (full_query, rest_of_query) = query.split_at(blocks.len().min(query.len()));
        let mut sum = vdupq_n_s32(0);
        for (block, query) in blocks.iter().zip(full_query) {
            sum = add_block(sum, block, query);
        }
        if let Some(query) = rest_of_query.first() {
            let mut block = [0; BLOCK / 2];
            block[..rest.len()].copy_from_slice(rest);
            sum = add_block(sum, &block, query);
        }
        vaddvq_s32(sum)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn add_block(mut sum: int32x4_t, block: &[u8; BLOCK / 2], query: &QueryBlock) -> int32x4_t {
        for at in [0, BLOCK / 4] {
            // SAFETY: sixteen bytes from 0 or 16 on lie within a block of 32, and from there or 32 later within one of a
            // query of 64.
            let (bytes, query_low, query_high) = unsafe {
                (
                    vld1q_u8(block.as_ptr().add(at)),
                    vld1q_s8(query.as_ptr().add(at)),
                    vld1q_s8(query.as_ptr().add(BLOCK / 2 + at)),
                )
            };
            let low = vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15)));
            let high = vreinterpretq_s8_u8(vshrq_n_u8::<4>(bytes));
            // A lane adds at most 4 x 15 x 127 = 7,620, which fits 16 bits.
            let products = vmull_s8(vget_low_s8(low), vget_low_s8(query_low));
            let products = vmlal_high_s8(products, low, query_low);
            let products = vmlal_s8(products, vget_low_s8(high), vget_low_s8(query_high));
            let products = vmlal_high_s8(products, high, query_high);
            sum = vpadalq_s16(sum, products);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive_product(levels: &[u8], query: &[QueryBlock]) -> i64 {
        let low_and_high = |at: usize| (query[at / 32][at % 32], query[at / 32][32 + at % 32]);
        (0..levels.len())
            .map(|at| {
                let (low, high) = low_and_high(at);
                i64::from(levels[at] % 16) * i64::from(low) + i64::from(levels[at] / 16) * i64::from(high)
            })
            .sum()
    }

    fn products(instructions: Instructions, codes: &[u8], shape: (usize, usize), query: &[QueryBlock]) -> Vec<i32> {
        let (rows, bytes) = shape;
        let mut products = vec![0; rows];
        let rows = Rows { codes, stride: bytes + 3, first: 2, bytes };
        instructions.half_byte_products(rows, query, &mut products);
        products
    }

    proptest! {
        #[test]
        fn products_are_the_same_by_all_instructions(bytes in 1usize..400, rows in 1usize..4, seed: u64) {
            let mut state = seed;
            let mut next = move || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            };
            let codes: Vec<u8> = (0..rows * (bytes + 3)).map(|_| next()).collect();
            let query: Vec<QueryBlock> =
                (0..bytes.div_ceil(32)).map(|_| std::array::from_fn(|_| (next() as i8).max(-127))).collect();
            let plain = products(Instructions::Plain, &codes, (rows, bytes), &query);
            let widest = products(Instructions::detect(), &codes, (rows, bytes), &query);
            prop_assert_eq!(&plain, &widest);
            for (row, product) in plain.into_iter().enumerate() {
                let levels = &codes[row * (bytes + 3) + 2..][..bytes];
                prop_assert_eq!(i64::from(product), naive_product(levels, &query));
            }
        }
    }

    #[test]
    fn the_greatest_products_do_not_overflow() {
        let codes = vec![0xff; 8003];
        for sign in [127, -127] {
            let query = vec![[sign; BLOCK]; 250];
            for instructions in [Instructions::Plain, Instructions::detect()] {
                let expected = 16_000 * 15 * i32::from(sign);
                assert_eq!(products(instructions, &codes, (1, 8000), &query), [expected]);
            }
        }
    }
}
