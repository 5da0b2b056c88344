//! The instructions by which pairs of small integers are multiplied.

use super::blocks::Pair;
use crate::encoder::panels::LANES;

/// Instructions for sums of products of pairs, one for each lane of a panel.
pub(crate) trait Instructions: Copy {
    /// A pair in each lane.
    type Lanes: Copy;
    /// A sum in each lane.
    type Sums: Copy;

    /// Runs code that is compiled for these instructions; what it calls must be inlined.
    fn run<R>(self, code: impl FnOnce() -> R) -> R;

    fn zeros(self) -> Self::Sums;

    /// The same pair in all lanes.
    fn all(self, pair: [i16; 2]) -> Self::Lanes;

    fn load(self, pairs: &[Pair; LANES]) -> Self::Lanes;

    /// In each lane a sum plus both products of two pairs.
    fn add_products(self, sums: Self::Sums, a: Self::Lanes, b: Self::Lanes) -> Self::Sums;

    /// The greater magnitude in each lane.
    fn greater(self, magnitudes: Self::Sums, numbers: &[f32; LANES]) -> Self::Sums;

    fn magnitudes(self, magnitudes: Self::Sums) -> [u32; LANES];

    /// Pairs of rounded numbers.
    fn round(self, low: &[f32; LANES], high: &[f32; LANES], inverse: &[f32; LANES]) -> [Pair; LANES];

    /// The bytes of four integers in each lane, the higher and the lower ones: of `even` the first and the third, of
    /// `odd` the second and the fourth. A lower byte counts from -128 on, and no integer is above 127 * 256 + 127.
    fn bytes(self, even: &[Pair; LANES], odd: &[Pair; LANES]) -> [[u32; LANES]; 2];

    /// Adds to `out` in each lane a sum times both units that 1 stands for.
    fn add_scaled(self, sums: Self::Sums, unit: f32, units: &[f32; LANES], out: &mut [f32; LANES]);
}
