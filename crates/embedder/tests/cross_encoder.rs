//! Cross-encoders score pairs as sentence-transformers' `CrossEncoder` does.
//!
//! `cross_encoder/make_fixture.py` made the models, of random weights, and the scores.

use std::collections::BTreeMap;

use memory_search_embedder::{CrossEncoder, EmbeddingModel, ModelFiles, Score};
use proptest::prelude::*;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};

const WEIGHTS: &[u8] = include_bytes!("cross_encoder/model.safetensors");
const TOKENIZER: &[u8] = include_bytes!("cross_encoder/tokenizer.json");
const TOKENIZER_CONFIG: &[u8] = include_bytes!("cross_encoder/tokenizer_config.json");
const CONFIG: &[u8] = include_bytes!("cross_encoder/config.json");
const EXPECTED: &[u8] = include_bytes!("cross_encoder/expected.json");
const ROBERTA_WEIGHTS: &[u8] = include_bytes!("cross_encoder/roberta_model.safetensors");
const ROBERTA_TOKENIZER: &[u8] = include_bytes!("xlm_roberta/tokenizer.json");
const ROBERTA_CONFIG: &[u8] = include_bytes!("cross_encoder/roberta_config.json");
const ROBERTA_EXPECTED: &[u8] = include_bytes!("cross_encoder/roberta_expected.json");

/// The greatest distance of a logit from the reference's. Sums of f32 in another order differ by some 1e-6.
const TOLERANCE: f64 = 2e-5;

/// Layers of both models.
const LAYERS: usize = 2;

type Model = CrossEncoder<Vec<u8>>;

fn files() -> ModelFiles<'static> {
    ModelFiles {
        tokenizer: TOKENIZER,
        config: Some(CONFIG),
        tokenizer_config: Some(TOKENIZER_CONFIG),
        ..ModelFiles::default()
    }
}

fn roberta_files() -> ModelFiles<'static> {
    ModelFiles { tokenizer: ROBERTA_TOKENIZER, config: Some(ROBERTA_CONFIG), ..ModelFiles::default() }
}

fn load(weights: &[u8], files: &ModelFiles<'_>) -> Result<Model, String> {
    CrossEncoder::load(weights.to_vec(), files).map_err(|error| error.to_string())
}

fn model() -> Model {
    load(WEIGHTS, &files()).unwrap()
}

fn refusal(weights: &[u8], files: &ModelFiles<'_>) -> String {
    load(weights, files).err().expect("it is refused")
}

fn with(json: &[u8], key: &str, value: Value) -> Vec<u8> {
    let mut fields: Value = serde_json::from_slice(json).unwrap();
    fields[key] = value;
    fields.to_string().into_bytes()
}

fn score(model: &Model, question: &str, passage: &str) -> Score {
    model.score(&model.question(question).unwrap(), passage, &mut || ()).unwrap()
}

/// The greatest distance of a logit from the reference's.
fn greatest_difference(model: &Model, expected: &[u8]) -> f64 {
    let expected: Vec<Value> = serde_json::from_slice(expected).unwrap();
    assert_eq!(expected.len(), 54);
    let difference = |line: &Value| {
        let ours = score(model, line["question"].as_str().unwrap(), line["passage"].as_str().unwrap());
        let sigmoid = (f64::from(ours.sigmoid()) - line["sigmoid"].as_f64().unwrap()).abs();
        let logit = (f64::from(ours.logit) - line["logit"].as_f64().unwrap()).abs();
        assert!(sigmoid <= logit + 1e-6, "the sigmoid is the sigmoid of the logit: {line}");
        logit
    };
    expected.iter().map(difference).fold(0.0, f64::max)
}

/// The tensors of a file, changed and written again.
fn changed(weights: &[u8], change: impl Fn(&str, &mut Vec<f32>)) -> Vec<u8> {
    let tensors = SafeTensors::deserialize(weights).unwrap();
    let changed: BTreeMap<String, (Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, tensor)| {
            let mut numbers: Vec<f32> =
                tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
            change(name, &mut numbers);
            let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            (name.to_owned(), (tensor.shape().to_vec(), bytes))
        })
        .collect();
    written(&changed)
}

fn written(tensors: &BTreeMap<String, (Vec<usize>, Vec<u8>)>) -> Vec<u8> {
    let views =
        tensors.iter().map(|(name, (shape, bytes))| (name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()));
    safetensors::serialize(views, None).unwrap()
}

