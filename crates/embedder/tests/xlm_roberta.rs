//! Encoders of XLM-RoBERTa's kind, with tokenisers of SentencePiece and prompts, compared with Hugging Face's
//! transformers.
//!
//! `xlm_roberta/make_fixture.py` made the model, of random weights, and the vectors.

use std::collections::BTreeMap;

use memory_search_embedder::{EmbeddingModel, ModelFiles};
use proptest::prelude::*;
use safetensors::SafeTensors;
use serde_json::{Value, json};

const WEIGHTS: &[u8] = include_bytes!("xlm_roberta/model.safetensors");
const TOKENIZER: &[u8] = include_bytes!("xlm_roberta/tokenizer.json");
const CONFIG: &[u8] = include_bytes!("xlm_roberta/config.json");
const EXPECTED: &[u8] = include_bytes!("xlm_roberta/expected.json");
const PROMPTS: &[u8] = br#"{"query": "query: ", "passage": "passage: "}"#;
const NO_PROMPTS: &[u8] = br#"{"query": "", "passage": ""}"#;

/// The greatest distance of a number from the reference's. Sums of f32 in another order differ by some 1e-6.
const TOLERANCE: f64 = 1e-5;

/// Tokens that the model has positions for.
const TOKENS: usize = 38;

type Model = EmbeddingModel<Vec<u8>>;

fn files() -> ModelFiles<'static> {
    ModelFiles { tokenizer: TOKENIZER, config: Some(CONFIG), prompts: Some(PROMPTS), ..ModelFiles::default() }
}

fn load(weights: &[u8], files: &ModelFiles<'_>) -> Result<Model, String> {
    EmbeddingModel::load(weights.to_vec(), files).map_err(|error| error.to_string())
}

fn model() -> Model {
    load(WEIGHTS, &files()).unwrap()
}

fn without_prompts() -> Model {
    load(WEIGHTS, &ModelFiles { prompts: Some(NO_PROMPTS), ..files() }).unwrap()
}

fn config_with(key: &str, value: Value) -> Vec<u8> {
    let mut config: Value = serde_json::from_slice(CONFIG).unwrap();
    config[key] = value;
    config.to_string().into_bytes()
}

fn passage(model: &Model, text: &str) -> Option<Vec<f32>> {
    model.embed(text, &mut || ()).unwrap()
}

fn query(model: &Model, text: &str) -> Option<Vec<f32>> {
    model.embed_query(text, &mut || ()).unwrap()
}

/// Compares every text's vector with the reference's of that kind.
fn compare(kind: &str, embed: impl Fn(&str) -> Option<Vec<f32>>) {
    let expected: Vec<Value> = serde_json::from_slice(EXPECTED).unwrap();
    let (mut compared, mut greatest) = (0, 0.0_f64);
    for line in &expected {
        let text = line["text"].as_str().unwrap().repeat(line["times"].as_u64().unwrap() as usize);
        let Some(ours) = embed(&text) else {
            assert_eq!(text.trim(), "", "of all these texts only blanks have no meaning");
            continue;
        };
        let theirs: Vec<f64> = line[kind].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(theirs) {
            let difference = (f64::from(*ours) - theirs).abs();
            greatest = greatest.max(difference);
            let beginning: String = text.chars().take(40).collect();
            assert!(difference < TOLERANCE, "{kind}, {beginning:?}: {ours} instead of {theirs}");
        }
        compared += 1;
    }
    assert_eq!(compared, 20);
    println!("{kind}: {compared} texts, greatest difference {greatest:.1e}");
}

#[test]
fn passages_and_queries_embed_as_in_transformers() {
    let model = model();
    compare("passage", |text| passage(&model, text));
    compare("query", |text| query(&model, text));
}

#[test]
fn without_prompts_passages_and_queries_are_the_same() {
    let model = without_prompts();
    assert_eq!(model.prompts(), None);
    compare("plain", |text| passage(&model, text));
    compare("plain", |text| query(&model, text));
}

