//! A BERT encoder of a few numbers, and its computation as the papers define it, in double precision.

// Each test file uses its own part of this module.
#![allow(dead_code)]

use std::collections::BTreeMap;

use memory_search_embedder::{EmbeddingModel, ModelFiles};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, serialize};
use serde_json::{Value, json};

pub const WIDTH: usize = 12;
pub const INNER: usize = 20;
pub const HEADS: usize = 3;
pub const LAYERS: usize = 2;
pub const POSITIONS: usize = 9;

pub const VOCABULARY: [&str; 10] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "red", "blue", "!"];

/// Tensors by name: shape and numbers.
pub type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// Pseudo-random numbers between -1 and 1, always the same.
pub fn tensors() -> Tensors {
    let mut state = 7_u64;
    let mut number = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut tensors = Tensors::new();
    let mut add = |name: String, shape: &[usize]| {
        let numbers = (0..shape.iter().product()).map(|_| number()).collect();
        tensors.insert(name, (shape.to_vec(), numbers));
    };
    add("embeddings.word_embeddings.weight".into(), &[VOCABULARY.len(), WIDTH]);
    add("embeddings.position_embeddings.weight".into(), &[POSITIONS, WIDTH]);
    add("embeddings.token_type_embeddings.weight".into(), &[2, WIDTH]);
    let mut blocks = vec![("embeddings.LayerNorm".to_owned(), vec![WIDTH])];
    for layer in 0..LAYERS {
        for (part, shape) in [
            ("attention.self.query", vec![WIDTH, WIDTH]),
            ("attention.self.key", vec![WIDTH, WIDTH]),
            ("attention.self.value", vec![WIDTH, WIDTH]),
            ("attention.output.dense", vec![WIDTH, WIDTH]),
            ("attention.output.LayerNorm", vec![WIDTH]),
            ("intermediate.dense", vec![INNER, WIDTH]),
            ("output.dense", vec![WIDTH, INNER]),
            ("output.LayerNorm", vec![WIDTH]),
        ] {
            blocks.push((format!("encoder.layer.{layer}.{part}"), shape));
        }
    }
    for (name, shape) in blocks {
        add(format!("{name}.weight"), &shape);
        add(format!("{name}.bias"), &shape[..1]);
    }
    tensors
}

pub fn file(tensors: &Tensors) -> Vec<u8> {
    let bytes: Vec<(&String, &Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, (shape, numbers))| (name, shape, numbers.iter().flat_map(|number| number.to_le_bytes()).collect()))
        .collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| (name.as_str(), TensorView::new(Dtype::F32, shape.to_vec(), bytes).unwrap()));
    serialize(views, None).unwrap()
}

pub fn tokenizer() -> Vec<u8> {
    let vocab: serde_json::Map<String, Value> =
        VOCABULARY.iter().enumerate().map(|(id, word)| ((*word).to_owned(), json!(id))).collect();
    let special = |id: usize| {
        json!({"id": id, "content": VOCABULARY[id], "single_word": false, "lstrip": false, "rstrip": false,
               "normalized": false, "special": true})
    };
    json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [special(0), special(1), special(2), special(3)],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocab}
    })
    .to_string()
    .into_bytes()
}

pub fn config() -> Value {
    json!({"model_type": "bert", "hidden_act": "gelu", "hidden_size": WIDTH, "num_attention_heads": HEADS,
           "num_hidden_layers": LAYERS, "intermediate_size": INNER, "layer_norm_eps": 1e-12})
}

pub fn load<B: AsRef<[u8]>>(weights: B, tokenizer: &[u8], config: &Value) -> Result<EmbeddingModel<B>, String> {
    let config = config.to_string();
    let files = ModelFiles { tokenizer, config: Some(config.as_bytes()), ..ModelFiles::default() };
    EmbeddingModel::load(weights, &files).map_err(|error| error.to_string())
}

pub fn encoder() -> EmbeddingModel<Vec<u8>> {
    load(file(&tensors()), &tokenizer(), &config()).unwrap()
}

/// The unit vector of these token ids, by the definition.
pub fn by_definition(tensors: &Tensors, ids: &[usize]) -> Vec<f64> {
    let tensor = |name: &str| -> Vec<f64> { tensors[name].1.iter().map(|&number| number.into()).collect() };
    let linear = |name: &str, vector: &[f64]| -> Vec<f64> {
        let (matrix, bias) = (tensor(&format!("{name}.weight")), tensor(&format!("{name}.bias")));
        let rows = matrix.chunks(vector.len()).zip(bias);
        rows.map(|(row, bias)| dot(row, vector) + bias).collect()
    };
    let norm = |name: &str, vector: Vec<f64>| -> Vec<f64> {
        let (factor, bias) = (tensor(&format!("{name}.weight")), tensor(&format!("{name}.bias")));
        let mean = vector.iter().sum::<f64>() / WIDTH as f64;
        let variance = vector.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / WIDTH as f64;
        (0..WIDTH).map(|at| (vector[at] - mean) / (variance + 1e-12).sqrt() * factor[at] + bias[at]).collect()
    };
    let plus = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
    let row = |name: &str, row: usize| tensor(name)[row * WIDTH..][..WIDTH].to_vec();

    let mut tokens: Vec<Vec<f64>> = (0..ids.len())
        .map(|at| {
            let word = row("embeddings.word_embeddings.weight", ids[at]);
            let place = plus(&word, &row("embeddings.position_embeddings.weight", at));
            norm("embeddings.LayerNorm", plus(&place, &row("embeddings.token_type_embeddings.weight", 0)))
        })
        .collect();
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let of_all = |part: &str| -> Vec<Vec<f64>> { tokens.iter().map(|x| linear(&name(part), x)).collect() };
        let queries = of_all("attention.self.query");
        let (keys, values) = (of_all("attention.self.key"), of_all("attention.self.value"));
        let each = WIDTH / HEADS;
        let mixed = |token: usize| -> Vec<f64> {
            let column = |at: usize| {
                let head = at / each * each..(at / each + 1) * each;
                let fits = keys.iter().map(|key| dot(&queries[token][head.clone()], &key[head.clone()]));
                let shares: Vec<f64> = fits.map(|fit| (fit / (each as f64).sqrt()).exp()).collect();
                let weighted: f64 = shares.iter().zip(&values).map(|(share, value)| share * value[at]).sum();
                weighted / shares.iter().sum::<f64>()
            };
            (0..WIDTH).map(column).collect()
        };
        let next = (0..tokens.len()).map(|token| {
            let attended = linear(&name("attention.output.dense"), &mixed(token));
            let attended = norm(&name("attention.output.LayerNorm"), plus(&attended, &tokens[token]));
            let inner = linear(&name("intermediate.dense"), &attended).into_iter().map(gelu).collect::<Vec<_>>();
            norm(&name("output.LayerNorm"), plus(&linear(&name("output.dense"), &inner), &attended))
        });
        tokens = next.collect();
    }
    let sum: Vec<f64> = (0..WIDTH).map(|at| tokens.iter().map(|token| token[at]).sum()).collect();
    let length = dot(&sum, &sum).sqrt();
    sum.into_iter().map(|x| x / length).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn gelu(x: f64) -> f64 {
    let z = x / std::f64::consts::SQRT_2;
    let (mut term, mut sum) = (z, z);
    for n in 1..300 {
        term *= -z * z / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    x * (1.0 + sum * std::f64::consts::FRAC_2_SQRT_PI) / 2.0
}
