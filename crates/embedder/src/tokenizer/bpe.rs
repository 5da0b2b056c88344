//! Byte-pair-encoding models of tokenizer.json, read without the detour through
//! a tree of JSON values and without a cache.
//!
//! The library's own reader builds such a tree first, which costs several
//! megabytes of private memory for a vocabulary of 32,000; and its cache keeps
//! up to 10,000 texts of up to 255 bytes at 32 bytes of memory per byte of text,
//! which is tens of megabytes in every connection and outlives the model.

use serde_json::value::RawValue;
use tokenizers::models::bpe::{BPE, BpeBuilder, Merges, Vocab};

use crate::ModelError;
use crate::tokenizer::json::{Fields, field, unusable};

/// Builds the model from the fields of tokenizer.json's `model`.
///
/// `dropout` (random merges, a training aid) is left out: the same text must
/// always embed to the same vector.
pub(crate) fn read(model: &Fields<'_>) -> Result<BPE, ModelError> {
    let vocab: Vocab = field(model, "vocab")?.ok_or_else(|| unusable("\"model\" has no \"vocab\""))?;
    let prefix: Option<String> = field(model, "continuing_subword_prefix")?;
    let raw: Vec<&RawValue> = field(model, "merges")?.ok_or_else(|| unusable("\"model\" has no \"merges\""))?;
    let mut merges = Merges::with_capacity(raw.len());
    let mut merged = String::new();
    for raw in raw {
        let (left, right) = pair(raw)?;
        // The library indexes its buffers by the lengths of these three tokens,
        // trusting that they are consistent.
        let rest = right.strip_prefix(prefix.as_deref().unwrap_or(""));
        merged.clear();
        merged.push_str(&left);
        merged.push_str(rest.unwrap_or(""));
        let known = |token: &str| vocab.contains_key(token);
        if rest.is_none() || !known(&left) || !known(&right) || !known(&merged) {
            return Err(unusable(format!("the merge {} has a part or a result that is not in \"vocab\"", raw.get())));
        }
        merges.push((left, right));
    }
    let mut builder = BpeBuilder::new()
        .vocab_and_merges(vocab, merges)
        .cache_capacity(0)
        .fuse_unk(field(model, "fuse_unk")?.unwrap_or(false))
        .byte_fallback(field(model, "byte_fallback")?.unwrap_or(false))
        .ignore_merges(field(model, "ignore_merges")?.unwrap_or(false));
    if let Some(token) = field(model, "unk_token")? {
        builder = builder.unk_token(token);
    }
    if let Some(prefix) = prefix {
        builder = builder.continuing_subword_prefix(prefix);
    }
    if let Some(suffix) = field(model, "end_of_word_suffix")? {
        builder = builder.end_of_word_suffix(suffix);
    }
    builder.build().map_err(unusable)
}

/// A merge is `"a b"` in older files and `["a", "b"]` in newer ones.
fn pair(raw: &RawValue) -> Result<(String, String), ModelError> {
    if raw.get().starts_with('[') {
        return serde_json::from_str(raw.get()).map_err(unusable);
    }
    let merge: String = serde_json::from_str(raw.get()).map_err(unusable)?;
    match merge.split_once(' ') {
        Some((left, right)) if !right.contains(' ') => Ok((left.to_owned(), right.to_owned())),
        _ => Err(unusable(format!("the merge {} should be two tokens", raw.get()))),
    }
}
