//! The products without the instructions.

use crate::tile::{COLUMNS, DEPTH, LEFT, Left, ROWS, Right, Split, Sums};

pub(crate) fn multiply(left: &[Split<Left>], right: &[Split<Right>], sums: &mut [[Split<Sums>; LEFT]]) {
    let steps = left.len() / LEFT;
    for (panel, sums) in sums.iter_mut().enumerate() {
        for (tile, sums) in sums.iter_mut().enumerate() {
            *sums = Split::default();
            for step in 0..steps {
                let (left, right) = (&left[tile * steps + step], &right[panel * steps + step]);
                add(&left.high, &right.high, &mut sums.high);
                add(&left.high, &right.low, &mut sums.low);
                add(&left.low, &right.high, &mut sums.low);
            }
        }
    }
}

/// Adds the products of one step; what `Tiles::multiply` has checked keeps the sums below 2^31.
fn add(left: &Left, right: &Right, sums: &mut Sums) {
    for row in 0..ROWS {
        for at in 0..DEPTH {
            let factor = i32::from(left.0[row][at]);
            for column in 0..COLUMNS {
                sums.0[row][column] += factor * i32::from(right.0[at / 4][column][at % 4]);
            }
        }
    }
}
