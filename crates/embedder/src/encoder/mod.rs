//! A BERT encoder with mean pooling, as sentence-transformers publishes them: all-MiniLM-L6-v2, multilingual E5 and
//! their like. XLM-RoBERTa is the same network, with other tokens and with positions that start later.
//!
//! Every token becomes a vector; in each layer it takes up what it needs of the others (attention) and is transformed
//! by itself (two products with GELU between); the mean over all tokens is the text's embedding. The terms are those of
//! "Attention Is All You Need" (arXiv 1706.03762) and BERT (arXiv 1810.04805).

mod buffer;
mod curves;
mod layer;
mod positions;
mod products;
mod settings;
mod weights;

use pulp::Arch;

use self::curves::AddAndNormalise;
use self::layer::Work;
use self::positions::Positions;
use self::settings::Settings;
pub(crate) use self::weights::is_encoder;
use self::weights::{Weights, numbers};
use crate::model::{cut, unit};
use crate::tokenizer::Tokenizer;
use crate::tokenizer::json::unusable;
use crate::{MAX_TEXT_BYTES, ModelError, ModelFiles, Prompts};

/// The tokens around a text, by BERT's tokenisers and by XLM-RoBERTa's.
const AROUND: [(&str, &str); 2] = [("[CLS]", "[SEP]"), ("<s>", "</s>")];
const AROUND_TEXT: usize = 2;

/// A BERT encoder over the bytes of its safetensors file.
///
/// `B` is usually a memory map; the weights are computed with where they lie, and never copied. On the heap is the
/// tokeniser, and during [`embed`](Self::embed) what the tokens of one text need.
pub struct TextEncoder<B: AsRef<[u8]>> {
    file: B,
    settings: Settings,
    weights: Weights,
    tokenizer: Tokenizer,
    prompts: Option<Prompts>,
    /// Ids of the tokens around a text.
    around: (u32, u32),
    /// The widest instructions of this processor.
    arch: Arch,
}

impl<B: AsRef<[u8]>> TextEncoder<B> {
    /// Checks the files of a model and builds its tokeniser.
    ///
    /// * `weights`: a safetensors file with the tensors of a BERT encoder under their usual names, F32.
    /// * `files`: config.json gives the network's shape; sentence_bert_config.json, if there is one, the number of
    ///   tokens that are read of a text; 1_Pooling/config.json, if there is one, must name the mean. prompts.json, else
    ///   config_sentence_transformers.json, gives what stands before a query and a passage. A model with a tokeniser of
    ///   SentencePiece, or with "e5" in its name, must have one of them.
    ///
    /// # Errors
    /// If a file is not what is described above, if a size is out of bounds, or if tokeniser and weights do not fit.
    pub fn load(weights: B, files: &ModelFiles<'_>) -> Result<Self, ModelError> {
        let file = weights;
        let mut settings = Settings::parse(files)?;
        let weights = Weights::parse(file.as_ref(), &settings)?;
        settings.tokens = settings.tokens.min(Positions::new(settings.padding).left(weights.positions_known));
        if settings.tokens <= AROUND_TEXT {
            return Err(ModelError::NoTokens { tokens: settings.tokens });
        }
        let tokenizer = Tokenizer::parse(files.tokenizer)?;
        let (tokens, rows) = (tokenizer.size(), weights.vocabulary);
        // multilingual-e5-small has 35 rows more than its tokeniser has pieces.
        let fits = if tokenizer.is_unigram() { tokens <= rows } else { tokens == rows };
        if !fits {
            return Err(ModelError::TokenizerMismatch { tokens, rows });
        }
        let around = AROUND.iter().find_map(|(first, last)| Some((tokenizer.id(first)?, tokenizer.id(last)?)));
        let around = around.ok_or_else(|| {
            unusable(
                "it should have the tokens \"[CLS]\" and \"[SEP]\", or \"<s>\" and \"</s>\", which stand around a text",
            )
        })?;
        let prompts = Prompts::read(files, tokenizer.is_unigram())?;
        Ok(Self { file, settings, weights, tokenizer, prompts, around, arch: Arch::new() })
    }