#[test]
fn a_bert_with_a_tokenizer_of_sentencepiece_counts_its_positions_from_0() {
    let config = config_with("model_type", json!("bert"));
    let model = load(WEIGHTS, &ModelFiles { config: Some(&config), ..files() }).unwrap();
    // It has room for two tokens more; the reference read as many as the other.
    let sentence_config = format!(r#"{{"max_seq_length": {TOKENS}}}"#);
    let sentence_config = Some(sentence_config.as_bytes());
    let shorter = load(WEIGHTS, &ModelFiles { config: Some(&config), sentence_config, ..files() }).unwrap();
    compare("bert", |text| passage(&shorter, text));
    let long = "a ".repeat(100);
    assert_ne!(passage(&model, &long), passage(&shorter, &long));
}

#[test]
fn a_folder_must_name_its_prompts_or_state_that_there_are_none() {
    let silent = ModelFiles { prompts: None, ..files() };
    let error = load(WEIGHTS, &silent).err().unwrap();
    assert!(error.contains("prompts.json") && error.contains("passage: "), "{error}");
    let as_saved: Option<&[u8]> = Some(br#"{"prompts": {"query": "", "document": ""}}"#);
    assert!(load(WEIGHTS, &ModelFiles { sentence_transformers_config: as_saved, ..silent }).is_err());
    let own: Option<&[u8]> = Some(br#"{"prompts": {"query": "query: ", "passage": "passage: "}}"#);
    let model = load(WEIGHTS, &ModelFiles { sentence_transformers_config: own, ..silent }).unwrap();
    let prompts = model.prompts().unwrap();
    assert_eq!((prompts.query.as_str(), prompts.passage.as_str()), ("query: ", "passage: "));
    compare("query", |text| query(&model, text));
}

#[test]
fn a_prompt_alone_has_no_meaning() {
    let model = model();
    for text in ["", " ", "\n\u{3000}\t"] {
        assert_eq!(passage(&model, text), None, "{text:?}");
        assert_eq!(query(&model, text), None, "{text:?}");
    }
}

#[test]
fn tensors_that_were_saved_with_a_head_are_found() {
    let tensors = SafeTensors::deserialize(WEIGHTS).unwrap();
    let renamed: BTreeMap<String, _> =
        tensors.iter().map(|(name, tensor)| (format!("roberta.{name}"), tensor)).collect();
    let with_head = load(&safetensors::serialize(&renamed, None).unwrap(), &files()).unwrap();
    assert_eq!(passage(&with_head, "ein Satz"), passage(&model(), "ein Satz"));
    let mut incomplete = renamed;
    incomplete.remove("roberta.encoder.layer.1.output.dense.bias");
    let error = load(&safetensors::serialize(&incomplete, None).unwrap(), &files()).err().unwrap();
    assert!(error.contains("\"roberta.encoder.layer.1.output.dense.bias\""), "{error}");
}

#[test]
fn a_table_of_positions_of_another_size_is_refused() {
    for positions in [TOKENS + 1, TOKENS + 3] {
        let config = config_with("max_position_embeddings", json!(positions));
        let error = load(WEIGHTS, &ModelFiles { config: Some(&config), ..files() }).err().unwrap();
        assert!(error.contains("position_embeddings"), "{error}");
    }
    // Positions that begin behind the table leave room for no token.
    let config = config_with("pad_token_id", json!(TOKENS - 1));
    let error = load(WEIGHTS, &ModelFiles { config: Some(&config), ..files() }).err().unwrap();
    assert!(error.contains("no text"), "{error}");
}

#[test]
fn more_tokens_than_rows_are_refused() {
    let mut tokenizer: Value = serde_json::from_slice(TOKENIZER).unwrap();
    tokenizer["model"]["vocab"].as_array_mut().unwrap().push(json!(["one more", -1.0]));
    let error = load(WEIGHTS, &ModelFiles { tokenizer: tokenizer.to_string().as_bytes(), ..files() }).err().unwrap();
    assert!(error.contains("different models"), "{error}");
    let without_end = String::from_utf8(TOKENIZER.to_vec()).unwrap().replace("</s>", "<end>");
    let error = load(WEIGHTS, &ModelFiles { tokenizer: without_end.as_bytes(), ..files() }).err().unwrap();
    assert!(error.contains("</s>"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbled_files_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 32_u8..127), 1..4)
    ) {
        let garbled = |file: &[u8]| {
            let mut file = file.to_vec();
            for (at, byte) in &changes {
                let at = at.index(file.len());
                file[at] = *byte;
            }
            file
        };
        let (tokenizer, config, prompts) = (garbled(TOKENIZER), garbled(CONFIG), garbled(PROMPTS));
        for files in [
            ModelFiles { tokenizer: &tokenizer, ..files() },
            ModelFiles { config: Some(&config), ..files() },
            ModelFiles { prompts: Some(&prompts), ..files() },
            ModelFiles { prompts: None, sentence_transformers_config: Some(&prompts), ..files() },
        ] {
            if let Ok(model) = load(WEIGHTS, &files) {
                let _ = model.embed_query("Ａ ﬁ ™ Straße 日本 <s> 🧿 \u{1}", &mut || ());
            }
        }
    }

    #[test]
    fn any_text_embeds_to_a_unit_vector_or_to_nothing(
        text in any::<String>(),
        known in "(ein|der|,|▁| |<s>|<pad>|<mask>|Ａ|ﬁ|日|é|🧿|\u{0}){0,60}",
    ) {
        let model = model();
        for text in [text, known] {
            if let Some(vector) = passage(&model, &text) {
                let square: f32 = vector.iter().map(|x| x * x).sum();
                prop_assert!((square - 1.0).abs() < 1e-5, "{}", square);
            }
        }
    }
}
