//! A matrix of the model's file times vectors of tokens.

use pulp::Arch;

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

/// The product with its bias, in all rows of `out`. `pause` is called after each [`MOST_PRODUCTS`].
pub(super) fn linear(
    arch: Arch,
    file: &[u8],
    linear: &Linear,
    vectors: &[f32],
    out: &mut [f32],
    into: Into,
    pause: &mut dyn FnMut(),
) -> Result<(), ModelError> {
    let (matrix, bias) = (numbers(file, &linear.matrix)?, numbers(file, &linear.bias)?);
    let rows = bias.len();
    let depth = matrix.len() / rows;
    let panels = (MOST_PRODUCTS / (matrix.len() * LANES)).max(1);
    for (vectors, out) in vectors.chunks(panels * depth * LANES).zip(out.chunks_mut(panels * rows * LANES)) {
        arch.dispatch(Products {
            left: Rows { factors: &matrix, stride: depth, count: rows, depth },
            right: Panels { numbers: vectors, width: depth, first: 0 },
            start: match into {
                Into::Place => Start::Bias(&bias),
                Into::Sum => Start::BiasAndOut(&bias),
            },
            out: PanelsMut { numbers: out, width: rows, first: 0 },
        });
        pause();
    }
    Ok(())
}
