//! tokenizer.json to a tokeniser that turns one text into token ids.
//!
//! Only what changes token ids is built: normaliser, pre-tokeniser, model, added
//! tokens. Special tokens, truncation and padding are never wanted here, so
//! `post_processor`, `truncation`, `padding` and `decoder` are left unread. One
//! text at a time is encoded: the library's batch calls start threads, which
//! must not exist in a database backend.

mod bpe;
mod charsmap;
pub(crate) mod json;
mod pieces;
mod token_model;
mod unigram;
pub(crate) mod vocabulary;

use tokenizers::models::ModelWrapper;
use tokenizers::{
    AddedToken, DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl,
};

use self::json::{Fields, field, unusable};
use self::token_model::TokenModel;
use self::unigram::Unigram;
use crate::ModelError;

type Pipeline = TokenizerImpl<TokenModel, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// A tokeniser and the id of its unknown token.
pub(crate) struct Tokenizer {
    inner: Pipeline,
    /// The id for text that the vocabulary does not contain.
    pub(crate) unknown: Option<u32>,
}

impl Tokenizer {
    /// `json`: the bytes of a Hugging Face tokenizer.json.
    pub(crate) fn parse(json: &[u8]) -> Result<Self, ModelError> {
        let file: Fields<'_> = serde_json::from_slice(json).map_err(unusable)?;
        let raw = *file
            .get("model")
            .ok_or_else(|| unusable("it has no \"model\"; a tokenizer_config.json or vocab.json is not enough"))?;
        let fields: Fields<'_> = serde_json::from_str(raw.get()).map_err(unusable)?;
        let kind: Option<String> = field(&fields, "type")?;
        let model = match kind.as_deref() {
            Some("BPE") => TokenModel::Library(ModelWrapper::BPE(bpe::read(&fields)?)),
            // Old files do not name the type; only BPE has merges.
            None if fields.contains_key("merges") => TokenModel::Library(ModelWrapper::BPE(bpe::read(&fields)?)),
            Some("Unigram") => TokenModel::Unigram(Unigram::read(&fields)?),
            // Only Unigram has a list of pieces among the other types.
            None if fields.get("vocab").is_some_and(|vocab| vocab.get().starts_with('[')) => {
                TokenModel::Unigram(Unigram::read(&fields)?)
            }
            None | Some("WordPiece" | "WordLevel") => {
                let mut model: ModelWrapper = serde_json::from_str(raw.get()).map_err(unusable)?;
                model.resize_cache(0);
                TokenModel::Library(model)
            }
            Some(kind) => {
                return Err(unusable(format!(
                    "its model is of type {kind:?}; supported are \"BPE\", \"WordPiece\", \
                     \"WordLevel\" and \"Unigram\""
                )));
            }
        };
        let mut inner = Pipeline::new(model);
        for part in ["normalizer", "pre_tokenizer"] {
            if let Some(part) = file.get(part) {
                charsmap::check_all(part)?;
            }
        }
        inner.with_normalizer(field::<NormalizerWrapper>(&file, "normalizer")?).map_err(unusable)?;
        inner.with_pre_tokenizer(field::<PreTokenizerWrapper>(&file, "pre_tokenizer")?);
        let added: Vec<AddedToken> = field(&file, "added_tokens")?.unwrap_or_default();
        inner.add_tokens(added).map_err(unusable)?;
        let unknown = match inner.get_model() {
            TokenModel::Library(ModelWrapper::BPE(model)) => model.unk_token.as_deref(),
            TokenModel::Library(ModelWrapper::WordPiece(model)) => Some(model.unk_token.as_str()),
            TokenModel::Library(ModelWrapper::WordLevel(model)) => Some(model.unk_token.as_str()),
            TokenModel::Library(ModelWrapper::Unigram(_)) | TokenModel::Unigram(_) => None,
        };
        let unknown = match unknown {
            Some(token) => inner.token_to_id(token),
            None => field(&fields, "unk_id")?,
        };
        Ok(Self { inner, unknown })
    }

    /// Number of tokens, added ones included.
    pub(crate) fn size(&self) -> usize {
        self.inner.get_vocab_size(true)
    }

    /// Whether the tokens are pieces of SentencePiece.
    pub(crate) fn is_unigram(&self) -> bool {
        matches!(self.inner.get_model(), TokenModel::Unigram(_))
    }

    /// Median length of the tokens in characters, rounded down; model2vec's
    /// guess of how much text `max_length` tokens can be.
    pub(crate) fn median_length(&self) -> usize {
        let ids = (0..self.size()).filter_map(|id| u32::try_from(id).ok());
        let mut lengths: Vec<usize> =
            ids.filter_map(|id| self.inner.id_to_token(id)).map(|token| token.chars().count()).collect();
        lengths.sort_unstable();
        let middle = |index: usize| lengths.get(index).copied().unwrap_or(0);
        let half = lengths.len() / 2;
        match lengths.len() % 2 {
            1 => middle(half),
            _ => (middle(half.saturating_sub(1)) + middle(half)) / 2,
        }
    }

    /// The id of a token, an added one too.
    pub(crate) fn id(&self, token: &str) -> Option<u32> {
        self.inner.token_to_id(token)
    }

    /// The token ids of a text, without special tokens.
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        match self.inner.encode_fast(text, false) {
            Ok(encoding) => Ok(encoding.get_ids().to_vec()),
            Err(e) => Err(ModelError::Tokenising { problem: e.to_string() }),
        }
    }
}