fn tensors(weights: &[u8]) -> BTreeMap<String, (Vec<usize>, Vec<u8>)> {
    let tensors = SafeTensors::deserialize(weights).unwrap();
    tensors.iter().map(|(name, tensor)| (name.to_owned(), (tensor.shape().to_vec(), tensor.data().to_vec()))).collect()
}

#[test]
fn scores_agree_with_sentence_transformers() {
    let bert = greatest_difference(&model(), EXPECTED);
    let roberta = greatest_difference(&load(ROBERTA_WEIGHTS, &roberta_files()).unwrap(), ROBERTA_EXPECTED);
    println!("greatest difference {bert:.1e} of BERT, {roberta:.1e} of XLM-RoBERTa");
    assert!(bert < TOLERANCE, "{bert}");
    assert!(roberta < TOLERANCE, "{roberta}");
}

/// The comparison finds each mistake, because the fixture's scores depend on every part of a pair.
#[test]
fn the_reference_finds_a_fault_in_any_part_of_the_network() {
    for part in ["pooler.dense.weight", "pooler.dense.bias", "classifier.weight", "classifier.bias"] {
        let weights = changed(WEIGHTS, |name, numbers| {
            if name.ends_with(part) {
                numbers.fill(0.0);
            }
        });
        let difference = greatest_difference(&load(&weights, &files()).unwrap(), EXPECTED);
        assert!(difference > 1e-2, "{part}: {difference}");
    }
    // All tokens in the first part, as if a pair were one text.
    let one_part = changed(WEIGHTS, |name, numbers| {
        if name.ends_with("token_type_embeddings.weight") {
            let (first, second) = numbers.split_at_mut(24);
            second.copy_from_slice(first);
        }
    });
    assert!(greatest_difference(&load(&one_part, &files()).unwrap(), EXPECTED) > 1e-2);
    // More tokens of a pair than the reference read.
    let more = ModelFiles { tokenizer_config: None, ..files() };
    assert!(greatest_difference(&load(WEIGHTS, &more).unwrap(), EXPECTED) > 1e-2);
}

#[test]
fn the_longer_text_of_a_pair_loses_its_end_first() {
    let model = model();
    // 31 tokens, three of them around the texts.
    let passage = "kite ".repeat(25);
    let read = score(&model, "the garden key", &passage);
    assert_eq!(score(&model, "the garden key", &(passage.clone() + "wind")), read);
    assert_ne!(score(&model, "the garden key", &"kite ".repeat(24)), read);
    // A long question is cut for a short passage.
    let question = "garden ".repeat(26);
    assert_eq!(score(&model, &(question.clone() + "key"), "a kite"), score(&model, &question, "a kite"));
    // If both are long, each has half.
    let (one, two) = ("garden ".repeat(14), "kite ".repeat(14));
    let halves = score(&model, &one, &two);
    assert_eq!(score(&model, &(one.clone() + "key"), &(two.clone() + "wind")), halves);
    assert_ne!(score(&model, &one, &"kite ".repeat(13)), halves);
    assert_ne!(score(&model, &"garden ".repeat(13), &two), halves);
}

#[test]
fn the_sigmoid_is_between_0_and_1_and_keeps_the_order() {
    let sigmoid = |logit| Score { logit }.sigmoid();
    assert_eq!((sigmoid(0.0), sigmoid(-1e30), sigmoid(1e30)), (0.5, 0.0, 1.0));
    assert!((f64::from(sigmoid(-11.3)) - 1.237_2e-5).abs() < 1e-8);
    assert!(sigmoid(-3.0) < sigmoid(-2.999) && sigmoid(9.0) < sigmoid(9.01));
}

#[test]
fn the_callers_pause_is_called_within_each_layer() {
    let model = model();
    let question = model.question("who moves").unwrap();
    let mut pauses = 0;
    model.score(&question, "Ada moves", &mut || pauses += 1).unwrap();
    // Six products and three heads in each layer, and between layers.
    assert_eq!(pauses, 1 + LAYERS * (6 + 3 + 1));
    for until in [1, 5, 12, pauses] {
        let mut count = 0;
        let cancelled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            model.score(&question, "Ada moves", &mut || {
                count += 1;
                assert!(count < until, "cancelled");
            })
        }));
        assert!(cancelled.is_err() && count == until, "{until}");
    }
    assert!(score(&model, "who moves", "Ada moves").logit.is_finite());
}

