//! A matrix of the model's file times vectors of tokens.

use pulp::Arch;

use super::curves::Gelu;
use super::method::By;
use super::panels::{LANES, Panels, PanelsMut};
use super::products::{Products, Rows, Start};
use super::weights::{Linear, numbers};
use crate::ModelError;

/// Products of two numbers that are computed between two pauses, about: 4 ms with AVX-512, 20 ms without vector
/// instructions. A layer of BERT's largest takes 6,000 million for 512 tokens.
const MOST_PRODUCTS: usize = 1 << 28;

/// The destination of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Into {
    /// It replaces the previous numbers.
    Place,
    /// Its GELU replaces them.
    Gelu,
    /// It is added to the previous numbers.
    Sum,
}

impl Into {
    fn start(self, bias: &[f32]) -> Start<'_> {
        match self {
            Into::Place | Into::Gelu => Start::Bias(bias),
            Into::Sum => Start::BiasAndOut(bias),
        }
    }
}

/// The file's matrices, and what multiplies them.
pub(super) struct Multiplier<'a> {
    pub(super) arch: Arch,
    pub(super) file: &'a [u8],
    pub(super) by: &'a mut By,
}

impl Multiplier<'_> {
    /// Must be called with vectors of `depth` numbers before they are multiplied.
    pub(super) fn take(&mut self, vectors: &[f32], depth: usize) {
        match self.by {
            By::Floats => (),
            By::Integers(integers) => integers.take(vectors, depth),
            By::Tiles(tiled) => tiled.take(vectors, depth),
        }
    }

    /// The product with its bias, in all rows of `out`. `pause` is called after each [`MOST_PRODUCTS`].
    pub(super) fn linear(
        &mut self,
        linear: &Linear,
        vectors: &[f32],
        out: &mut [f32],
        into: Into,
        pause: &mut dyn FnMut(),
    ) -> Result<(), ModelError> {
        let (matrix, bias) = (numbers(self.file, &linear.matrix)?, numbers(self.file, &linear.bias)?);
        let rows = bias.len();
        let depth = matrix.len() / rows;
        let (start, mut since) = (into.start(&bias), 0);
        let mut pause_at_times = |products| {
            since += products;
            if since >= MOST_PRODUCTS {
                since = 0;
                pause();
            }
        };
        match self.by {
            By::Floats => self.by_floats(&matrix, depth, start, vectors, out, pause),
            By::Integers(integers) => {
                integers.multiply(&matrix, depth, start, out, &mut pause_at_times);
                pause();
            }
            By::Tiles(tiled) => {
                let (arch, is_gelu) = (self.arch, into == Into::Gelu);
                // Of a few rows at a time, which are still in the first cache.
                let finish = &mut |numbers: &mut [f32]| {
                    if is_gelu {
                        arch.dispatch(Gelu { numbers });
                    }
                };
                tiled.multiply(&linear.matrix, &matrix, depth, start, out, finish, &mut pause_at_times);
                pause();
                return Ok(());
            }
        }
        if into == Into::Gelu {
            self.arch.dispatch(Gelu { numbers: out });
        }
        Ok(())
    }

    fn by_floats(
        &self,
        matrix: &[f32],
        depth: usize,
        start: Start<'_>,
        vectors: &[f32],
        out: &mut [f32],
        pause: &mut dyn FnMut(),
    ) {
        let rows = matrix.len() / depth;
        let panels = (MOST_PRODUCTS / (matrix.len() * LANES)).max(1);
        for (vectors, out) in vectors.chunks(panels * depth * LANES).zip(out.chunks_mut(panels * rows * LANES)) {
            self.arch.dispatch(Products {
                left: Rows { factors: matrix, stride: depth, count: rows, depth },
                right: Panels { numbers: vectors, width: depth, first: 0 },
                start,
                out: PanelsMut { numbers: out, width: rows, first: 0 },
            });
            pause();
        }
    }
}
