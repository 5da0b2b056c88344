//! The model of a tokeniser, from pieces of text to ids: the library's, or our own for Unigram.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tokenizers::models::unigram::UnigramTrainer;
use tokenizers::models::{ModelWrapper, TrainerWrapper};
use tokenizers::{Model, Result, Token};

use crate::tokenizer::unigram::Unigram;

pub(super) enum TokenModel {
    Library(ModelWrapper),
    Unigram(Unigram),
}

impl Model for TokenModel {
    type Trainer = TrainerWrapper;

    fn tokenize(&self, text: &str) -> Result<Vec<Token>> {
        match self {
            Self::Library(model) => model.tokenize(text),
            Self::Unigram(model) => {
                let tokens = model.tokens(text).ok_or("a character is unknown, and there is no \"unk_id\"")?;
                let mut start = 0;
                let token = |(id, bytes): (u32, usize)| {
                    let offsets = (start, start + bytes);
                    start += bytes;
                    // Only ids are read of it.
                    Token::new(id, String::new(), offsets)
                };
                Ok(tokens.into_iter().map(token).collect())
            }
        }
    }

    fn token_to_id(&self, token: &str) -> Option<u32> {
        match self {
            Self::Library(model) => model.token_to_id(token),
            Self::Unigram(model) => model.pieces.id(token),
        }
    }

    fn id_to_token(&self, id: u32) -> Option<String> {
        match self {
            Self::Library(model) => model.id_to_token(id),
            Self::Unigram(model) => model.pieces.piece(id).map(str::to_owned),
        }
    }

    fn get_vocab(&self) -> HashMap<String, u32> {
        match self {
            Self::Library(model) => model.get_vocab(),
            Self::Unigram(model) => {
                let ids = 0..u32::try_from(model.pieces.len()).unwrap_or(u32::MAX);
                ids.filter_map(|id| Some((model.pieces.piece(id)?.to_owned(), id))).collect()
            }
        }
    }

    fn get_vocab_size(&self) -> usize {
        match self {
            Self::Library(model) => model.get_vocab_size(),
            Self::Unigram(model) => model.pieces.len(),
        }
    }

    // The following functions belong to training, which nothing here does.

    fn save(&self, folder: &Path, prefix: Option<&str>) -> Result<Vec<PathBuf>> {
        match self {
            Self::Library(model) => model.save(folder, prefix),
            Self::Unigram(_) => Err("a model that was read is not written".into()),
        }
    }

    fn get_trainer(&self) -> TrainerWrapper {
        match self {
            Self::Library(model) => model.get_trainer(),
            Self::Unigram(_) => UnigramTrainer::default().into(),
        }
    }
}