#[test]
fn a_folder_of_another_kind_is_refused_with_the_field_that_shows_it() {
    let refused = |key: &str, value: Value| {
        let config = with(CONFIG, key, value);
        refusal(WEIGHTS, &ModelFiles { config: Some(&config), ..files() })
    };
    let two = refused("id2label", json!({"0": "no", "1": "yes"}));
    assert!(two.contains("config.json") && two.contains("\"id2label\"") && two.contains("of 2"), "{two}");
    let three = refused("num_labels", json!(3));
    assert!(three.contains("\"num_labels\"") && three.contains("of 3"), "{three}");
    let relu = refused("hidden_act", json!("relu"));
    assert!(relu.contains("\"hidden_act\"") && relu.contains("relu"), "{relu}");
    let other = refused("model_type", json!("deberta-v2"));
    assert!(other.contains("\"model_type\"") && other.contains("deberta-v2"), "{other}");
    for most in [json!(0), json!("many"), json!(-3)] {
        let tokenizer_config = with(TOKENIZER_CONFIG, "model_max_length", most);
        let error = refusal(WEIGHTS, &ModelFiles { tokenizer_config: Some(&tokenizer_config), ..files() });
        assert!(error.contains("\"model_max_length\""), "{error}");
    }
    let few = with(TOKENIZER_CONFIG, "model_max_length", json!(3));
    let error = refusal(WEIGHTS, &ModelFiles { tokenizer_config: Some(&few), ..files() });
    assert!(error.contains("3 tokens"), "{error}");
    // A tokenizer that knows no bound.
    let unbounded = with(TOKENIZER_CONFIG, "model_max_length", json!(1e30));
    load(WEIGHTS, &ModelFiles { tokenizer_config: Some(&unbounded), ..files() }).unwrap();
}

#[test]
fn a_head_of_another_shape_or_none_is_refused_by_its_tensor() {
    let without = |weights: &[u8], tensor: &str| {
        let mut tensors = tensors(weights);
        tensors.remove(tensor).unwrap();
        written(&tensors)
    };
    for tensor in
        ["classifier.weight", "classifier.bias", "bert.pooler.dense.weight", "bert.encoder.layer.1.output.dense.bias"]
    {
        let error = refusal(&without(WEIGHTS, tensor), &files());
        assert!(error.contains(&format!("\"{tensor}\"")) && error.contains("missing"), "{error}");
    }
    let error = refusal(&without(ROBERTA_WEIGHTS, "classifier.out_proj.weight"), &roberta_files());
    assert!(error.contains("\"classifier.out_proj.weight\""), "{error}");
    // Two labels, which config.json does not mention.
    let mut two = tensors(WEIGHTS);
    two.insert("classifier.weight".into(), (vec![2, 24], vec![0; 2 * 24 * 4]));
    let config = with(CONFIG, "id2label", Value::Null);
    let error = refusal(&written(&two), &ModelFiles { config: Some(&config), ..files() });
    assert!(error.contains("\"classifier.weight\"") && error.contains("[2, 24]"), "{error}");
    // A table of parts that has no row for the passage.
    let mut one_part = tensors(WEIGHTS);
    one_part.insert("bert.embeddings.token_type_embeddings.weight".into(), (vec![1, 24], vec![0; 24 * 4]));
    let error = refusal(&written(&one_part), &files());
    assert!(error.contains("token_type_embeddings") && error.contains("2 rows"), "{error}");
}

