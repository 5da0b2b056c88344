//! Products of planes and queries by AVX2.

use std::arch::x86_64::*;

use super::super::planes::{BLOCK_BYTES, QueryBlock};
use super::{PlaneBlock, Rows, Work};

/// Blocks whose products fit 16 bits together: each adds at most 8 x 2 x 127 = 2,032 to a lane.
const BLOCKS_A_SUM: usize = 16;

#[target_feature(enable = "avx2")]
pub(super) fn run<W: Work>(work: W) -> W::Result {
    work.run()
}

/// Rows whose lanes are added up together.
const ROWS: usize = 8;

#[target_feature(enable = "avx2")]
pub(super) fn plane_products(rows: Rows<'_>, query: &[QueryBlock], products: &mut [i32]) {
    // The coordinates of one block stay in registers for all rows.
    if let [query] = query {
        let query = query.each_ref().map(|of_bit| coordinates(of_bit));
        return each_eight(rows, products, |blocks| match blocks.first() {
            Some(block) => _mm256_madd_epi16(block_products(block, &query), _mm256_set1_epi16(1)),
            None => _mm256_setzero_si256(),
        });
    }
    each_eight(rows, products, |blocks| {
        let mut all = _mm256_setzero_si256();
        for (blocks, query) in blocks.chunks(BLOCKS_A_SUM).zip(query.chunks(BLOCKS_A_SUM)) {
            let mut some = _mm256_setzero_si256();
            for (block, query) in blocks.iter().zip(query) {
                let query = query.each_ref().map(|of_bit| coordinates(of_bit));
                some = _mm256_add_epi16(some, block_products(block, &query));
            }
            all = _mm256_add_epi32(all, _mm256_madd_epi16(some, _mm256_set1_epi16(1)));
        }
        all
    });
}

/// The product of levels in at most three planes of a block each.
#[target_feature(enable = "avx2")]
pub(super) fn levels_product(planes: &[PlaneBlock], query: &QueryBlock) -> i32 {
    let query = query.each_ref().map(|of_bit| coordinates(of_bit));
    // A lane of three planes is at most 7 x 2,032, which fits 16 bits.
    let mut levels = _mm256_setzero_si256();
    for plane in planes {
        levels = _mm256_add_epi16(_mm256_add_epi16(levels, levels), block_products(plane, &query));
    }
    numbers(_mm256_madd_epi16(levels, _mm256_set1_epi16(1))).iter().sum()
}

/// Fills in the product of each row, of whose plane `lanes` makes eight numbers that are its product together.
#[target_feature(enable = "avx2")]
#[inline]
fn each_eight(rows: Rows<'_>, products: &mut [i32], lanes: impl Fn(&[PlaneBlock]) -> __m256i) {
    for (eight, out) in products.chunks_mut(ROWS).enumerate() {
        let mut of_rows = [_mm256_setzero_si256(); ROWS];
        for (row, of_row) in of_rows.iter_mut().take(out.len()).enumerate() {
            *of_row = rows.in_blocks(ROWS * eight + row, &lanes);
        }
        out.copy_from_slice(&numbers(sums_of_eight(of_rows))[..out.len()]);
    }
}

/// The lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn numbers(lanes: __m256i) -> [i32; ROWS] {
    let mut numbers = [0; ROWS];
    // SAFETY: the numbers take 32 bytes.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), lanes) };
    numbers
}

/// The sum of the lanes of each.
#[target_feature(enable = "avx2")]
#[inline]
fn sums_of_eight(of_rows: [__m256i; ROWS]) -> __m256i {
    let [a, b, c, d, e, f, g, h] = of_rows;
    let pairs = [_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d), _mm256_hadd_epi32(e, f), _mm256_hadd_epi32(g, h)];
    // The lower half has the sum of each row's lower four lanes, the upper half the sum of the others.
    let first = _mm256_hadd_epi32(pairs[0], pairs[1]);
    let last = _mm256_hadd_epi32(pairs[2], pairs[3]);
    _mm256_add_epi32(_mm256_permute2x128_si256::<0x20>(first, last), _mm256_permute2x128_si256::<0x31>(first, last))
}

#[target_feature(enable = "avx2")]
#[inline]
fn coordinates(of_bit: &[i8; BLOCK_BYTES]) -> __m256i {
    // SAFETY: the coordinates are 32 bytes.
    unsafe { _mm256_loadu_si256(of_bit.as_ptr().cast()) }
}

/// Sixteen sums of the products of a block.
#[target_feature(enable = "avx2")]
#[inline]
fn block_products(block: &PlaneBlock, query: &[__m256i; 8]) -> __m256i {
    // SAFETY: a block has the 32 bytes that are read.
    let block = unsafe { _mm256_loadu_si256(block.as_ptr().cast()) };
    let low = _mm256_add_epi16(
        _mm256_add_epi16(bit_products::<0>(block, query[0]), bit_products::<1>(block, query[1])),
        _mm256_add_epi16(bit_products::<2>(block, query[2]), bit_products::<3>(block, query[3])),
    );
    let high = _mm256_add_epi16(
        _mm256_add_epi16(bit_products::<4>(block, query[4]), bit_products::<5>(block, query[5])),
        _mm256_add_epi16(bit_products::<6>(block, query[6]), bit_products::<7>(block, query[7])),
    );
    _mm256_add_epi16(low, high)
}

/// Sixteen sums of two coordinates each, of those dimensions whose bit is set.
#[target_feature(enable = "avx2")]
#[inline]
fn bit_products<const BIT: i32>(block: __m256i, query: __m256i) -> __m256i {
    let bits = _mm256_and_si256(_mm256_srli_epi16::<BIT>(block), _mm256_set1_epi8(1));
    _mm256_maddubs_epi16(bits, query)
}
