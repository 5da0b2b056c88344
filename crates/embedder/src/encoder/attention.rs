//! Attention: each head mixes the tokens' values, by how well a token's query and the others' keys fit.

use pulp::Arch;

use super::buffer::Aligned;
use super::curves::Softmax;
use super::panels::{LANES, Panels, PanelsMut, panels_of, place_of};
use super::products::{Products, Rows, Start, WIDE_ROWS};
use super::settings::Settings;
use crate::ModelError;

/// The number of panels of queries whose shares are in memory at once: for 512 tokens 98 KB, which fit into the level 2
/// cache.
const PANELS_AT_ONCE: usize = 3;

/// Memory for one head.
pub(super) struct Attention<'a> {
    settings: &'a Settings,
    /// A row for each token.
    keys: Aligned,
    /// A row for each number of a value.
    values: Aligned,
    /// The weights of all tokens' values in the sums for the tokens of some panels: a row for each of all tokens.
    shares: Aligned,
}

impl<'a> Attention<'a> {
    /// Room for texts of so many tokens.
    pub(super) fn new(settings: &'a Settings, tokens: usize) -> Result<Self, ModelError> {
        let lanes = panels_of(tokens) * LANES;
        let columns = settings.width / settings.heads;
        Ok(Self {
            settings,
            keys: Aligned::zeros(lanes * columns)?,
            values: Aligned::zeros(lanes * columns)?,
            shares: Aligned::zeros(lanes * panels_of(tokens).min(PANELS_AT_ONCE) * LANES)?,
        })
    }

    /// Replaces the queries by the sums of the values of all the text's tokens, weighted by the shares. `pause` is
    /// called after each head.
    pub(super) fn run(
        &mut self,
        arch: Arch,
        tokens: usize,
        query: &mut [f32],
        key: &[f32],
        value: &[f32],
        pause: &mut dyn FnMut(),
    ) {
        let width = self.settings.width;
        let columns = width / self.settings.heads;
        for first in (0..width).step_by(columns) {
            self.take_rows(key, value, first, columns);
            for query in query.chunks_mut(PANELS_AT_ONCE * width * LANES) {
                self.mix(arch, tokens, query, first, columns);
            }
            pause();
        }
    }

    /// One head's keys and values, laid out as the left side of a product.
    fn take_rows(&mut self, key: &[f32], value: &[f32], first: usize, columns: usize) {
        let width = self.settings.width;
        let lanes = key.len() / width;
        for (token, row) in self.keys[..lanes * columns].chunks_exact_mut(columns).enumerate() {
            for (column, number) in row.iter_mut().enumerate() {
                *number = key[place_of(width, token, first + column)];
            }
        }
        for (column, row) in self.values[..lanes * columns].chunks_exact_mut(lanes).enumerate() {
            for (panel, row) in row.chunks_exact_mut(LANES).enumerate() {
                row.copy_from_slice(&value[place_of(width, panel * LANES, first + column)..][..LANES]);
            }
        }
    }

    fn mix(&mut self, arch: Arch, tokens: usize, query: &mut [f32], first: usize, columns: usize) {
        let (lanes, width) = (panels_of(tokens) * LANES, self.settings.width);
        let shares = &mut self.shares[..query.len() / width * lanes];
        // Rows of the keys behind the last token fill the last tile; softmax and the second product stop before them.
        arch.dispatch(Products {
            left: Rows {
                factors: &self.keys,
                stride: columns,
                count: tokens.next_multiple_of(WIDE_ROWS),
                depth: columns,
            },
            right: Panels { numbers: query, width, first },
            start: Start::Zero,
            out: PanelsMut { numbers: shares, width: lanes, first: 0 },
        });
        let scale = 1.0 / (columns as f32).sqrt();
        arch.dispatch(Softmax { numbers: shares, width: lanes, rows: tokens, scale });
        arch.dispatch(Products {
            left: Rows { factors: &self.values, stride: lanes, count: columns, depth: tokens },
            right: Panels { numbers: shares, width: lanes, first: 0 },
            start: Start::Zero,
            out: PanelsMut { numbers: query, width, first },
        });
    }
}
