//! A matrix of the model's file times vectors of tokens.

use pulp::Arch;

use super::integers::{Integers, LEAST_PANELS};
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
    /// It is added to the previous numbers.
    Sum,
}

impl Into {
    fn start(self, bias: &[f32]) -> Start<'_> {
        match self {
            Into::Place => Start::Bias(bias),
            Into::Sum => Start::BiasAndOut(bias),
        }
    }
}

/// The file's matrices, and what multiplies them.
pub(super) struct Multiplier<'a> {
    pub(super) arch: Arch,
    pub(super) file: &'a [u8],
    /// For products of several panels, where the processor has the instructions.
    pub(super) integers: Option<&'a mut Integers>,
}

impl Multiplier<'_> {
    /// Must be called with vectors of `depth` numbers before they are multiplied.
    pub(super) fn take(&mut self, vectors: &[f32], depth: usize) {
        if let Some(integers) = &mut self.integers
            && vectors.len() / (depth * LANES) >= LEAST_PANELS
        {
            integers.take(vectors, depth);
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
        if let Some(integers) = &mut self.integers
            && out.len() / (rows * LANES) >= LEAST_PANELS
        {
            let mut since = 0;
            integers.multiply(&matrix, depth, into.start(&bias), out, &mut |products| {
                since += products;
                if since >= MOST_PRODUCTS {
                    since = 0;
                    pause();
                }
            });
            pause();
            return Ok(());
        }
        let panels = (MOST_PRODUCTS / (matrix.len() * LANES)).max(1);
        for (vectors, out) in vectors.chunks(panels * depth * LANES).zip(out.chunks_mut(panels * rows * LANES)) {
            self.arch.dispatch(Products {
                left: Rows { factors: &matrix, stride: depth, count: rows, depth },
                right: Panels { numbers: vectors, width: depth, first: 0 },
                start: into.start(&bias),
                out: PanelsMut { numbers: out, width: rows, first: 0 },
            });
            pause();
        }
        Ok(())
    }
}
