//! Loops as wide as the processor allows. What they compute is the same to the last bit everywhere: sums are made in a
//! fixed number of lanes and nothing is fused, and products of levels and queries are of whole numbers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "aarch64")]
mod neon;

use super::BLOCK;

/// Lanes of sums in double precision.
const LANES: usize = 8;
/// Lanes of sums in single precision.
const SINGLE_LANES: usize = 16;

/// A block of a query: what the low halves of 32 bytes are multiplied with, then what the high halves are; zero where
/// levels have ended.
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

    /// For each of `products.len()` rows the product of its half-byte levels with a query.
    ///
    /// # Panics
    /// If a row ends beyond the codes.
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

    /// Does work by these instructions.
    #[inline(always)]
    pub(super) fn run<W: Work>(self, work: W) -> W::Result {
        match self {
            // SAFETY: `detect` found AVX2.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::run(work) },
            // NEON is what the compiler assumes anyway.
            _ => work.run(),
        }
    }
}

/// Loops that the compiler makes wide by itself. No closure, because `run` and all that it calls must always be inlined
/// to be compiled for more than what every processor has.
pub(super) trait Work {
    type Result;

    fn run(self) -> Self::Result;
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

/// Bytes that are multiplied at once.
type LevelBlock = [u8; BLOCK / 2];

impl<'a> Rows<'a> {
    /// Fills in the product of each row.
    #[inline(always)]
    pub(super) fn each(self, products: &mut [i32], product: impl Fn(&[u8]) -> i32) {
        for (row, out) in products.iter_mut().enumerate() {
            *out = product(self.levels(row));
        }
    }

    #[inline(always)]
    fn levels(self, row: usize) -> &'a [u8] {
        let start = row * self.stride + self.first;
        &self.codes[start..start + self.bytes]
    }

    /// Fills in the product of each row, given its levels in whole blocks. The last block reaches into what follows,
    /// which a query multiplies with zero; where too little follows, it is filled up in a copy.
    #[inline(always)]
    fn each_in_blocks(self, products: &mut [i32], product: impl Fn(&[LevelBlock]) -> i32) {
        let whole = self.bytes.next_multiple_of(BLOCK / 2);
        for (row, out) in products.iter_mut().enumerate() {
            let start = row * self.stride + self.first;
            *out = match self.codes.get(start..start + whole) {
                Some(levels) => product(levels.as_chunks().0),
                None => {
                    let mut levels = self.levels(row).to_vec();
                    levels.resize(whole, 0);
                    product(levels.as_chunks().0)
                }
            };
        }
    }
}

/// [`Instructions::run`] with what this processor has.
#[inline(always)]
pub(super) fn widest<W: Work>(work: W) -> W::Result {
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
            let within = |block: usize, at: usize| 32 * block + at % 32 < bytes;
            let query: Vec<QueryBlock> = (0..bytes.div_ceil(32))
                .map(|block| std::array::from_fn(|at| if within(block, at) { (next() as i8).max(-127) } else { 0 }))
                .collect();
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
