//! Products of levels and queries by NEON.

use std::arch::aarch64::*;

use super::{BLOCK, LevelBlock, QueryBlock, Rows};

#[target_feature(enable = "neon")]
pub(super) fn half_byte_products(rows: Rows<'_>, query: &[QueryBlock], products: &mut [i32]) {
    rows.each_in_blocks(products, |blocks| {
        let mut sum = vdupq_n_s32(0);
        for (block, query) in blocks.iter().zip(query) {
            sum = add_block(sum, block, query);
        }
        vaddvq_s32(sum)
    });
}

#[target_feature(enable = "neon")]
#[inline]
fn add_block(mut sum: int32x4_t, block: &LevelBlock, query: &QueryBlock) -> int32x4_t {
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