    /// Numbers of a vector, from 1 to 1,024.
    pub fn dimensions(&self) -> usize {
        self.settings.width
    }

    /// What the model wants before a text; `None` where it wants nothing.
    pub fn prompts(&self) -> Option<&Prompts> {
        self.prompts.as_ref()
    }

    /// The embedding of a text that is stored, a passage: `dimensions()` numbers, of length 1.
    ///
    /// `None` when the text has no meaning to the model: it is empty, or it holds unknown tokens only. At most
    /// [`MAX_TEXT_BYTES`] of the text are cut into tokens, and as many of these read as the model was made for.
    /// `pause` is called between layers; it may unwind.
    ///
    /// # Errors
    /// If the tokeniser refuses the text, if the weights changed or are damaged, or if memory is short.
    pub fn embed(&self, text: &str, pause: &mut dyn FnMut()) -> Result<Option<Vec<f32>>, ModelError> {
        self.embed_after(self.prompts.as_ref().map_or("", |prompts| &prompts.passage), text, pause)
    }

    /// The same for a query.
    ///
    /// # Errors
    /// As [`embed`](Self::embed).
    pub fn embed_query(&self, query: &str, pause: &mut dyn FnMut()) -> Result<Option<Vec<f32>>, ModelError> {
        self.embed_after(self.prompts.as_ref().map_or("", |prompts| &prompts.query), query, pause)
    }

    fn embed_after(&self, prompt: &str, text: &str, pause: &mut dyn FnMut()) -> Result<Option<Vec<f32>>, ModelError> {
        let text = cut(text, MAX_TEXT_BYTES);
        let most = self.settings.tokens - AROUND_TEXT;
        let mut ids = self.tokenizer.ids(text)?;
        ids.truncate(most);
        // A piece of SentencePiece may be a blank alone.
        if text.trim().is_empty() || ids.iter().all(|&id| Some(id) == self.tokenizer.unknown) {
            return Ok(None);
        }
        if !prompt.is_empty() {
            // Not the prompt's tokens and then the text's: a piece may span both.
            ids = self.tokenizer.ids(&[prompt, text].concat())?;
            ids.truncate(most);
        }
        ids.insert(0, self.around.0);
        ids.push(self.around.1);
        pause();

        let mut tokens = self.first_vectors(&ids)?;
        let mut work = Work::new(&self.settings, ids.len())?;
        for layer in &self.weights.layers {
            work.run(self.arch, self.file.as_ref(), layer, &mut tokens)?;
            pause();
        }
        let mut sum = buffer::zeros(self.settings.width)?;
        for token in tokens.chunks_exact(self.settings.width) {
            sum.iter_mut().zip(token).for_each(|(sum, number)| *sum += number);
        }
        unit(sum)
    }

    /// A vector for each token, of the word, its place and the part of a pair it is in.
    fn first_vectors(&self, ids: &[u32]) -> Result<Vec<f32>, ModelError> {
        let (file, weights, width) = (self.file.as_ref(), &self.weights, self.settings.width);
        let row = |table: &weights::Tensor, row: usize| {
            let start = table.start + row * width * size_of::<f32>();
            numbers(file, &(start..start + width * size_of::<f32>()))
        };
        let mut places = buffer::empty(ids.len() * width)?;
        let mut vectors = buffer::empty(ids.len() * width)?;
        let mut positions = Positions::new(self.settings.padding);
        for &id in ids {
            let place = positions.next(id);
            let id = id as usize;
            if id >= weights.vocabulary {
                let problem = format!("token number {id} has no row among {}", weights.vocabulary);
                return Err(ModelError::Tokenising { problem });
            }
            vectors.extend_from_slice(&row(&weights.words, id)?);
            places.extend_from_slice(&row(&weights.positions, place)?);
        }
        self.arch.dispatch(AddAndNormalise {
            sum: &mut vectors,
            residual: &places,
            bias: &row(&weights.parts, 0)?,
            factor: &numbers(file, &weights.norm.factor)?,
            norm_bias: &numbers(file, &weights.norm.bias)?,
            epsilon: self.settings.epsilon,
        });
        Ok(vectors)
    }
}
