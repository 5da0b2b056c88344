//! How the products of a text are computed: by f32, or by integers if the text has many tokens.

use memory_search_tiles::Tiles;
use pulp::Arch;

use super::integers::{self, Integers, Vnni};
use super::panels::panels_of;
use super::settings::Settings;
use super::tiled::{self, Tiled};
use crate::ModelError;

/// A way to multiply. The number of a text's own tokens decides it, so that a result does not depend on other texts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Method {
    Tiles(Tiles, Vnni),
    Integers(Vnni),
    Floats,
}

impl Method {
    /// The fastest one for a text of so many tokens on this processor.
    pub(super) fn of(tokens: usize) -> Self {
        let panels = panels_of(tokens);
        if panels >= tiled::LEAST_PANELS
            && let (Some(tiles), Some(vnni)) = (Tiles::try_new(), Vnni::try_new())
        {
            return Self::Tiles(tiles, vnni);
        }
        if panels >= integers::LEAST_PANELS
            && let Some(vnni) = Vnni::try_new()
        {
            return Self::Integers(vnni);
        }
        Self::Floats
    }

    /// Methods by number, so that texts of the same one come together.
    pub(super) fn number(self) -> usize {
        match self {
            Self::Tiles(..) => 0,
            Self::Integers(_) => 1,
            Self::Floats => 2,
        }
    }
}

/// A method with its memory.
pub(super) enum By {
    Floats,
    Integers(Integers),
    Tiles(Tiled),
}

impl By {
    /// Memory for so many panels; `again` if a layer's matrices are multiplied several times.
    pub(super) fn new(
        method: Method,
        arch: Arch,
        settings: &Settings,
        panels: usize,
        again: bool,
    ) -> Result<Self, ModelError> {
        let Settings { width, inner_width, .. } = *settings;
        Ok(match method {
            Method::Floats => Self::Floats,
            Method::Integers(vnni) => Self::Integers(Integers::new(vnni, settings, panels)?),
            Method::Tiles(tiles, vnni) => {
                // A layer's products: query, key, value and what is behind attention, and both with the wide layer.
                let square = (width, width);
                let of_layer = [square, square, square, square, (inner_width, width), (width, inner_width)];
                let kept = if again { &of_layer[..] } else { &[] };
                Self::Tiles(Tiled::new(tiles, vnni, arch, panels, width, kept)?)
            }
        })
    }

    /// Numbers of each token that the wide layer gives at once.
    pub(super) fn wide_at_once(&self, settings: &Settings) -> usize {
        match self {
            Self::Floats | Self::Integers(_) => settings.inner_width,
            Self::Tiles(_) => settings.inner_width.min(tiled::WIDE_AT_ONCE),
        }
    }
}
