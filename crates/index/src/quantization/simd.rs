//! Loops as wide as the processor allows. Their results are the same to the last bit everywhere: sums are made in a
//! fixed number of lanes and nothing is fused, and products of levels and queries are of whole numbers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use super::planes::{BLOCK_BYTES, QueryBlock};

/// Lanes of sums in double precision.
const LANES: usize = 8;
/// Lanes of sums in single precision.
const SINGLE_LANES: usize = 16;

/// Instructions that a processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instructions {
    /// The instructions that every processor of its kind has.
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with products of bytes, and AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Instructions {
    /// The widest that this processor has.
    pub(super) fn detect() -> Instructions {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            let has_products = is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw");
            return match has_products && is_x86_feature_detected!("avx512f") {
                true => Instructions::Avx512,
                false => Instructions::Avx2,
            };
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            return Instructions::Neon;
        }
        Instructions::Plain
    }

    /// For each of `products.len()` rows the product of a plane of its bits with a query.
    ///
    /// # Panics
    /// If a row ends beyond the codes.
    pub(super) fn plane_products(self, rows: Rows<'_>, query: &[QueryBlock], products: &mut [i32]) {
        match self {
            Instructions::Plain => rows.each(products, |plane| plane_product(plane, query)),
            // SAFETY: `detect` found AVX2.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::plane_products(rows, query, products) },
            // SAFETY: `detect` found AVX-512 with VNNI, and AVX2.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::plane_products(rows, query, products) },
            // SAFETY: `detect` found NEON.
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => unsafe { neon::plane_products(rows, query, products) },
        }
    }

    /// The product of the levels in some planes of one row, the plane of the highest bit first, with a query.
    ///
    /// # Panics
    /// If the planes have no bytes.
    pub(super) fn levels_product(self, planes: &[u8], bytes: usize, query: &[QueryBlock]) -> i32 {
        let each = planes.chunks_exact(bytes);
        match self {
            // SAFETY: `detect` found AVX2.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 | Instructions::Avx512 if query.len() == 1 && bytes == BLOCK_BYTES => unsafe {
                avx2::levels_product(planes.as_chunks().0, &query[0])
            },
            _ => each.fold(0, |product, plane| {
                let mut of_plane = [0];
                let row = Rows { codes: plane, stride: bytes, first: 0, bytes };
                self.plane_products(row, query, &mut of_plane);
                2 * product + of_plane[0]
            }),
        }
    }

    /// Does work by these instructions.
    #[inline(always)]
    pub(super) fn run<W: Work>(self, work: W) -> W::Result {
        match self {
            // SAFETY: `detect` found AVX2.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 | Instructions::Avx512 => unsafe { avx2::run(work) },
            // The compiler assumes NEON anyway.
            _ => work.run(),
        }
    }
}

/// Loops that the compiler makes wide by itself. This is no closure, because `run` and all functions that it calls must
/// always be inlined to be compiled for instructions that not every processor has.
pub(super) trait Work {
    type Result;

    fn run(self) -> Self::Result;
}

/// A part of rows in codes at a fixed distance: their levels, or a plane of them.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    /// The codes, from the first row's start.
    pub(super) codes: &'a [u8],
    /// Bytes from one row's start to the next one's.
    pub(super) stride: usize,
    /// The place of the part in a row.
    pub(super) first: usize,
    /// Bytes of the part.
    pub(super) bytes: usize,
}

/// Bytes that are multiplied at once.
type PlaneBlock = [u8; BLOCK_BYTES];

impl<'a> Rows<'a> {
    /// Fills in the product of each row.
    #[inline(always)]
    pub(super) fn each(self, products: &mut [i32], product: impl Fn(&[u8]) -> i32) {
        for (row, out) in products.iter_mut().enumerate() {
            *out = product(self.part(row));
        }
    }

