//! BERT's vocab.txt, one token a line, as the tokenizer.json that Hugging Face's library makes of it.

use std::str::from_utf8;

use serde_json::{Map, Value, json};

use super::json::unusable;
use crate::ModelError;

/// Tokens that are never split, at any place of a text.
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// `tokenizer_config`: the bytes of tokenizer_config.json, if there is one, for `do_lower_case`, `strip_accents` and
/// `tokenize_chinese_chars`.
pub(crate) fn tokenizer_json(vocabulary: &[u8], tokenizer_config: Option<&[u8]>) -> Result<Vec<u8>, ModelError> {
    let text = from_utf8(vocabulary).map_err(|error| unusable(format!("vocab.txt: {error}")))?;
    let ids: Map<String, Value> = text.lines().enumerate().map(|(id, token)| (token.to_owned(), json!(id))).collect();
    let config: Map<String, Value> = match tokenizer_config {
        Some(json) => serde_json::from_slice(json)
            .map_err(|error| unusable(format!("tokenizer_config.json beside vocab.txt: {error}")))?,
        None => Map::new(),
    };
    let said = |key: &str, otherwise: Value| config.get(key).cloned().unwrap_or(otherwise);
    let special = |token: &&str| {
        Some(json!({"id": ids.get(*token)?, "content": token, "single_word": false, "lstrip": false, "rstrip": false,
                    "normalized": false, "special": true}))
    };
    let tokenizer = json!({
        "added_tokens": SPECIAL.iter().filter_map(special).collect::<Vec<_>>(),
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true,
            "handle_chinese_chars": said("tokenize_chinese_chars", Value::Bool(true)),
            "strip_accents": said("strip_accents", Value::Null), "lowercase": said("do_lower_case", Value::Bool(true))
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": ids}
    });
    Ok(tokenizer.to_string().into_bytes())
}
