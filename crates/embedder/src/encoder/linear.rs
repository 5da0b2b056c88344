//! A matrix of the model's file times vectors of tokens.

use pulp::Arch;

use super::curves::Gelu;
use super::method::By;
use super::panels::{LANES, Panels, PanelsMut};
use super::products::{Products, Rows, Start};
use super::tiled::Matrix;
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
        let start = into.start(&bias);
        match self.by {
            By::Floats => self.by_floats(&matrix, depth, start, vectors, out, pause),
            By::Integers(integers) => {
                integers.multiply(&matrix, depth, start, out, &mut at_times(pause));
                pause();
            }
            By::Tiles(tiled) => {
                let matrix = Matrix { tensor: &linear.matrix, numbers: &matrix, depth };
                tiled.multiply(matrix, start, out, &mut at_times(pause));
                pause();
            }
        }
        if into == Into::Gelu {
            self.arch.dispatch(Gelu { numbers: out });
        }
        Ok(())
    }

    /// Adds what the wide layer makes of vectors to them, after they were taken. `room` is overwritten; it has as many
    /// panels, of [`By::wide_at_once`] rows.
    pub(super) fn wide(
        &mut self,
        inner: &Linear,
        outer: &Linear,
        vectors: &mut [f32],
        room: &mut [f32],
        pause: &mut dyn FnMut(),
    ) -> Result<(), ModelError> {
        let By::Tiles(tiled) = self.by else {
            self.linear(inner, vectors, room, Into::Gelu, pause)?;
            self.take(room, numbers(self.file, &inner.bias)?.len());
            return self.linear(outer, room, vectors, Into::Sum, pause);
        };
        let all = [&inner.matrix, &inner.bias, &outer.matrix, &outer.bias];
        let [of_inner, inner_bias, of_outer, outer_bias] = all.map(|tensor| numbers(self.file, tensor));
        let (of_inner, inner_bias, of_outer, outer_bias) = (of_inner?, inner_bias?, of_outer?, outer_bias?);
        let (inner_width, width) = (inner_bias.len(), outer_bias.len());
        tiled.wide(
            Matrix { tensor: &inner.matrix, numbers: &of_inner, depth: width },
            &inner_bias,
            Matrix { tensor: &outer.matrix, numbers: &of_outer, depth: inner_width },
            &outer_bias,
            room,
            vectors,
            &mut at_times(pause),
        );
        pause();
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

/// Pauses after each [`MOST_PRODUCTS`].
fn at_times(pause: &mut dyn FnMut()) -> impl FnMut(usize) {
    let mut since = 0;
    move |products| {
        since += products;
        if since >= MOST_PRODUCTS {
            since = 0;
            pause();
        }
    }
}
