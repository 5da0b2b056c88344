//! Products are those of the definition, by the instructions and without them.

use memory_search_tiles::{COLUMNS, DEPTH, Left, Out, Panels, ROWS, Right, Rows, Split, Start, Tiles};
use proptest::prelude::*;

/// By the instructions, if this processor has them, and without them.
fn each() -> Vec<Tiles> {
    let by_instructions = Tiles::try_new();
    if by_instructions.is_none() {
        println!("NOT TESTED: this processor or system has no AMX");
    }
    by_instructions.into_iter().chain([Tiles::portable()]).collect()
}

/// Pseudo-random bytes.
fn bytes(seed: u64) -> impl FnMut() -> i8 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as i8
    }
}

fn left(steps: usize, mut byte: impl FnMut() -> i8) -> Vec<Split<Left>> {
    let mut tile = || Left([[0; DEPTH]; ROWS].map(|row| row.map(|_| byte())));
    (0..steps * Tiles::LEFT).map(|_| Split { high: tile(), low: tile() }).collect()
}

fn right(steps: usize, panels: usize, mut byte: impl FnMut() -> i8) -> Vec<Split<Right>> {
    let mut tile = || Right([[[0; 4]; COLUMNS]; DEPTH / 4].map(|row| row.map(|four| four.map(|_| byte()))));
    (0..steps * panels).map(|_| Split { high: tile(), low: tile() }).collect()
}

/// The sums of one row with one column: high, and mixed.
fn oracle(left: &[Split<Left>], right: &[Split<Right>], row: usize, column: usize) -> (i64, i64) {
    let mut sums = (0, 0);
    for (left, right) in left.iter().zip(right) {
        for at in 0..DEPTH {
            let of_row = [&left.high, &left.low].map(|tile| i64::from(tile.0[row][at]));
            let of_column = [&right.high, &right.low].map(|tile| i64::from(tile.0[at / 4][column][at % 4]));
            sums.0 += of_row[0] * of_column[0];
            sums.1 += of_row[0] * of_column[1] + of_row[1] * of_column[0];
        }
    }
    sums
}

/// Small numbers that are not whole.
fn numbers(count: usize, mut byte: impl FnMut() -> i8) -> Vec<f32> {
    (0..count).map(|_| f32::from(byte()) / 3.0).collect()
}

/// Rows of a product between others, which must stay.
fn assert_by_definition(
    left: &[Split<Left>],
    right: &[Split<Right>],
    panels: usize,
    rows: usize,
    mut byte: impl FnMut() -> i8,
) {
    let steps = left.len() / Tiles::LEFT;
    let apart = rows + 3;
    let before: Vec<[f32; COLUMNS]> = numbers(panels * apart * COLUMNS, &mut byte).as_chunks().0.to_vec();
    let of_rows: [f32; Tiles::ROWS] = numbers(Tiles::ROWS, &mut byte).try_into().unwrap();
    let of_columns: Vec<[f32; COLUMNS]> = numbers(panels * COLUMNS, &mut byte).as_chunks().0.to_vec();
    let bias = numbers(rows, &mut byte);
    for (tiles, out, bias) in each().into_iter().flat_map(|tiles| {
        [(false, None), (false, Some(&bias)), (true, None), (true, Some(&bias))].map(|(out, bias)| (tiles, out, bias))
    }) {
        let mut found = before.clone();
        let bias = bias.map(|bias| &bias[..]);
        tiles.multiply(
            Rows { tiles: left, units: &of_rows },
            Panels { tiles: right, units: &of_columns },
            Start { out, bias },
            Out { numbers: &mut found, apart, rows },
        );
        for (at, (found, before)) in found.iter().zip(&before).enumerate() {
            let (panel, row) = (at / apart, at % apart);
            for column in 0..COLUMNS {
                let defined = if row < rows {
                    let (left, right) = (&left[row / ROWS * steps..][..steps], &right[panel * steps..][..steps]);
                    let (high, low) = oracle(left, right, row % ROWS, column);
                    let start = if out { before[column] } else { 0.0 } + bias.map_or(0.0, |bias| bias[row]);
                    let unit = of_rows[row] * 256.0 * of_columns[panel][column];
                    start + (high as f32 * 256.0 + low as f32) * unit
                } else {
                    before[column]
                };
                let place = format!("{tiles:?}, panel {panel}, row {row}, column {column}");
                assert_eq!(found[column].to_bits(), defined.to_bits(), "{place}: {} {defined}", found[column]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn products_of_any_shape_are_those_of_the_definition(
        steps in 0usize..8, panels in 0usize..6, rows in 0..=Tiles::ROWS, seed: u64,
    ) {
        let mut byte = bytes(seed);
        let (left, right) = (left(steps, &mut byte), right(steps, panels, &mut byte));
        assert_by_definition(&left, &right, panels, rows, byte);
    }
}

#[test]
fn sums_of_the_greatest_products_are_exact() {
    for (of_row, of_column) in [(-128, -128), (127, -128), (-128, 127), (127, 127)] {
        let steps = Tiles::MOST_STEPS;
        let (left, right) = (left(steps, || of_row), right(steps, 1, || of_column));
        assert_by_definition(&left, &right, 1, Tiles::ROWS, bytes(1));
    }
}

/// The second product of a thread finds the tiles released, and another thread has its own.
#[test]
fn products_of_several_threads_do_not_meet() {
    let threads: Vec<_> = (0..4)
        .map(|seed| {
            std::thread::spawn(move || {
                let mut byte = bytes(seed);
                let (left, right) = (left(3, &mut byte), right(3, 2, &mut byte));
                (0..10).for_each(|_| assert_by_definition(&left, &right, 2, 31, &mut byte));
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Multiplies so many tiles of zeros.
fn multiply(tiles: Tiles, [of_left, of_right, panels]: [usize; 3], bias: usize, [numbers, apart, rows]: [usize; 3]) {
    tiles.multiply(
        Rows { tiles: &vec![Split::default(); of_left], units: &[1.0; Tiles::ROWS] },
        Panels { tiles: &vec![Split::default(); of_right], units: &vec![[1.0; COLUMNS]; panels] },
        Start { out: false, bias: Some(&vec![1.0; bias]) },
        Out { numbers: &mut vec![[0.0; COLUMNS]; numbers], apart, rows },
    );
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let enough = (32, [64, 32, 32]);
    for tiles in each() {
        multiply(tiles, [4, 4, 2], enough.0, enough.1);
        multiply(tiles, [4, 4, 2], 8, [48, 40, 8]);
        for (counts, bias, out) in [
            ([3, 3, 1], enough.0, enough.1),
            ([2, 2, 1], enough.0, [31, 32, 32]),
            ([4, 3, 2], enough.0, enough.1),
            ([2 * 1_024, 1_024, 1], enough.0, enough.1),
            ([4, 4, 2], 31, enough.1),
            ([4, 4, 2], enough.0, [63, 32, 32]),
            ([4, 4, 2], enough.0, [64, 31, 32]),
            ([4, 4, 2], 33, [66, 33, 33]),
            ([4, 4, 2], 8, [47, 40, 8]),
            ([4, 4, 2], 8, [47, usize::MAX, 8]),
        ] {
            let refused = std::panic::catch_unwind(|| multiply(tiles, counts, bias, out));
            assert!(refused.is_err(), "{tiles:?}: {counts:?} tiles, {bias} biases, numbers {out:?}");
        }
    }
}
