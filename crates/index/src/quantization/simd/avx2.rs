//! Products of levels and queries by AVX2.

use std::arch::x86_64::*;

use super::{BLOCK, LevelBlock, QueryBlock, Rows, Work};

/// Blocks whose products fit 16 bits together: each adds at most 4 x 15 x 127 = 7,620 to a lane.
const BLOCKS_A_SUM: usize = 4;

#[target_feature(enable = "avx2")]
pub(super) fn run<W: Work>(work: W) -> W::Result {
    work.run()
}

#[target_feature(enable = "avx2")]
pub(super) fn half_byte_products(rows: Rows<'_>, query: &[QueryBlock], products: &mut [i32]) {
    let (query_fours, query_few) = query.as_chunks::<BLOCKS_A_SUM>();
    rows.each_in_blocks(products, |blocks| {
        let (fours, few) = blocks.as_chunks::<BLOCKS_A_SUM>();
        let mut sum = _mm256_setzero_si256();
        for (blocks, query) in fours.iter().zip(query_fours) {
            sum = _mm256_add_epi32(sum, products_of(blocks, query));
        }
        if !few.is_empty() {
            sum = _mm256_add_epi32(sum, products_of(few, query_few));
        }
        let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b01_00_11_10>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum));
        _mm_cvtsi128_si32(sum)
    });
}

/// Eight sums of the products of at most [`BLOCKS_A_SUM`] blocks.
#[target_feature(enable = "avx2")]
#[inline]
fn products_of(blocks: &[LevelBlock], query: &[QueryBlock]) -> __m256i {
    let mut products = _mm256_setzero_si256();
    for (block, query) in blocks.iter().zip(query) {
        products = _mm256_add_epi16(products, block_products(block, query));
    }
    _mm256_madd_epi16(products, _mm256_set1_epi16(1))
}

/// Sixteen sums of four products each.
#[target_feature(enable = "avx2")]
#[inline]
fn block_products(block: &LevelBlock, query: &QueryBlock) -> __m256i {
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
