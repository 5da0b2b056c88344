//! The layout of vectors of tokens in memory while a network computes: panels of 16 tokens.
//!
//! A panel has a row for each number of a vector, and a row has that number of all 16 tokens. So 16 tokens fill the
//! lanes of vector registers for any width of a vector, and no step sums across lanes. The lanes after the last token
//! are computed too, but each lane by itself, and nothing reads them.

use std::ops::Range;

/// Tokens of a panel.
pub(super) const LANES: usize = 16;

/// The number of panels for this many tokens.
pub(super) fn panels_of(tokens: usize) -> usize {
    tokens.div_ceil(LANES)
}

/// Some rows of each panel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panels<'a> {
    pub(super) numbers: &'a [f32],
    /// Rows of a panel, and the first that counts.
    pub(super) width: usize,
    pub(super) first: usize,
}

/// Panels that are written.
#[derive(Debug)]
pub(super) struct PanelsMut<'a> {
    pub(super) numbers: &'a mut [f32],
    pub(super) width: usize,
    pub(super) first: usize,
}

impl<'a> Panels<'a> {
    pub(super) fn count(&self) -> usize {
        self.numbers.len() / (self.width * LANES)
    }

    #[inline(always)]
    pub(super) fn rows(&self, panel: usize, row: usize, count: usize) -> &'a [f32] {
        &self.numbers[place(self.width, panel, self.first + row, count)]
    }
}

impl PanelsMut<'_> {
    #[inline(always)]
    pub(super) fn rows(&mut self, panel: usize, row: usize, count: usize) -> &mut [f32] {
        &mut self.numbers[place(self.width, panel, self.first + row, count)]
    }
}

#[inline(always)]
fn place(width: usize, panel: usize, row: usize, count: usize) -> Range<usize> {
    let start = (panel * width + row) * LANES;
    start..start + count * LANES
}

/// The place of a token's number among panels of this many rows.
#[inline(always)]
pub(super) fn place_of(width: usize, token: usize, row: usize) -> usize {
    (token / LANES * width + row) * LANES + token % LANES
}
