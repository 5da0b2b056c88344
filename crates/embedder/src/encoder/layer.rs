//! One layer of the encoder.

use pulp::Arch;

use super::buffer;
use super::curves::{AddAndNormalise, Gelu, Softmax};
use super::products::{Products, Rows, TILE_ROWS};
use super::settings::Settings;
use super::weights::{Layer, Linear, Norm, numbers};
use crate::ModelError;

/// Products of two numbers that are computed between two pauses, about: some hundredths of a second. A layer of BERT's
/// largest takes 6,000 million for 512 tokens.
const MOST_PRODUCTS: usize = 1 << 28;

/// Memory for the layers of one text, a row for each token where nothing else is said.
pub(super) struct Work<'a> {
    settings: &'a Settings,
    tokens: usize,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    /// `value` by columns: a row for each number of a vector.
    value_columns: Vec<f32>,
    /// What a head's tokens take of one another.
    shares: Vec<f32>,
    attended: Vec<f32>,
    inner: Vec<f32>,
}

impl<'a> Work<'a> {
    pub(super) fn new(settings: &'a Settings, tokens: usize) -> Result<Self, ModelError> {
        let vectors = || buffer::zeros(tokens * settings.width);
        Ok(Self {
            settings,
            tokens,
            query: vectors()?,
            key: vectors()?,
            value: vectors()?,
            value_columns: vectors()?,
            shares: buffer::zeros(tokens * tokens)?,
            attended: vectors()?,
            inner: buffer::zeros(tokens * settings.inner_width)?,
        })
    }

    /// Replaces the vectors of the first `rows` tokens by those that the layer makes of all tokens' vectors. `pause` is
    /// called after each [`MOST_PRODUCTS`].
    pub(super) fn run(
        &mut self,
        arch: Arch,
        file: &[u8],
        layer: &Layer,
        rows: usize,
        vectors: &mut [f32],
        pause: &mut dyn FnMut(),
    ) -> Result<(), ModelError> {
        let (width, settings) = (self.settings.width, self.settings);
        let mut network = Operations { arch, file, epsilon: settings.epsilon, pause };
        let (few, few_inner) = (rows * width, rows * settings.inner_width);
        network.linear(&layer.query, &vectors[..few], &mut self.query[..few])?;
        network.linear(&layer.key, vectors, &mut self.key)?;
        network.linear(&layer.value, vectors, &mut self.value)?;
        network.add_bias(&layer.query, &mut self.query[..few])?;
        network.add_bias(&layer.key, &mut self.key)?;
        network.add_bias(&layer.value, &mut self.value)?;
        self.attend(arch, rows, network.pause);
        // The query is no longer needed: its room takes the sum.
        let (query, inner) = (&mut self.query[..few], &mut self.inner[..few_inner]);
        let vectors = &mut vectors[..few];
        network.linear(&layer.attended, &self.attended[..few], query)?;
        network.add_and_normalise(&layer.attended, &layer.attended_norm, vectors, query)?;
        network.linear(&layer.inner, query, inner)?;
        arch.dispatch(Gelu { numbers: inner, bias: &numbers(file, &layer.inner.bias)? });
        network.linear(&layer.outer, inner, vectors)?;
        network.add_and_normalise(&layer.outer, &layer.outer_norm, query, vectors)
    }

    /// Each head mixes the tokens' values for the first `rows` tokens, by how well query and key fit.
    fn attend(&mut self, arch: Arch, rows: usize, pause: &mut dyn FnMut()) {
        let (tokens, width) = (self.tokens, self.settings.width);
        for (token, value) in self.value.chunks_exact(width).enumerate() {
            for (column, &number) in value.iter().enumerate() {
                self.value_columns[column * tokens + token] = number;
            }
        }
        let columns = width / self.settings.heads;
        let shares = &mut self.shares[..rows * tokens];
        for first in (0..width).step_by(columns) {
            arch.dispatch(Products {
                left: Rows { numbers: &self.query[..rows * width], stride: width, first, columns },
                right: Rows { numbers: &self.key, stride: width, first, columns },
                out: shares,
                out_stride: tokens,
                out_first: 0,
            });
            let scale = 1.0 / (columns as f32).sqrt();
            arch.dispatch(Softmax { numbers: shares, columns: tokens, scale });
            arch.dispatch(Products {
                left: Rows::whole(shares, tokens),
                right: Rows::whole(&self.value_columns[first * tokens..][..columns * tokens], tokens),
                out: &mut self.attended,
                out_stride: width,
                out_first: first,
            });
            pause();
        }
    }
}

/// The file's numbers, and what computes with them.
struct Operations<'a> {
    arch: Arch,
    file: &'a [u8],
    epsilon: f32,
    pause: &'a mut dyn FnMut(),
}

impl Operations<'_> {
    /// The product alone; the bias goes with what follows.
    fn linear(&mut self, linear: &Linear, vectors: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let (matrix, bias) = (numbers(self.file, &linear.matrix)?, numbers(self.file, &linear.bias)?);
        let out_stride = bias.len();
        let columns = matrix.len() / out_stride;
        // Whole tiles, so that a number of the product is computed the same way wherever a pause falls.
        let rows = (MOST_PRODUCTS / matrix.len()).max(1).next_multiple_of(TILE_ROWS);
        for (vectors, out) in vectors.chunks(rows * columns).zip(out.chunks_mut(rows * out_stride)) {
            self.arch.dispatch(Products {
                left: Rows::whole(vectors, columns),
                right: Rows::whole(&matrix, columns),
                out,
                out_stride,
                out_first: 0,
            });
            (self.pause)();
        }
        Ok(())
    }

    fn add_bias(&self, linear: &Linear, vectors: &mut [f32]) -> Result<(), ModelError> {
        let bias = numbers(self.file, &linear.bias)?;
        for vector in vectors.chunks_exact_mut(bias.len()) {
            vector.iter_mut().zip(&*bias).for_each(|(number, bias)| *number += bias);
        }
        Ok(())
    }

    fn add_and_normalise(
        &self,
        linear: &Linear,
        norm: &Norm,
        residual: &[f32],
        sum: &mut [f32],
    ) -> Result<(), ModelError> {
        self.arch.dispatch(AddAndNormalise {
            sum,
            residual,
            bias: &numbers(self.file, &linear.bias)?,
            factor: &numbers(self.file, &norm.factor)?,
            norm_bias: &numbers(self.file, &norm.bias)?,
            epsilon: self.epsilon,
        });
        Ok(())
    }
}
