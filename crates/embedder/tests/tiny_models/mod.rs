//! Models of a few words, written out in the tests' own terms.

// Each test file uses its own part of this module.
#![allow(dead_code)]

use half::f16;
use memory_search_embedder::{ModelError, StaticModel};
use proptest::test_runner::Config as ProptestConfig;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, serialize};
use serde_json::{Value, json};

/// proptest's defaults, without files of past failures next to the sources.
pub fn no_files() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// A tensor by name, with element type, shape and little-endian bytes.
pub type Tensor = (&'static str, Dtype, Vec<usize>, Vec<u8>);

pub fn f32_tensor(name: &'static str, shape: &[usize], numbers: &[f32]) -> Tensor {
    let bytes = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    (name, Dtype::F32, shape.to_vec(), bytes)
}

pub fn f16_tensor(name: &'static str, shape: &[usize], numbers: &[f32]) -> Tensor {
    let halves = numbers.iter().map(|&n| f16::from_f32(n));
    let bytes = halves.flat_map(f16::to_le_bytes).collect();
    (name, Dtype::F16, shape.to_vec(), bytes)
}

pub fn i64_tensor(name: &'static str, numbers: &[i64]) -> Tensor {
    let bytes = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    (name, Dtype::I64, vec![numbers.len()], bytes)
}

pub fn safetensors(tensors: &[Tensor]) -> Vec<u8> {
    let views = tensors
        .iter()
        .map(|(name, dtype, shape, bytes)| (*name, TensorView::new(*dtype, shape.clone(), bytes).unwrap()));
    serialize(views, None).unwrap()
}

/// Whole words split at white space; ids in the order of `words`.
pub fn word_level(words: &[&str]) -> Vec<u8> {
    let vocab: serde_json::Map<String, Value> =
        words.iter().enumerate().map(|(id, word)| ((*word).to_owned(), json!(id))).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"}
    })
    .to_string()
    .into_bytes()
}

/// Llama's kind of tokeniser: "▁" for a space, merges over the whole text.
/// Ids: 0 `<unk>`, 1 `<s>`, 2 ▁, 3 a, 4 b, 5 ▁a, 6 ▁ab.
pub fn llama_like() -> Value {
    json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [{
            "id": 1, "content": "<s>", "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false, "special": true
        }],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
        ]},
        "pre_tokenizer": null,
        "post_processor": {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                       {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}},
                     {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
        "decoder": null,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": "<unk>",
            "continuing_subword_prefix": null, "end_of_word_suffix": null,
            "fuse_unk": true, "byte_fallback": true, "ignore_merges": false,
            "vocab": {"<unk>": 0, "<s>": 1, "▁": 2, "a": 3, "b": 4, "▁a": 5, "▁ab": 6},
            "merges": ["▁ a", "▁a b"]
        }
    })
}

/// Seven rows of two dimensions for [`llama_like`].
pub const LLAMA_ROWS: [f32; 14] = [
    0.0, -1.0, // <unk>
    9.0, 9.0, // <s>
    0.0, 0.5, // ▁
    1.0, 0.0, // a
    0.0, 1.0, // b
    2.0, 1.0, // ▁a
    -3.0, 4.0, // ▁ab
];

pub fn wordllama() -> StaticModel<Vec<u8>> {
    let file = safetensors(&[f16_tensor("embedding.weight", &[7, 2], &LLAMA_ROWS)]);
    StaticModel::load(file, &to_bytes(&llama_like()), None).unwrap()
}

/// Words [UNK], red, green, blue; 3 rows of 2 dimensions and a zero row.
pub fn model2vec() -> StaticModel<Vec<u8>> {
    let rows = [7.0, 7.0, 3.0, 0.0, 0.0, 4.0, 0.0, 0.0];
    let file = safetensors(&[f32_tensor("embeddings", &[4, 2], &rows)]);
    StaticModel::load(file, &colours(), None).unwrap()
}

pub fn colours() -> Vec<u8> {
    word_level(&["[UNK]", "red", "green", "blue"])
}

pub fn to_bytes(json: &Value) -> Vec<u8> {
    json.to_string().into_bytes()
}

/// The message of a model that must not load.
pub fn refusal(matrix: &[u8], tokenizer: &[u8], config: Option<&[u8]>) -> String {
    error(matrix, tokenizer, config).to_string()
}

pub fn error(matrix: &[u8], tokenizer: &[u8], config: Option<&[u8]>) -> ModelError {
    match StaticModel::load(matrix, tokenizer, config) {
        Ok(_) => panic!("the model loads"),
        Err(error) => error,
    }
}

/// Compares with the vector that has this direction.
pub fn assert_direction(model: &StaticModel<Vec<u8>>, text: &str, direction: &[f32]) {
    let vector = model.embed(text).unwrap().expect("a vector");
    let norm = direction.iter().map(|x| x * x).sum::<f32>().sqrt();
    assert_eq!(vector.len(), direction.len());
    for (got, wanted) in vector.iter().zip(direction) {
        assert!((got - wanted / norm).abs() < 1e-6, "{text:?}: {vector:?} instead of the direction {direction:?}");
    }
}
