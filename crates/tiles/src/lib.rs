//! Products of matrices of integers by AMX, the tiles of some x86 processors, behind safe functions.
//!
//! One instruction of AMX multiplies 16 rows of 64 bytes by 64 rows of 16 bytes and adds the products to 256 sums of 32
//! bits: 16,384 multiplications. A number of 16 bits is [split](Split) into two bytes, `256 * high + low`, so that
//! [`Tiles::multiply`] needs three such instructions: for `high * high`, and for `high * low` both ways. The
//! products `low * low` are left out: they are smaller than what rounding to 16 bits has taken away before.
//!
//! ```
//! use memory_search_tiles::{Left, Right, Split, Sums, Tiles};
//!
//! // None if the processor or the system has no AMX.
//! let tiles = Tiles::try_new().unwrap_or(Tiles::portable());
//! let mut left = vec![Split::<Left>::default(); Tiles::LEFT];
//! let mut right = vec![Split::<Right>::default(); 1];
//! left[1].high.0[3][5] = 100; // row 16 + 3, number 5: 25,600
//! right[0].high.0[5 / 4][7][5 % 4] = 2; // number 5, column 7: 512 - 1
//! right[0].low.0[5 / 4][7][5 % 4] = -1;
//! let mut sums = vec![[Split::<Sums>::default(); Tiles::LEFT]; 1];
//! tiles.multiply(&left, &right, &mut sums);
//! let [_, sums] = &sums[0];
//! assert_eq!((sums.high.0[3][7], sums.low.0[3][7]), (200, -100));
//! assert_eq!(65_536 * 200 - 256 * 100, 25_600 * 511);
//! ```

#![deny(missing_docs)]
// Only what uses the instructions may.
#![deny(unsafe_code)]

mod portable;
mod tile;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[allow(unsafe_code)]
mod amx;

pub use tile::{COLUMNS, DEPTH, Left, ROWS, Right, Split, Sums};

/// A multiplier: the instructions of AMX, or code for every processor that gives the same sums.
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

    /// The same products on every processor, a hundred times as slow: for tests.
    pub const fn portable() -> Self {
        Self { by: By::Portable }
    }

    /// Multiplies [`LEFT`](Self::LEFT) tiles of rows with panels of columns.
    ///
    /// * `left`: the first 16 rows from their first number to their last, 64 numbers at a step, then the next 16 rows.
    /// * `right`: each panel's 16 columns, by as many steps, one panel after the other.
    /// * `sums`: for each panel those of the rows' tiles, replaced: `high` by the sums of `high * high`, `low` by those
    ///   of `high * low + low * high`. So a product is about `65,536 * high + 256 * low`.
    ///
    /// # Panics
    /// If the lengths do not fit each other, or for more than [`MOST_STEPS`](Self::MOST_STEPS) steps.
    pub fn multiply(self, left: &[Split<Left>], right: &[Split<Right>], sums: &mut [[Split<Sums>; Self::LEFT]]) {
        let steps = left.len() / Self::LEFT;
        assert_eq!(left.len(), steps * Self::LEFT, "the rows' tiles have equally many steps");
        assert_eq!(right.len(), steps * sums.len(), "each panel has as many steps as the rows");
        assert!(steps <= Self::MOST_STEPS, "{steps} steps are too many");
        match self.by {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            By::Amx(amx) => amx.multiply(left, right, sums),
            By::Portable => portable::multiply(left, right, sums),
        }
    }
}

// The example of README.md is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