#[test]
fn an_embedder_is_no_cross_encoder_and_a_cross_encoder_no_embedder() {
    let embedder = include_bytes!("xlm_roberta/model.safetensors");
    let error = refusal(embedder, &roberta_files());
    assert!(error.contains("\"classifier.out_proj.weight\"") && error.contains("missing"), "{error}");
    let files = ModelFiles { prompts: Some(br#"{"query": "", "passage": ""}"#), ..roberta_files() };
    let error = EmbeddingModel::load(ROBERTA_WEIGHTS, &files).err().unwrap().to_string();
    assert!(error.contains("cross-encoder") && error.contains("\"classifier.out_proj.weight\""), "{error}");
    let error = EmbeddingModel::load(WEIGHTS, &self::files()).err().unwrap().to_string();
    assert!(error.contains("cross-encoder") && error.contains("\"classifier.weight\""), "{error}");
}

#[test]
fn a_vocabulary_alone_gives_the_same_tokens() {
    let tokenizer: Value = serde_json::from_slice(TOKENIZER).unwrap();
    let mut tokens: Vec<(&String, &Value)> = tokenizer["model"]["vocab"].as_object().unwrap().iter().collect();
    tokens.sort_by_key(|(_, id)| id.as_u64());
    let lines: String = tokens.iter().map(|(token, _)| format!("{token}\n")).collect();
    let of_lines = ModelFiles { tokenizer: b"", vocabulary: Some(lines.as_bytes()), ..files() };
    let model = load(WEIGHTS, &of_lines).unwrap();
    assert!(greatest_difference(&model, EXPECTED) < TOLERANCE);
    assert_eq!(score(&model, "who [SEP] moves", "ÉTÉ"), score(&self::model(), "who [SEP] moves", "ÉTÉ"));
    let cased = with(TOKENIZER_CONFIG, "do_lower_case", json!(false));
    let cased = load(WEIGHTS, &ModelFiles { tokenizer_config: Some(&cased), ..of_lines }).unwrap();
    assert_ne!(score(&cased, "Who", "Ada"), score(&model, "Who", "Ada"));
    for wrong in [&b"\xff\n"[..], b"[CLS]\n[SEP]\n", b""] {
        assert!(load(WEIGHTS, &ModelFiles { vocabulary: Some(wrong), ..of_lines }).is_err());
    }
}

#[test]
fn passages_have_the_same_scores_together_as_alone() {
    let model = model();
    let question = model.question("who moves").unwrap();
    let passages = ["Ada moves", "", "a kite in the garden", "garden ".repeat(40).leak(), "Ada moves"];
    let together = model.scores(&question, &passages, &mut || ()).unwrap();
    let alone = passages.map(|passage| model.score(&question, passage, &mut || ()).unwrap());
    assert_eq!(together, alone);
    assert_eq!(model.scores::<&str>(&question, &[], &mut || ()).unwrap(), []);
}

#[test]
fn numbers_that_are_not_finite_are_reported() {
    let weights = changed(WEIGHTS, |name, numbers| {
        if name == "classifier.bias" {
            numbers[0] = f32::NAN;
        }
    });
    let model = load(&weights, &files()).unwrap();
    let error = model.score(&model.question("who").unwrap(), "Ada", &mut || ()).unwrap_err().to_string();
    assert!(error.contains("not finite"), "{error}");
}

#[test]
fn weights_cut_anywhere_are_refused() {
    for length in (0..WEIGHTS.len()).step_by(997) {
        let error = refusal(&WEIGHTS[..length], &files());
        assert!(error.contains("not a complete safetensors file"), "{length}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pair_has_a_score(question in any::<String>(), passage in any::<String>(), known in "(kite|the|,| |é|日|\\[SEP\\]|<s>|\u{0}){0,60}") {
        let (bert, roberta) = (model(), load(ROBERTA_WEIGHTS, &roberta_files()).unwrap());
        for model in [&bert, &roberta] {
            for (question, passage) in [(&question, &passage), (&known, &passage), (&question, &known)] {
                prop_assert!((0.0..=1.0).contains(&score(model, question, passage).sigmoid()));
            }
        }
    }

    #[test]
    fn garbled_files_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 32_u8..127), 1..4)
    ) {
        let garbled = |file: &[u8], length: usize| {
            let mut file = file.to_vec();
            for (at, byte) in &changes {
                let at = at.index(length.min(file.len()));
                file[at] = *byte;
            }
            file
        };
        let header = 8 + u64::from_le_bytes(WEIGHTS[..8].try_into().unwrap()) as usize;
        let (config, tokenizer_config) = (garbled(CONFIG, usize::MAX), garbled(TOKENIZER_CONFIG, usize::MAX));
        let (tokenizer, weights) = (garbled(TOKENIZER, usize::MAX), garbled(WEIGHTS, header));
        for (weights, files) in [
            (WEIGHTS, ModelFiles { config: Some(&config), ..files() }),
            (WEIGHTS, ModelFiles { tokenizer: &tokenizer, ..files() }),
            (WEIGHTS, ModelFiles { tokenizer_config: Some(&tokenizer_config), ..files() }),
            (&weights[..], files()),
        ] {
            if let Ok(model) = load(weights, &files)
                && let Ok(question) = model.question("who moves [SEP]")
            {
                let _ = model.score(&question, "Ada 日", &mut || ());
            }
        }
    }
}
