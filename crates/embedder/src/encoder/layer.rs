//! One layer of the encoder.

use pulp::Arch;

use super::attention::Attention;
use super::buffer::Aligned;
use super::curves::{Gelu, Normalise};
use super::integers::Integers;
use super::linear::{Into, Multiplier};
use super::panels::{LANES, panels_of};
use super::settings::Settings;
use super::weights::{Layer, Norm, numbers};
use crate::ModelError;

/// Memory for the layers of one text, in panels of its tokens.
pub(super) struct Work<'a> {
    settings: &'a Settings,
    attention: Attention<'a>,
    /// Queries, keys and values; then what the wide layer gives, which needs none of them.
    room: Aligned,
    integers: Option<Integers>,
}

impl<'a> Work<'a> {
    pub(super) fn new(settings: &'a Settings, tokens: usize) -> Result<Self, ModelError> {
        let lanes = panels_of(tokens) * LANES;
        Ok(Self {
            settings,
            attention: Attention::new(settings, tokens)?,
            room: Aligned::zeros(lanes * (3 * settings.width).max(settings.inner_width))?,
            integers: Integers::new(settings, tokens)?,
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
        let (query, rest) = self.room.split_at_mut(panels * LANES * width);
        let (key, rest) = rest.split_at_mut(vectors.len());
        let value = &mut rest[..vectors.len()];
        let mut multiplier = Multiplier { arch, file, integers: self.integers.as_mut() };
        multiplier.take(vectors, width);
        multiplier.linear(&layer.query, &vectors[..query.len()], query, Into::Place, pause)?;
        multiplier.linear(&layer.key, vectors, key, Into::Place, pause)?;
        multiplier.linear(&layer.value, vectors, value, Into::Place, pause)?;
        self.attention.run(arch, query, key, value, pause);
        let vectors = &mut vectors[..query.len()];
        multiplier.take(query, width);
        multiplier.linear(&layer.attended, query, vectors, Into::Sum, pause)?;
        normalise(arch, file, &layer.attended_norm, epsilon, vectors)?;
        multiplier.take(vectors, width);
        let inner = &mut self.room[..panels * LANES * inner_width];
        multiplier.linear(&layer.inner, vectors, inner, Into::Place, pause)?;
        arch.dispatch(Gelu { numbers: inner });
        multiplier.take(inner, inner_width);
        multiplier.linear(&layer.outer, inner, vectors, Into::Sum, pause)?;
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
