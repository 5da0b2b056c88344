//! One layer of the encoder.

use pulp::Arch;

use super::attention::Attention;
use super::buffer::Aligned;
use super::curves::Normalise;
use super::linear::{Into, Multiplier};
use super::method::{By, Method};
use super::panels::{LANES, panels_of};
use super::settings::Settings;
use super::weights::{Layer, Norm, numbers};
use crate::ModelError;

/// A text among those whose products are computed together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    pub(super) tokens: usize,
    /// The first of its panels. Texts have no panel in common.
    pub(super) first: usize,
}

impl Text {
    pub(super) fn panels(self) -> usize {
        panels_of(self.tokens)
    }
}

/// Memory for the layers of some texts, in panels of their tokens.
pub(super) struct Work<'a> {
    settings: &'a Settings,
    attention: Attention<'a>,
    /// Keys, values and queries; then what the wide layer gives at once, which needs none of them.
    room: Aligned,
    by: By,
}

impl<'a> Work<'a> {
    /// Room for `panels` panels of texts of at most `longest` tokens. `again` if it will serve several times in a
    /// layer.
    pub(super) fn new(
        method: Method,
        arch: Arch,
        settings: &'a Settings,
        longest: usize,
        panels: usize,
        again: bool,
    ) -> Result<Self, ModelError> {
        let by = By::new(method, arch, settings, panels, again)?;
        Ok(Self {
            settings,
            attention: Attention::new(settings, longest)?,
            room: Aligned::zeros(panels * LANES * (3 * settings.width).max(by.wide_at_once(settings)))?,
            by,
        })
    }

    /// Must be called before each layer.
    pub(super) fn begin(&mut self) {
        if let By::Tiles(tiled) = &mut self.by {
            tiled.forget();
        }
    }

    /// Replaces the texts' vectors by the layer's results. With `only_first` of each text the first panel is left, one
    /// behind the other. `pause` is called after each product and each head, and in long products.
    #[expect(clippy::too_many_arguments, reason = "the parts of a network that the caller has")]
    pub(super) fn run(
        &mut self,
        arch: Arch,
        file: &[u8],
        layer: &Layer,
        texts: &[Text],
        only_first: bool,
        vectors: &mut Aligned,
        pause: &mut dyn FnMut(),
    ) -> Result<(), ModelError> {
        let Settings { width, epsilon, .. } = *self.settings;
        let wide_at_once = self.by.wide_at_once(self.settings);
        let (key, rest) = self.room.split_at_mut(vectors.len());
        let (value, rest) = rest.split_at_mut(vectors.len());
        let mut multiplier = Multiplier { arch, file, by: &mut self.by };
        multiplier.take(vectors, width);
        multiplier.linear(&layer.key, vectors, key, Into::Place, pause)?;
        multiplier.linear(&layer.value, vectors, value, Into::Place, pause)?;
        let mut floats = By::Floats;
        if only_first {
            keep_first_panels(vectors, texts, width);
            // One panel is multiplied by f32 in less time than its factors are rounded, but tiles keep the factors for
            // many texts.
            if let By::Integers(_) = multiplier.by {
                multiplier.by = &mut floats;
            }
            multiplier.take(vectors, width);
        }
        let query = &mut rest[..vectors.len()];
        multiplier.linear(&layer.query, vectors, query, Into::Place, pause)?;
        let mut left = &mut *query;
        for text in texts {
            let panels = if only_first { 1 } else { text.panels() };
            let (of_text, others) = left.split_at_mut(panels * LANES * width);
            let all = text.first * LANES * width..(text.first + text.panels()) * LANES * width;
            self.attention.run(arch, text.tokens, of_text, &key[all.clone()], &value[all], pause);
            left = others;
        }
        multiplier.take(query, width);
        multiplier.linear(&layer.attended, query, vectors, Into::Sum, pause)?;
        normalise(arch, file, &layer.attended_norm, epsilon, vectors)?;
        multiplier.take(vectors, width);
        let room = &mut self.room[..vectors.len() / width * wide_at_once];
        multiplier.wide(&layer.inner, &layer.outer, vectors, room, pause)?;
        normalise(arch, file, &layer.outer_norm, epsilon, vectors)
    }
}

/// Moves each text's first panel behind those of the texts before.
fn keep_first_panels(vectors: &mut Aligned, texts: &[Text], width: usize) {
    let panel = LANES * width;
    for (at, text) in texts.iter().enumerate() {
        vectors.copy_within(text.first * panel..(text.first + 1) * panel, at * panel);
    }
    vectors.truncate(texts.len() * panel);
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
