//! One layer of the encoder.

use pulp::Arch;

use super::buffer;
use super::curves::{AddAndNormalise, Gelu, Softmax};
use super::products::{Products, Rows};
use super::settings::Settings;
use super::weights::{Layer, Linear, Norm, numbers};
use crate::ModelError;

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

    /// Replaces the tokens' vectors by those that the layer makes of them.
    pub(super) fn run(
        &mut self,
        arch: Arch,
        file: &[u8],
        layer: &Layer,
        vectors: &mut [f32],
    ) -> Result<(), ModelError> {
        let network = Network { arch, file, epsilon: self.settings.epsilon };
        network.linear(&layer.query, vectors, &mut self.query)?;
        network.linear(&layer.key, vectors, &mut self.key)?;
        network.linear(&layer.value, vectors, &mut self.value)?;
        network.add_bias(&layer.query, &mut self.query)?;
        network.add_bias(&layer.key, &mut self.key)?;
        network.add_bias(&layer.value, &mut self.value)?;
        self.attend(arch);
        // The query is no longer needed: its room takes the sum.
        network.linear(&layer.attended, &self.attended, &mut self.query)?;
        network.add_and_normalise(&layer.attended, &layer.attended_norm, vectors, &mut self.query)?;
        network.linear(&layer.inner, &self.query, &mut self.inner)?;
        arch.dispatch(Gelu { numbers: &mut self.inner, bias: &numbers(file, &layer.inner.bias)? });
        network.linear(&layer.outer, &self.inner, vectors)?;
        network.add_and_normalise(&layer.outer, &layer.outer_norm, &self.query, vectors)
    }

    /// Each head mixes the tokens' values, by how well query and key fit.
    fn attend(&mut self, arch: Arch) {
        let (tokens, width) = (self.tokens, self.settings.width);
        for (token, value) in self.value.chunks_exact(width).enumerate() {
            for (column, &number) in value.iter().enumerate() {
                self.value_columns[column * tokens + token] = number;
            }
        }
        let columns = width / self.settings.heads;
        for first in (0..width).step_by(columns) {
            arch.dispatch(Products {
                left: Rows { numbers: &self.query, stride: width, first, columns },
                right: Rows { numbers: &self.key, stride: width, first, columns },
                out: &mut self.shares,
                out_stride: tokens,
                out_first: 0,
            });
            let scale = 1.0 / (columns as f32).sqrt();
            arch.dispatch(Softmax { numbers: &mut self.shares, columns: tokens, scale });
            arch.dispatch(Products {
                left: Rows::whole(&self.shares, tokens),
                right: Rows::whole(&self.value_columns[first * tokens..][..columns * tokens], tokens),
                out: &mut self.attended,
                out_stride: width,
                out_first: first,
            });
        }
    }
}

/// The file's numbers, and what computes with them.
struct Network<'a> {
    arch: Arch,
    file: &'a [u8],
    epsilon: f32,
}

impl Network<'_> {
    /// The product alone; the bias goes with what follows.
    fn linear(&self, linear: &Linear, vectors: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let (matrix, bias) = (numbers(self.file, &linear.matrix)?, numbers(self.file, &linear.bias)?);
        let out_stride = bias.len();
        let columns = matrix.len() / out_stride;
        self.arch.dispatch(Products {
            left: Rows::whole(vectors, columns),
            right: Rows::whole(&matrix, columns),
            out,
            out_stride,
            out_first: 0,
        });
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
