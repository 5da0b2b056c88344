//! The tokenizer of an encoder, and the special tokens around its texts.

use super::network::Token;
use crate::tokenizer::json::unusable;
use crate::tokenizer::{Tokenizer, vocabulary};
use crate::{ModelError, ModelFiles};

/// The tokens before and after a text, in BERT's tokenizers and in XLM-RoBERTa's.
const BERT: (&str, &str) = ("[CLS]", "[SEP]");
const ROBERTA: (&str, &str) = ("<s>", "</s>");

/// Ids of the tokens around a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpecialTokens {
    first: u32,
    last: u32,
    /// Whether a pair of texts has two tokens between its texts and no parts, as XLM-RoBERTa's.
    is_roberta: bool,
}

impl SpecialTokens {
    /// The number of special tokens around one text.
    pub(super) const AROUND_TEXT: usize = 2;

    /// The number of special tokens around the texts of a pair and between them.
    pub(super) fn around_pair(self) -> usize {
        if self.is_roberta { 4 } else { 3 }
    }

    /// The part of a pair that its second text is: the row of the table of parts that its tokens get.
    pub(super) fn second_part(self) -> usize {
        if self.is_roberta { 0 } else { 1 }
    }

    /// The tokens of one text.
    pub(super) fn around(self, text: &[u32]) -> Vec<Token> {
        let ids = [self.first].into_iter().chain(text.iter().copied()).chain([self.last]);
        ids.map(|id| Token { id, part: 0 }).collect()
    }

    /// The tokens of a pair: `[CLS] one [SEP] two [SEP]`, or `<s> one </s> </s> two </s>`.
    pub(super) fn around_both(self, one: &[u32], two: &[u32]) -> Vec<Token> {
        let part = self.second_part();
        let between = if self.is_roberta { Some(Token { id: self.last, part: 0 }) } else { None };
        let second = two.iter().copied().chain([self.last]).map(|id| Token { id, part });
        self.around(one).into_iter().chain(between).chain(second).collect()
    }
}

/// Reads the tokenizer of a model whose table of words has so many rows.
pub(super) fn tokenizer(files: &ModelFiles<'_>, rows: usize) -> Result<(Tokenizer, SpecialTokens), ModelError> {
    let tokenizer = match files.vocabulary {
        Some(vocabulary) if files.tokenizer.is_empty() => {
            Tokenizer::parse(&vocabulary::tokenizer_json(vocabulary, files.tokenizer_config)?)?
        }
        _ => Tokenizer::parse(files.tokenizer)?,
    };
    let tokens = tokenizer.size();
    // multilingual-e5-small has 35 rows more than its tokenizer has pieces.
    let fits = if tokenizer.is_unigram() { tokens <= rows } else { tokens == rows };
    if !fits {
        return Err(ModelError::TokenizerMismatch { tokens, rows });
    }
    let of = |(first, last): (&str, &str)| Some((tokenizer.id(first)?, tokenizer.id(last)?));
    let special = match (of(BERT), of(ROBERTA)) {
        (Some((first, last)), _) => SpecialTokens { first, last, is_roberta: false },
        (None, Some((first, last))) => SpecialTokens { first, last, is_roberta: true },
        (None, None) => {
            return Err(unusable(
                "it should have the tokens \"[CLS]\" and \"[SEP]\", or \"<s>\" and \"</s>\", which enclose a text",
            ));
        }
    };
    Ok((tokenizer, special))
}
