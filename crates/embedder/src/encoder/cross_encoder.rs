//! A cross-encoder: one network reads a question and a passage together, and scores how well the passage answers.
//!
//! Attention connects each token of the passage with the tokens of the question, so the score contains more than the
//! distance of two vectors. Nothing can be computed before the question is known, so a cross-encoder only ranks a few
//! best passages again (monoBERT, arXiv 1901.04085).

use super::buffer::{empty, filled};
use super::head::Head;
use super::network::{Network, Token, Wanted};
use super::settings::Settings;
use super::special_tokens::{self, SpecialTokens};
use super::truncation::longest_first;
use crate::model::cut;
use crate::tokenizer::Tokenizer;
use crate::{MAX_TEXT_BYTES, ModelError, ModelFiles};

/// A cross-encoder over the bytes of its safetensors file: `BertForSequenceClassification` or
/// `XLMRobertaForSequenceClassification` with one label, as cross-encoder/ms-marco-MiniLM-L6-v2.
///
/// `B` is usually a memory map; the weights are used in place, and no copy is kept. The heap has the tokeniser and,
/// during [`score`](Self::score), the memory for the tokens of one pair. For more than 64 tokens, up to 1 MB of this
/// memory has rows of weights, rounded to integers. During [`scores`](Self::scores) it has up to 16 MB with vectors of
/// several pairs, and with AMX the rounded weights of a layer: two bytes for each.
pub struct CrossEncoder<B: AsRef<[u8]>> {
    network: Network<B>,
    head: Head,
    tokenizer: Tokenizer,
    special: SpecialTokens,
}

/// A question, cut into the tokens of the cross-encoder that read it.
#[derive(Debug, Clone)]
pub struct Question {
    ids: Vec<u32>,
}

/// The strength with which a passage answers a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The number that the network gives; finite.
    pub logit: f32,
}

impl Score {
    /// The logit as a number from 0 to 1: 1 / (1 + e^-logit).
    pub fn sigmoid(self) -> f32 {
        // f64, so that scores of good passages differ whenever the f32 logits differ.
        (1.0 / (1.0 + (-f64::from(self.logit)).exp())) as f32
    }
}

impl<B: AsRef<[u8]>> CrossEncoder<B> {
    /// Checks the files of a model and builds its tokeniser.
    ///
    /// * `weights`: a safetensors file with the tensors of the network and its head under their usual names, F32.
    /// * `files`: config.json gives the network's shape; `model_max_length` of tokenizer_config.json, if there is one,
    ///   the number of tokens that are read of a pair. A cross-encoder has no prompts and no pooling.
    ///
    /// # Errors
    /// If a file does not fit this description, if a size is out of bounds, if the head has not one label, or if
    /// tokeniser and weights do not fit.
    pub fn load(weights: B, files: &ModelFiles<'_>) -> Result<Self, ModelError> {
        let settings = Settings::of_cross_encoder(files)?;
        let head = Head::parse(weights.as_ref(), &settings)?;
        let prefix = if settings.padding.is_some() { "roberta." } else { "bert." };
        let around = if settings.padding.is_some() { 4 } else { 3 };
        let network = Network::parse(weights, settings, &[prefix], around)?;
        let (tokenizer, special) = special_tokens::tokenizer(files, network.weights.vocabulary)?;
        if special.second_part() >= network.weights.parts_known {
            return Err(ModelError::OnePart { found: network.weights.parts_known });
        }
        if network.settings.tokens <= special.around_pair() {
            return Err(ModelError::NoTokens { tokens: network.settings.tokens });
        }
        Ok(Self { network, head, tokenizer, special })
    }

    /// Cuts a question into tokens, once for all passages. At most [`MAX_TEXT_BYTES`] of it are read.
    ///
    /// # Errors
    /// If the tokeniser refuses the text.
    pub fn question(&self, text: &str) -> Result<Question, ModelError> {
        Ok(Question { ids: self.ids(text)? })
    }

    /// The score of a passage for a question that [`question`](Self::question) of the same model made.
    ///
    /// At most [`MAX_TEXT_BYTES`] of the passage are cut into tokens. If the pair has more tokens than the model was
    /// made for, the end of the longer text is not read or, if both are longer than half, the ends of both:
    /// `longest_first`, as sentence-transformers' `CrossEncoder` does. An empty text is scored like any other. `pause`
    /// is called between and in the layers, every few hundredths of a second; it may unwind.
    ///
    /// # Errors
    /// If the tokeniser refuses the text, if the weights changed or are damaged, or if memory is short.
    pub fn score(&self, question: &Question, passage: &str, pause: &mut dyn FnMut()) -> Result<Score, ModelError> {
        let mut scores = self.scores(question, &[passage], pause)?;
        scores.pop().ok_or(ModelError::NotFinite)
    }

    /// The score of each passage, as [`score`](Self::score) gives it to the last digit, in less time: weights are read
    /// once for many passages.
    ///
    /// # Errors
    /// As [`score`](Self::score), for all passages if one has no score.
    pub fn scores<P: AsRef<str>>(
        &self,
        question: &Question,
        passages: &[P],
        pause: &mut dyn FnMut(),
    ) -> Result<Vec<Score>, ModelError> {
        let mut pairs = empty(passages.len())?;
        for passage in passages {
            pairs.push(self.pair(question, passage.as_ref())?);
        }
        let mut scores = filled(passages.len(), Score { logit: f32::NAN })?;
        self.network.vectors(&pairs, Wanted::First, pause, &mut |number, first| {
            scores[number].logit = self.head.logit(self.network.arch, self.network.file.as_ref(), first)?;
            Ok(())
        })?;
        Ok(scores)
    }

    /// The tokens of a question and a passage.
    fn pair(&self, question: &Question, passage: &str) -> Result<Vec<Token>, ModelError> {
        let passage = self.ids(passage)?;
        let most = self.network.settings.tokens - self.special.around_pair();
        let (of_question, of_passage) = longest_first(question.ids.len(), passage.len(), most);
        Ok(self.special.around_both(&question.ids[..of_question], &passage[..of_passage]))
    }

    fn ids(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        self.tokenizer.ids(cut(text, MAX_TEXT_BYTES))
    }
}
