//! Products of planes and queries by NEON.

use std::arch::aarch64::*;

use super::super::planes::{BLOCK_BYTES, QueryBlock};
use super::{PlaneBlock, Rows};

#[target_feature(enable = "neon")]
pub(super) fn plane_products(rows: Rows<'_>, query: &[QueryBlock], products: &mut [i32]) {
    for (row, out) in products.iter_mut().enumerate() {
        *out = rows.in_blocks(row, |blocks| {
            let mut sum = vdupq_n_s32(0);
            for (block, query) in blocks.iter().zip(query) {
                sum = vpadalq_s16(sum, block_products(block, query));
            }
            vaddvq_s32(sum)
        });
    }
}

/// Eight sums of the coordinates of dimensions whose bit is set: each of 32 of at most 127, which fits 16 bits.
#[target_feature(enable = "neon")]
#[inline]
fn block_products(block: &PlaneBlock, query: &QueryBlock) -> int16x8_t {
    let mut sum = vdupq_n_s16(0);
    for at in [0, BLOCK_BYTES / 2] {
        // SAFETY: sixteen bytes from 0 or 16 on lie within a block of 32.
        let bytes = unsafe { vld1q_u8(block.as_ptr().add(at)) };
        for (bit, query) in query.iter().enumerate() {
            // SAFETY: sixteen bytes from 0 or 16 on lie within the 32 coordinates of a bit.
            let query = unsafe { vld1q_s8(query.as_ptr().add(at)) };
            let is_set = vreinterpretq_s8_u8(vtstq_u8(bytes, vdupq_n_u8(1 << bit)));
            sum = vpadalq_s8(sum, vandq_s8(is_set, query));
        }
    }
    sum
}
