//! The scales of a block of tokens' numbers.

use super::instructions::Instructions;
use super::scale::Scale;
use crate::encoder::panels::LANES;

/// Sets the units of 16 tokens, so that the number of greatest magnitude of each becomes `most`; returns the inverses. A
/// lane of each row is a token.
#[inline(always)]
pub(crate) fn token_scales<I: Instructions>(
    instructions: I,
    rows: &[[f32; LANES]],
    most: i16,
    units: &mut [f32; LANES],
) -> [f32; LANES] {
    // Two chains, because each comparison waits for the one before it.
    let mut greatest = [instructions.zeros(); 2];
    let (twos, last) = rows.as_chunks::<2>();
    for rows in twos {
        greatest[0] = instructions.greater(greatest[0], &rows[0]);
        greatest[1] = instructions.greater(greatest[1], &rows[1]);
    }
    if let [row] = last {
        greatest[0] = instructions.greater(greatest[0], row);
    }
    let greatest = greatest.map(
        #[inline(always)]
        |greatest| instructions.magnitudes(greatest),
    );
    let mut inverses = [0.0; LANES];
    for lane in 0..LANES {
        let scale = Scale::new(greatest[0][lane].max(greatest[1][lane]), most);
        (units[lane], inverses[lane]) = (scale.unit, scale.inverse);
    }
    inverses
}