    #[inline(always)]
    fn part(self, row: usize) -> &'a [u8] {
        let start = row * self.stride + self.first;
        &self.codes[start..start + self.bytes]
    }

    /// The result of `product` on a row's plane in whole blocks. The last block includes bytes after the plane, which a
    /// query multiplies by zero; if there are too few such bytes, a copy of the block is filled up.
    #[inline(always)]
    fn in_blocks<T>(self, row: usize, product: impl Fn(&[PlaneBlock]) -> T) -> T {
        let start = row * self.stride + self.first;
        match self.codes.get(start..start + self.bytes.next_multiple_of(BLOCK_BYTES)) {
            Some(plane) => product(plane.as_chunks().0),
            None => {
                let mut plane = self.part(row).to_vec();
                plane.resize(self.bytes.next_multiple_of(BLOCK_BYTES), 0);
                product(plane.as_chunks().0)
            }
        }
    }
}

/// [`Instructions::run`] with the instructions of this processor.
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

/// The inner product of two vectors, in single precision.
#[inline(always)]
pub(super) fn single_dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; SINGLE_LANES];
    let ((a, rest_of_a), (b, rest_of_b)) = (a.as_chunks::<SINGLE_LANES>(), b.as_chunks::<SINGLE_LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..SINGLE_LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest_of_a.iter().zip(rest_of_b).map(|(a, b)| a * b).sum::<f32>()
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

/// The product of a plane of bits with a query, which all other ways to compute it must equal.
#[inline(always)]
fn plane_product(plane: &[u8], query: &[QueryBlock]) -> i32 {
    let blocks = plane.chunks(BLOCK_BYTES).zip(query);
    blocks
        .map(|(bytes, query)| {
            let of_bit = |(bit, query): (usize, &[i8; BLOCK_BYTES])| {
                bytes.iter().zip(query).map(|(byte, &value)| i32::from(byte >> bit & 1) * i32::from(value)).sum::<i32>()
            };
            query.iter().enumerate().map(of_bit).sum::<i32>()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive_product(plane: &[u8], query: &[QueryBlock]) -> i64 {
        let mut sum = 0;
        for (at, byte) in plane.iter().enumerate() {
            for (bit, coordinates) in query[at / 32].iter().enumerate() {
                if byte & 1 << bit != 0 {
                    sum += i64::from(coordinates[at % 32]);
                }
            }
        }
        sum
    }

    fn all_of_this_processor() -> Vec<Instructions> {
        #[cfg(target_arch = "x86_64")]
        if Instructions::detect() == Instructions::Avx512 {
            return vec![Instructions::Plain, Instructions::Avx2, Instructions::Avx512];
        }
        vec![Instructions::Plain, Instructions::detect()]
    }

    fn products(instructions: Instructions, codes: &[u8], shape: (usize, usize), query: &[QueryBlock]) -> Vec<i32> {
        let (rows, bytes) = shape;
        let mut products = vec![0; rows];
        let rows = Rows { codes, stride: bytes + 3, first: 2, bytes };
        instructions.plane_products(rows, query, &mut products);
        products
    }

    proptest! {
        #[test]
        fn products_are_the_same_by_all_instructions(bytes in 1usize..400, rows in 1usize..20, seed: u64) {
            let mut state = seed;
            let mut next = move || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            };
            let codes: Vec<u8> = (0..rows * (bytes + 3)).map(|_| next()).collect();
            let within = |block: usize, at: usize| 32 * block + at < bytes;
            let query: Vec<QueryBlock> = (0..bytes.div_ceil(32))
                .map(|block| {
                    let mut coordinate = |at| if within(block, at) { (next() as i8).max(-127) } else { 0 };
                    std::array::from_fn(|_| std::array::from_fn(&mut coordinate))
                })
                .collect();
            let plain = products(Instructions::Plain, &codes, (rows, bytes), &query);
            for instructions in all_of_this_processor() {
                prop_assert_eq!(&plain, &products(instructions, &codes, (rows, bytes), &query));
            }
            for (row, product) in plain.into_iter().enumerate() {
                let plane = &codes[row * (bytes + 3) + 2..][..bytes];
                prop_assert_eq!(i64::from(product), naive_product(plane, &query));
            }
        }
    }

    #[test]
    fn the_greatest_products_do_not_overflow() {
        let codes = vec![0xff; 2003];
        for sign in [127, -127] {
            let query = vec![[[sign; BLOCK_BYTES]; 8]; 63];
            for instructions in all_of_this_processor() {
                let expected = 16_000 * i32::from(sign);
                assert_eq!(products(instructions, &codes, (1, 2000), &query), [expected]);
            }
        }
    }
}
