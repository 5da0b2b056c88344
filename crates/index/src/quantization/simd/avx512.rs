//! Products of planes and queries by AVX-512 and its instructions for neural networks (VNNI), which multiply bytes and add
//! four products to a lane of 32 bits at once: half as many instructions as [`super::avx2`] takes, for two rows together.

use std::arch::x86_64::*;

use super::super::planes::{BLOCK_BYTES, QueryBlock};
use super::{Rows, avx2};

/// Rows whose lanes are added up together.
const ROWS: usize = 8;
/// Pairs of rows among them.
const PAIRS: usize = ROWS / 2;

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
pub(super) fn plane_products(rows: Rows<'_>, query: &[QueryBlock], products: &mut [i32]) {
    let Some(last) = products.len().checked_sub(1) else { return };
    let blocks = rows.bytes.div_ceil(BLOCK_BYTES);
    // A last block that reaches beyond the codes takes a copy.
    if last * rows.stride + rows.first + blocks * BLOCK_BYTES > rows.codes.len() || blocks != query.len() {
        return avx2::plane_products(rows, query, products);
    }
    // Mostly there is one, whose coordinates stay in registers for all rows.
    let only = match query {
        [query] => Some(query.each_ref().map(|of_bit| coordinates(of_bit))),
        _ => None,
    };
    for (eight, out) in products.chunks_mut(ROWS).enumerate() {
        let mut of_pairs = [_mm512_setzero_si512(); PAIRS];
        for (pair, sums) in of_pairs.iter_mut().enumerate() {
            // Beyond the last its product is made again.
            let (one, other) = (last.min(ROWS * eight + 2 * pair), last.min(ROWS * eight + 2 * pair + 1));
            *sums = match &only {
                Some(query) => block_products(*sums, block_of_pair(rows, one, other, 0), query),
                None => {
                    for (block, query) in query.iter().enumerate() {
                        let query = query.each_ref().map(|of_bit| coordinates(of_bit));
                        *sums = block_products(*sums, block_of_pair(rows, one, other, block), &query);
                    }
                    *sums
                }
            };
        }
        out.copy_from_slice(&sums_of_pairs(of_pairs)[..out.len()]);
    }
}

/// The sums of the lower and of the upper eight lanes of each.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
#[inline]
fn sums_of_pairs(of_pairs: [__m512i; PAIRS]) -> [i32; ROWS] {
    let [a, b, c, d] = of_pairs;
    let both = |one, other| _mm512_add_epi32(_mm512_unpacklo_epi32(one, other), _mm512_unpackhi_epi32(one, other));
    let (ab, cd) = (both(a, b), both(c, d));
    // In each quarter a number of each pair.
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let lower = _mm512_castsi512_si256(all);
    let upper = _mm512_extracti64x4_epi64::<1>(all);
    let sum = |half| _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    // The first of each pair and the second of each.
    let (first, second) = (sum(lower), sum(upper));
    let mut numbers = [0; ROWS];
    let places = numbers.as_mut_ptr().cast::<__m128i>();
    // SAFETY: the numbers take 32 bytes.
    unsafe {
        _mm_storeu_si128(places, _mm_unpacklo_epi32(first, second));
        _mm_storeu_si128(places.add(1), _mm_unpackhi_epi32(first, second));
    }
    numbers
}

/// The coordinates of a bit, for each of two rows.
#[target_feature(enable = "avx512f")]
#[inline]
fn coordinates(of_bit: &[i8; BLOCK_BYTES]) -> __m512i {
    // SAFETY: the coordinates are 32 bytes.
    unsafe { _mm512_broadcast_i64x4(_mm256_loadu_si256(of_bit.as_ptr().cast())) }
}

/// A block of two rows.
#[target_feature(enable = "avx512f")]
#[inline]
fn block_of_pair(rows: Rows<'_>, one: usize, other: usize, block: usize) -> __m512i {
    let bytes = |row: usize| {
        let bytes = &rows.codes[row * rows.stride + rows.first + block * BLOCK_BYTES..][..BLOCK_BYTES];
        // SAFETY: these are the 32 bytes that are read.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    };
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(bytes(one)), bytes(other))
}

/// Adds the products of a block of two rows to eight numbers of each.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn block_products(sums: __m512i, block: __m512i, query: &[__m512i; 8]) -> __m512i {
    // Two sums, so that one does not wait for the other.
    let (mut even, mut odd) = (sums, _mm512_setzero_si512());
    even = add_bit::<0>(even, block, query[0]);
    odd = add_bit::<1>(odd, block, query[1]);
    even = add_bit::<2>(even, block, query[2]);
    odd = add_bit::<3>(odd, block, query[3]);
    even = add_bit::<4>(even, block, query[4]);
    odd = add_bit::<5>(odd, block, query[5]);
    even = add_bit::<6>(even, block, query[6]);
    odd = add_bit::<7>(odd, block, query[7]);
    _mm512_add_epi32(even, odd)
}

/// Adds the coordinates of those dimensions whose bit is set.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn add_bit<const BIT: u32>(sums: __m512i, block: __m512i, query: __m512i) -> __m512i {
    let bits = _mm512_and_si512(_mm512_srli_epi16::<BIT>(block), _mm512_set1_epi8(1));
    _mm512_dpbusd_epi32(sums, bits, query)
}
