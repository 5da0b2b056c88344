//! Prints how long a cross-encoder takes for 20 passages of 100 tokens.
//!
//! `cargo run --release -p memory-search-embedder --example rerank_speed -- [FOLDER]`
//!
//! Times are processor times from Linux, not clock times, of the fastest round, so that concurrent work counts little.
//! Without a folder the weights are random, of the shape of cross-encoder/ms-marco-MiniLM-L6-v2: 22.7 million numbers. The time does not
//! depend on the values of the weights.

use std::error::Error;
use std::fs;
use std::path::Path;

use memory_search_embedder::{CrossEncoder, ModelFiles};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, serialize};
use serde_json::{Map, Value, json};

const PASSAGES: usize = 20;
const WORDS_OF_PASSAGE: usize = 100;
const QUESTION: &str = "when does the last train to the harbour leave on sunday";
const ROUNDS: usize = 20;

const VOCABULARY: usize = 30_522;
const WIDTH: usize = 384;
const INNER: usize = 1_536;
const LAYERS: usize = 6;
const POSITIONS: usize = 512;
const HEADS: usize = 12;

/// The files of a model.
struct Folder {
    weights: Vec<u8>,
    tokenizer: Vec<u8>,
    config: Vec<u8>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = match std::env::args().nth(1) {
        Some(folder) => read(Path::new(&folder))?,
        None => random()?,
    };
    let files = ModelFiles { tokenizer: &folder.tokenizer, config: Some(&folder.config), ..ModelFiles::default() };
    let start = millis()?;
    let model = CrossEncoder::load(folder.weights, &files)?;
    println!("load {:.0} ms", millis()? - start);

    // Words that every vocabulary has: one token each.
    let words = ["the", "house", "and", "water", "is", "on", "a", "day", "of", "time"];
    let passage = |at: usize| -> String {
        (0..WORDS_OF_PASSAGE).map(|word| words[(word * 7 + at * 3) % words.len()]).collect::<Vec<_>>().join(" ")
    };
    let passages: Vec<String> = (0..PASSAGES).map(passage).collect();
    let question = model.question(QUESTION)?;
    let (mut together, mut apart, mut longest_pause) = (f64::INFINITY, f64::INFINITY, 0.0_f64);
    for _ in 0..ROUNDS {
        let start = millis()?;
        model.scores(&question, &passages, &mut || ())?;
        together = together.min(millis()? - start);
        let start = millis()?;
        for passage in &passages {
            model.score(&question, passage, &mut || ())?;
        }
        apart = apart.min(millis()? - start);
    }
    let mut last = millis()?;
    model.scores(&question, &passages, &mut || {
        let now = millis().unwrap_or(last);
        longest_pause = longest_pause.max(now - last);
        last = now;
    })?;
    println!("{PASSAGES} passages of {WORDS_OF_PASSAGE} words: {together:.1} ms, the least of {ROUNDS} rounds");
    println!("one after the other: {apart:.1} ms");
    println!("the longest time between two pauses: {longest_pause:.1} ms");
    Ok(())
}

fn read(folder: &Path) -> Result<Folder, Box<dyn Error>> {
    let read = |name: &str| fs::read(folder.join(name));
    Ok(Folder { weights: read("model.safetensors")?, tokenizer: read("tokenizer.json")?, config: read("config.json")? })
}

/// A model of the shape of ms-marco-MiniLM-L6-v2.
fn random() -> Result<Folder, Box<dyn Error>> {
    let mut state = 1_u64;
    let mut tensor = move |shape: &[usize]| -> Vec<u8> {
        let number = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (((state >> 40) as f32 / (1 << 24) as f32 - 0.5) * 0.1).to_le_bytes()
        };
        (0..shape.iter().product::<usize>()).flat_map(number).collect()
    };
    let mut shapes = vec![
        ("bert.embeddings.word_embeddings.weight".to_owned(), vec![VOCABULARY, WIDTH]),
        ("bert.embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, WIDTH]),
        ("bert.embeddings.token_type_embeddings.weight".to_owned(), vec![2, WIDTH]),
    ];
    let mut block = |name: String, shape: &[usize]| {
        shapes.push((format!("{name}.weight"), shape.to_vec()));
        shapes.push((format!("{name}.bias"), shape[..1].to_vec()));
    };
    block("bert.embeddings.LayerNorm".to_owned(), &[WIDTH]);
    for layer in 0..LAYERS {
        for (part, shape) in [
            ("attention.self.query", &[WIDTH, WIDTH][..]),
            ("attention.self.key", &[WIDTH, WIDTH]),
            ("attention.self.value", &[WIDTH, WIDTH]),
            ("attention.output.dense", &[WIDTH, WIDTH]),
            ("attention.output.LayerNorm", &[WIDTH]),
            ("intermediate.dense", &[INNER, WIDTH]),
            ("output.dense", &[WIDTH, INNER]),
            ("output.LayerNorm", &[WIDTH]),
        ] {
            block(format!("bert.encoder.layer.{layer}.{part}"), shape);
        }
    }
    block("bert.pooler.dense".to_owned(), &[WIDTH, WIDTH]);
    block("classifier".to_owned(), &[1, WIDTH]);
    let tensors: Vec<(String, Vec<usize>, Vec<u8>)> =
        shapes.into_iter().map(|(name, shape)| (name, shape.clone(), tensor(&shape))).collect();
    let views: Vec<(&str, TensorView<'_>)> = tensors
        .iter()
        .map(|(name, shape, bytes)| Ok((name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes)?)))
        .collect::<Result<_, Box<dyn Error>>>()?;
    let config = json!({"model_type": "bert", "hidden_act": "gelu", "hidden_size": WIDTH, "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS, "intermediate_size": INNER, "layer_norm_eps": 1e-12, "id2label": {"0": "LABEL_0"}});
    Ok(Folder { weights: serialize(views, None)?, tokenizer: tokenizer(), config: config.to_string().into_bytes() })
}

/// A tokenizer that has the words of this program, each one token.
fn tokenizer() -> Vec<u8> {
    let known = "the house and water is on a day of time when does last train to harbour leave sunday";
    let words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].into_iter().chain(known.split(' ')).map(str::to_owned);
    let others = (0..VOCABULARY).map(|number| format!("word{number}"));
    let vocabulary: Map<String, Value> =
        words.chain(others).take(VOCABULARY).enumerate().map(|(id, word)| (word, json!(id))).collect();
    json!({"version": "1.0", "normalizer": {"type": "BertNormalizer", "clean_text": true,
            "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary}})
    .to_string()
    .into_bytes()
}

/// The time that this thread has run, in milliseconds.
fn millis() -> Result<f64, Box<dyn Error>> {
    // Linux counts the time up to the last change of threads.
    std::thread::yield_now();
    let times = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: u64 = times.split_whitespace().next().ok_or("schedstat is empty")?.parse()?;
    Ok(nanoseconds as f64 / 1e6)
}
