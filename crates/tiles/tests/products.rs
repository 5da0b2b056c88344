//! Products are those of the definition, by the instructions and without them.

use memory_search_tiles::{COLUMNS, DEPTH, Left, ROWS, Right, Split, Sums, Tiles};
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

fn assert_by_definition(left: &[Split<Left>], right: &[Split<Right>], panels: usize) {
    let steps = left.len() / Tiles::LEFT;
    for tiles in each() {
        // The previous sums must not count.
        let before = Split { high: Sums([[7; COLUMNS]; ROWS]), low: Sums([[-7; COLUMNS]; ROWS]) };
        let mut sums = vec![[before; Tiles::LEFT]; panels];
        tiles.multiply(left, right, &mut sums);
        for (panel, of_panel) in sums.iter().enumerate() {
            for (tile, sums) in of_panel.iter().enumerate() {
                let (left, right) = (&left[tile * steps..][..steps], &right[panel * steps..][..steps]);
                for row in 0..ROWS {
                    for column in 0..COLUMNS {
                        let found = (sums.high.0[row][column].into(), sums.low.0[row][column].into());
                        let place = format!("{tiles:?}, panel {panel}, tile {tile}, row {row}, column {column}");
                        assert_eq!(found, oracle(left, right, row, column), "{place}");
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn products_of_any_shape_are_those_of_the_definition(steps in 0usize..5, panels in 0usize..6, seed: u64) {
        let mut byte = bytes(seed);
        assert_by_definition(&left(steps, &mut byte), &right(steps, panels, &mut byte), panels);
    }
}

#[test]
fn sums_of_the_greatest_products_are_exact() {
    for (of_row, of_column) in [(-128, -128), (127, -128), (-128, 127), (127, 127)] {
        let steps = Tiles::MOST_STEPS;
        assert_by_definition(&left(steps, || of_row), &right(steps, 1, || of_column), 1);
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
                (0..10).for_each(|_| assert_by_definition(&left, &right, 2));
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    for tiles in each() {
        for (of_left, of_right, panels) in [(3, 3, 1), (2, 2, 1), (4, 3, 2), (2 * 1_024, 1_024, 1)] {
            let refused = std::panic::catch_unwind(|| {
                let mut sums = vec![[Split::<Sums>::default(); Tiles::LEFT]; panels];
                tiles.multiply(&vec![Split::default(); of_left], &vec![Split::default(); of_right], &mut sums);
            });
            assert!(refused.is_err(), "{tiles:?}: {of_left} and {of_right} tiles for {panels} panels");
        }
    }
}
