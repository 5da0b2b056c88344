//! One layer of the encoder.

use pulp::Arch;

use super::attention::Attention;
use super::buffer::Aligned;
use super::curves::{Gelu, Normalise};
use super::linear::{Into, linear};
use super::panels::{LANES, panels_of};
use super::settings::Settings;
use super::weights::{Layer, Norm, numbers};
use crate::ModelError;

/// Memory for the layers of one text, in panels of its tokens.
pub(super) struct Work<'a> {
    settings: &'a Settings,
    attention: Attention<'a>,
    query: Aligned,
    key: Aligned,
    value: Aligned,
    inner: Aligned,
}

impl<'a> Work<'a> {
    pub(super) fn new(settings: &'a Settings, tokens: usize) -> Result<Self, ModelError> {
        let lanes = panels_of(tokens) * LANES;
        let vectors = || Aligned::zeros(lanes * settings.width);
        Ok(Self {
            settings,
            attention: Attention::new(settings, tokens)?,
            query: vectors()?,
            key: vectors()?,
            value: vectors()?,
            inner: Aligned::zeros(lanes * settings.inner_width)?,
        })
    }

    /// Replaces the vectors of the first `panels` panels by the layer's results from all tokens' vectors. `pause` is
    /// called after each product and each head, and in long products.
    pub(super) fn run(
        &mut self,
        arch: Arch,
        file: &[u8],
        layer: &Layer,
        panels: usize,
        vectors: &mut [f32],
        pause: &mut dyn FnMut(),
    ) -> Result<(), ModelError> {
        let Settings { width, inner_width, epsilon, .. } = *self.settings;
        let query = &mut self.query[..panels * LANES * width];
        let inner = &mut self.inner[..panels * LANES * inner_width];
        linear(arch, file, &layer.query, &vectors[..query.len()], query, Into::Place, pause)?;
        linear(arch, file, &layer.key, vectors, &mut self.key, Into::Place, pause)?;
        linear(arch, file, &layer.value, vectors, &mut self.value, Into::Place, pause)?;
        self.attention.run(arch, query, &self.key, &self.value, pause);
        let vectors = &mut vectors[..query.len()];
        linear(arch, file, &layer.attended, query, vectors, Into::Sum, pause)?;
        normalise(arch, file, &layer.attended_norm, epsilon, vectors)?;
        linear(arch, file, &layer.inner, vectors, inner, Into::Place, pause)?;
        arch.dispatch(Gelu { numbers: inner });
        linear(arch, file, &layer.outer, inner, vectors, Into::Sum, pause)?;
        normalise(arch, file, &layer.outer_norm, epsilon, vectors)
    }
}

fn normalise(arch: Arch, file: &[u8], norm: &Norm, epsilon: f32, vectors: &mut [f32]) -> Result<(), ModelError> {
    arch.dispatch(Normalise {
        numbers: vectors,
        factor: &numbers(file, &norm.factor)?,
        bias: &numbers(file, &norm.bias)?,
        epsilon,
    });
    Ok(())
}
