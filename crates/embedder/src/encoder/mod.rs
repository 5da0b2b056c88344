//! A BERT encoder with mean pooling, as sentence-transformers publishes them: all-MiniLM-L6-v2, multilingual E5 and
//! their like. XLM-RoBERTa is the same network, with other tokens and with positions that start later.
//!
//! Every token becomes a vector; in each layer, attention combines it with the others, and two products with GELU
//! between transform it; the mean over all tokens is the text's embedding. The terms are from "Attention Is All You
//! Need" (arXiv 1706.03762) and BERT (arXiv 1810.04805).

mod attention;
mod batches;
mod buffer;
mod cross_encoder;
mod curves;
mod head;
mod integers;
mod layer;
mod linear;
mod method;
mod network;
mod panels;
mod positions;
mod powers;
mod products;
mod settings;
mod special_tokens;
mod tiled;
mod truncation;
mod weights;

pub use self::cross_encoder::{CrossEncoder, Question, Score};
use self::network::{Network, Wanted};
use self::panels::place_of;
use self::settings::Settings;
use self::special_tokens::SpecialTokens;
pub(crate) use self::weights::{is_encoder, refuse_cross_encoder};
use crate::model::{cut, unit};
use crate::tokenizer::Tokenizer;
use crate::{MAX_TEXT_BYTES, ModelError, ModelFiles, Prompts};

/// A BERT encoder over the bytes of its safetensors file.
///
/// `B` is usually a memory map; the weights are used in place, and no copy is kept. The heap has the tokeniser and,
/// during [`embed`](Self::embed), the memory for the tokens of one text. For more than 64 tokens, up to 1 MB of this
/// memory has rows of weights, rounded to integers.
pub struct TextEncoder<B: AsRef<[u8]>> {
    network: Network<B>,
    tokenizer: Tokenizer,
    prompts: Option<Prompts>,
    special: SpecialTokens,
}

impl<B: AsRef<[u8]>> TextEncoder<B> {
    /// Checks the files of a model and builds its tokeniser.
    ///
    /// * `weights`: a safetensors file with the tensors of a BERT encoder under their usual names, F32.
    /// * `files`: config.json gives the network's shape; sentence_bert_config.json, if there is one, the number of
    ///   tokens that are read of a text; 1_Pooling/config.json, if there is one, must name the mean. prompts.json, else
    ///   config_sentence_transformers.json, gives the prompts before a query and a passage. A model with a tokeniser of
    ///   SentencePiece, or with "e5" in its name, must have one of them.
    ///
    /// # Errors
    /// If a file does not fit this description, if a size is out of bounds, or if tokeniser and weights do not fit.
    pub fn load(weights: B, files: &ModelFiles<'_>) -> Result<Self, ModelError> {
        refuse_cross_encoder(weights.as_ref())?;
        let settings = Settings::parse(files)?;
        let network = Network::parse(weights, settings, &weights::OF_EMBEDDERS, SpecialTokens::AROUND_TEXT)?;
        let (tokenizer, special) = special_tokens::tokenizer(files, network.weights.vocabulary)?;
        let prompts = Prompts::read(files, tokenizer.is_unigram())?;
        Ok(Self { network, tokenizer, prompts, special })
    }

    /// Numbers of a vector, from 1 to 1,024.
    pub fn dimensions(&self) -> usize {
        self.network.settings.width
    }

    /// The prompts that the model wants before a text; `None` if it wants none.
    pub fn prompts(&self) -> Option<&Prompts> {
        self.prompts.as_ref()
    }

    /// The embedding of a text that is stored, a passage: `dimensions()` numbers, of length 1.
    ///
    /// `None` when the text has no meaning to the model: it is empty, or it holds unknown tokens only. At most
    /// [`MAX_TEXT_BYTES`] of the text are cut into tokens, of which the model reads as many as it was made for. `pause`
    /// is called between and in the layers; it may unwind.
    ///
    /// # Errors
    /// If the tokeniser refuses the text, if the weights changed or are damaged, or if memory is short.
    pub fn embed(&self, text: &str, pause: &mut dyn FnMut()) -> Result<Option<Vec<f32>>, ModelError> {
        self.embed_after(self.prompts.as_ref().map_or("", |prompts| &prompts.passage), text, pause)
    }

    /// The vector of a query.
    ///
    /// # Errors
    /// As [`embed`](Self::embed).
    pub fn embed_query(&self, query: &str, pause: &mut dyn FnMut()) -> Result<Option<Vec<f32>>, ModelError> {
        self.embed_after(self.prompts.as_ref().map_or("", |prompts| &prompts.query), query, pause)
    }

    fn embed_after(&self, prompt: &str, text: &str, pause: &mut dyn FnMut()) -> Result<Option<Vec<f32>>, ModelError> {
        let text = cut(text, MAX_TEXT_BYTES);
        let most = self.network.settings.tokens - SpecialTokens::AROUND_TEXT;
        let mut ids = self.tokenizer.ids(text)?;
        ids.truncate(most);
        // A piece of SentencePiece may be a blank alone.
        if text.trim().is_empty() || ids.iter().all(|&id| Some(id) == self.tokenizer.unknown) {
            return Ok(None);
        }
        if !prompt.is_empty() {
            // Prompt and text are tokenised together: a piece may span both.
            ids = self.tokenizer.ids(&[prompt, text].concat())?;
            ids.truncate(most);
        }
        let tokens = self.special.around(&ids);
        let (width, count) = (self.dimensions(), tokens.len());
        let mut sum = buffer::zeros(width)?;
        self.network.vectors(&[tokens], Wanted::All, pause, &mut |_, vectors| {
            for token in 0..count {
                for (column, sum) in sum.iter_mut().enumerate() {
                    *sum += vectors[place_of(width, token, column)];
                }
            }
            Ok(())
        })?;
        unit(sum)
    }
}
