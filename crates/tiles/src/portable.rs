//! The products without the instructions.

use crate::product::{BYTE, Out, Panels, Rows, Start};
use crate::tile::{COLUMNS, DEPTH, LEFT, Left, ROWS, Right, Split};

/// The sums of 16 rows with 16 columns.
type Sums = [[i32; COLUMNS]; ROWS];

/// The lengths must fit, as `Tiles::multiply` checks.
pub(crate) fn multiply(rows: Rows<'_>, panels: Panels<'_>, start: Start<'_>, out: Out<'_>) {
    let steps = rows.tiles.len() / LEFT;
    for (panel, units) in panels.units.iter().enumerate() {
        let right = &panels.tiles[panel * steps..][..steps];
        let numbers = &mut out.numbers[panel * out.apart..][..out.rows];
        for (tile, numbers) in numbers.chunks_mut(ROWS).enumerate() {
            let sums = sums(&rows.tiles[tile * steps..][..steps], right);
            for (row, numbers) in numbers.iter_mut().enumerate() {
                let at = tile * ROWS + row;
                for (column, number) in numbers.iter_mut().enumerate() {
                    let mut first = if start.out { *number } else { 0.0 };
                    if let Some(bias) = start.bias {
                        first += bias[at];
                    }
                    let sum = sums.high[row][column] as f32 * BYTE + sums.low[row][column] as f32;
                    *number = first + sum * (rows.units[at] * BYTE * units[column]);
                }
            }
        }
    }
}

fn sums(left: &[Split<Left>], right: &[Split<Right>]) -> Split<Sums> {
    let mut sums = Split::default();
    for (left, right) in left.iter().zip(right) {
        add(&left.high, &right.high, &mut sums.high);
        add(&left.high, &right.low, &mut sums.low);
        add(&left.low, &right.high, &mut sums.low);
    }
    sums
}

/// Adds the products of one step; what `Tiles::multiply` has checked keeps the sums below 2^31.
fn add(left: &Left, right: &Right, sums: &mut Sums) {
    for (row, sums) in sums.iter_mut().enumerate() {
        for at in 0..DEPTH {
            let factor = i32::from(left.0[row][at]);
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum += factor * i32::from(right.0[at / 4][column][at % 4]);
            }
        }
    }
}
