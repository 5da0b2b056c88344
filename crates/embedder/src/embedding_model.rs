//! A model of any supported family, recognized by the tensors of its file.

use crate::encoder::{TextEncoder, is_encoder, refuse_cross_encoder};
use crate::{ModelError, ModelFiles, Prompts, StaticModel};

/// A static model or an encoder over the bytes of its weights, usually a memory map.
pub enum EmbeddingModel<B: AsRef<[u8]>> {
    /// Wordllama, model2vec and sentence-transformers' `StaticEmbedding`: microseconds a text.
    Static(StaticModel<B>),
    /// BERT with mean pooling: milliseconds a text.
    Encoder(TextEncoder<B>),
}

impl<B: AsRef<[u8]>> EmbeddingModel<B> {
    /// Checks the files of a model and builds its tokeniser.
    ///
    /// # Errors
    /// As [`StaticModel::load`] and [`TextEncoder::load`].
    pub fn load(weights: B, files: &ModelFiles<'_>) -> Result<Self, ModelError> {
        refuse_cross_encoder(weights.as_ref())?;
        if is_encoder(weights.as_ref()) {
            return TextEncoder::load(weights, files).map(Self::Encoder);
        }
        Prompts::refuse(files)?;
        StaticModel::load(weights, files.tokenizer, files.config).map(Self::Static)
    }

    /// Numbers of a vector, from 1 to [`MAX_DIMENSIONS`](crate::MAX_DIMENSIONS).
    pub fn dimensions(&self) -> usize {
        match self {
            Self::Static(model) => model.dimensions(),
            Self::Encoder(model) => model.dimensions(),
        }
    }

    /// The prompts that the model wants before a text; `None` if it wants none.
    pub fn prompts(&self) -> Option<&Prompts> {
        match self {
            Self::Static(_) => None,
            Self::Encoder(model) => model.prompts(),
        }
    }

    /// The embedding of a text that is stored, a passage: `dimensions()` numbers, of length 1; `None` when the text has
    /// no meaning to the model. `pause` is called every few milliseconds; it may unwind.
    ///
    /// # Errors
    /// As [`StaticModel::embed`] and [`TextEncoder::embed`].
    pub fn embed(&self, text: &str, pause: &mut dyn FnMut()) -> Result<Option<Vec<f32>>, ModelError> {
        match self {
            Self::Static(model) => model.embed(text),
            Self::Encoder(model) => model.embed(text, pause),
        }
    }

    /// The vector of a query, which some models embed in another way ([`prompts`](Self::prompts)).
    ///
    /// # Errors
    /// As [`embed`](Self::embed).
    pub fn embed_query(&self, query: &str, pause: &mut dyn FnMut()) -> Result<Option<Vec<f32>>, ModelError> {
        match self {
            Self::Static(model) => model.embed(query),
            Self::Encoder(model) => model.embed_query(query, pause),
        }
    }
}
