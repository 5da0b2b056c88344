//! Products of matrices of integers by AMX, the tiles of some x86 processors, behind safe functions.
//!
//! One instruction of AMX multiplies 16 rows of 64 bytes by 64 rows of 16 bytes and adds the products to 256 sums of 32
//! bits: 16,384 multiplications. A number of 16 bits is [split](Split) into two bytes, `256 * high + low`, so that
//! [`Tiles::multiply`] needs three such instructions: for `high * high`, and for `high * low` both ways. The
//! products `low * low` are left out: they are smaller than what rounding to 16 bits has taken away before. The sums
//! become f32 by the units that 1 stands for in each row and in each column.
//!
//! ```
//! use memory_search_tiles::{Left, Out, Panels, Right, Rows, Split, Start, Tiles};
//!
//! // None if the processor or the system has no AMX.
//! let tiles = Tiles::try_new().unwrap_or(Tiles::portable());
//! let mut left = vec![Split::<Left>::default(); Tiles::LEFT];
//! let mut right = vec![Split::<Right>::default(); 1];
//! left[1].high.0[3][5] = 100; // row 16 + 3, number 5: 25,600
//! right[0].high.0[5 / 4][7][5 % 4] = 2; // number 5, column 7: 512 - 1
//! right[0].low.0[5 / 4][7][5 % 4] = -1;
//! let rows = Rows { tiles: &left, units: &[0.5; Tiles::ROWS] };
//! let panels = Panels { tiles: &right, units: &[[1.0; 16]] };
//! let mut numbers = vec![[0.0; 16]; Tiles::ROWS];
//! let out = Out { numbers: &mut numbers, apart: Tiles::ROWS, rows: Tiles::ROWS };
//! tiles.multiply(rows, panels, Start::default(), out);
//! assert_eq!(numbers[16 + 3][7], 25_600.0 * 511.0 * 0.5);
//! ```

#![deny(missing_docs)]
// Only what uses the instructions may.
#![deny(unsafe_code)]

mod portable;
mod product;
mod tile;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[allow(unsafe_code)]
mod amx;

pub use product::{Out, Panels, Rows, Start};
pub use tile::{COLUMNS, DEPTH, Left, ROWS, Right, Split};

/// A multiplier: the instructions of AMX, or code for every processor that gives the same numbers.
#[derive(Debug, Clone, Copy)]
pub struct Tiles {
    by: By,
}

#[derive(Debug, Clone, Copy)]
enum By {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Amx(amx::Amx),
    Portable,
}

impl Tiles {
    /// Tiles of rows that are multiplied together.
    pub const LEFT: usize = tile::LEFT;

    /// Rows that are multiplied together.
    pub const ROWS: usize = product::ROWS_AT_ONCE;

    /// The most tiles of a row: no sum of their products exceeds 32 bits.
    ///
    /// A product of two bytes is at most 2^14, and a sum of `high * low` both ways has twice [`DEPTH`] of them for each
    /// tile: 2^14 * 2 * 64 * 1,023 < 2^31.
    pub const MOST_STEPS: usize = 1_023;

    /// The instructions; `None` if the processor lacks them, or if the operating system does not let this process use
    /// them.
    ///
    /// The first call in a process asks the system, which is Linux or gives nothing. The answer lasts as long as the
    /// process, and its forks inherit it.
    pub fn try_new() -> Option<Self> {
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        return amx::Amx::try_new().map(|amx| Self { by: By::Amx(amx) });
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        None
    }

    /// The same numbers on every processor, a hundred times as slow: for tests.
    pub const fn portable() -> Self {
        Self { by: By::Portable }
    }

    /// Multiplies [`ROWS`](Self::ROWS) rows with the columns of all panels.
    ///
    /// The sums `high` of `high * high` and `low` of `high * low + low * high` are exact. As f32 they become
    /// `(high * 256 + low) * (unit of the row * 256 * unit of the column)`, and this is added to the start: to the
    /// number in `out` if it counts, else 0, plus the row's bias if there is one.
    ///
    /// # Panics
    /// If the lengths do not fit each other, or for more than [`MOST_STEPS`](Self::MOST_STEPS) steps.
    pub fn multiply(self, rows: Rows<'_>, panels: Panels<'_>, start: Start<'_>, out: Out<'_>) {
        let steps = rows.tiles.len() / Self::LEFT;
        assert_eq!(rows.tiles.len(), steps * Self::LEFT, "the rows' tiles have equally many steps");
        assert_eq!(panels.tiles.len(), steps * panels.units.len(), "each panel has as many steps as the rows");
        assert!(steps <= Self::MOST_STEPS, "{steps} steps are too many");
        assert!(out.rows <= Self::ROWS.min(out.apart), "{} rows are too many", out.rows);
        assert!(start.bias.is_none_or(|bias| bias.len() >= out.rows), "each row has a bias");
        // Without a panel or a row nothing is written.
        let Some(last) = panels.units.len().checked_sub(1).filter(|_| out.rows > 0) else { return };
        let room = last.checked_mul(out.apart).and_then(|first| first.checked_add(out.rows));
        assert!(room.is_some_and(|room| room <= out.numbers.len()), "there is room for all rows of all panels");
        match self.by {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            By::Amx(amx) => amx.multiply(rows, panels, start, out),
            By::Portable => portable::multiply(rows, panels, start, out),
        }
    }
}

// The example of README.md is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
