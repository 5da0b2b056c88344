//! A model of any family that is read, told by the tensors of its file.

use crate::encoder::{TextEncoder, is_encoder};
use crate::{ModelError, ModelFiles, StaticModel};

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
        if is_encoder(weights.as_ref()) {
            return TextEncoder::load(weights, files).map(Self::Encoder);
        }
        StaticModel::load(weights, files.tokenizer, files.config).map(Self::Static)
    }

    /// Numbers of a vector, from 1 to [`MAX_DIMENSIONS`](crate::MAX_DIMENSIONS).
    pub fn dimensions(&self) -> usize {
        match self {
            Self::Static(model) => model.dimensions(),
            Self::Encoder(model) => model.dimensions(),
        }
    }

    /// The embedding of a text: `dimensions()` numbers, of length 1; `None` when the text has no meaning to the model.
    /// `pause` is called every few milliseconds; it may unwind.
    ///
    /// # Errors
    /// As [`StaticModel::embed`] and [`TextEncoder::embed`].
    pub fn embed(&self, text: &str, pause: &mut dyn FnMut()) -> Result<Option<Vec<f32>>, ModelError> {
        match self {
            Self::Static(model) => model.embed(text),
            Self::Encoder(model) => model.embed(text, pause),
        }
    }
}
