//! Instructions that every processor has.

use std::array::from_fn;

use super::super::blocks::Pair;
use super::super::instructions::Instructions;
use super::super::scale::{magnitude, rounded};
use crate::encoder::panels::LANES;

/// The same operations without instructions, so that a test of them runs on every processor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain;

impl Instructions for Plain {
    type Lanes = [[i16; 2]; LANES];
    type Sums = [i32; LANES];

    fn run<R>(self, code: impl FnOnce() -> R) -> R {
        code()
    }

    fn zeros(self) -> Self::Sums {
        [0; LANES]
    }

    fn all(self, pair: [i16; 2]) -> Self::Lanes {
        [pair; LANES]
    }

    fn load(self, pairs: &[Pair; LANES]) -> Self::Lanes {
        pairs.map(|pair| [pair as i16, (pair >> 16) as i16])
    }

    fn add_products(self, sums: Self::Sums, a: Self::Lanes, b: Self::Lanes) -> Self::Sums {
        from_fn(|lane| {
            let product = |at: usize| i32::from(a[lane][at]) * i32::from(b[lane][at]);
            sums[lane].wrapping_add(product(0)).wrapping_add(product(1))
        })
    }

    fn greater(self, magnitudes: Self::Sums, numbers: &[f32; LANES]) -> Self::Sums {
        from_fn(|lane| magnitudes[lane].max(magnitude(numbers[lane]) as i32))
    }

    fn magnitudes(self, magnitudes: Self::Sums) -> [u32; LANES] {
        magnitudes.map(|magnitude| magnitude as u32)
    }

    fn round(self, low: &[f32; LANES], high: &[f32; LANES], inverse: &[f32; LANES]) -> [Pair; LANES] {
        from_fn(|lane| {
            let rounded = |number| Pair::from(rounded(number, inverse[lane]) as u16);
            rounded(low[lane]) | rounded(high[lane]) << 16
        })
    }

    fn bytes(self, even: &[Pair; LANES], odd: &[Pair; LANES]) -> [[u32; LANES]; 2] {
        let bytes = |byte: fn(i16) -> u8| {
            from_fn(|lane| {
                let four = [even[lane], odd[lane], even[lane] >> 16, odd[lane] >> 16];
                u32::from_le_bytes(four.map(|number| byte(number as i16)))
            })
        };
        [bytes(|number| ((i32::from(number) + 128) >> 8) as u8), bytes(|number| number as u8)]
    }

    fn add_scaled(self, sums: Self::Sums, unit: f32, units: &[f32; LANES], out: &mut [f32; LANES]) {
        for lane in 0..LANES {
            out[lane] += sums[lane] as f32 * (unit * units[lane]);
        }
    }
}
