//! The settings of a sentence-transformers model: config.json and two of its companions.

use serde_json::{Map, Value};

use crate::{ModelError, ModelFiles};

/// The most tokens read of a text, for any model, because the time and memory of attention grow with their square.
pub(super) const MOST_TOKENS: usize = 512;
/// The sizes of BERT's largest model. They bound the memory for one text, 22 MB, and the time of a layer.
const WIDEST: usize = 1_024;
const WIDEST_INNER: usize = 4_096;
const MOST_LAYERS: usize = 24;

const CONFIG: &str = "config.json";
const SENTENCE_CONFIG: &str = "sentence_bert_config.json";
const POOLING_CONFIG: &str = "1_Pooling/config.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";

/// The settings of the files about the network's shape and use.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    /// Width of a token's vector, and of the result.
    pub(super) width: usize,
    /// Width of the layer between, usually four times `width`.
    pub(super) inner_width: usize,
    pub(super) layers: usize,
    /// Attention heads; they share `width` evenly.
    pub(super) heads: usize,
    /// Added to a variance before its root is taken.
    pub(super) epsilon: f32,
    /// Tokens that are read of a text, including the two around it.
    pub(super) tokens: usize,
    /// For XLM-RoBERTa: the id of the padding token, after which positions are counted.
    pub(super) padding: Option<u32>,
    /// Rows of the table of positions, if config.json gives the number and it matters.
    pub(super) positions: Option<usize>,
}

impl Settings {
    /// The settings of an embedder.
    pub(super) fn parse(files: &ModelFiles<'_>) -> Result<Self, ModelError> {
        refuse_other_pooling(files)?;
        Ok(Self { tokens: most_tokens(files)?, ..Self::of_network(files)? })
    }

    /// The settings of a cross-encoder for one score.
    pub(super) fn of_cross_encoder(files: &ModelFiles<'_>) -> Result<Self, ModelError> {
        refuse_other_labels(files)?;
        Ok(Self { tokens: most_tokens_of_pair(files)?, ..Self::of_network(files)? })
    }

    fn of_network(files: &ModelFiles<'_>) -> Result<Self, ModelError> {
        let json = files.config.ok_or_else(|| unusable(CONFIG, "there is none; it has a transformer's shape"))?;
        let config = object(CONFIG, json)?;
        let is_roberta = one_of(&config, "model_type", &["bert", "xlm-roberta"])? == "xlm-roberta";
        one_of(&config, "hidden_act", &["gelu"])?;
        if config.contains_key("position_embedding_type") {
            one_of(&config, "position_embedding_type", &["absolute"])?;
        }
        let width = number(CONFIG, &config, "hidden_size", WIDEST)?;
        let heads = number(CONFIG, &config, "num_attention_heads", width)?;
        if width % heads != 0 {
            return Err(unusable(CONFIG, format!("{heads} attention heads cannot share {width} numbers evenly")));
        }
        let epsilon = match config.get("layer_norm_eps").map(Value::as_f64) {
            None => 1e-12,
            Some(Some(epsilon)) if (0.0..1.0).contains(&epsilon) => epsilon as f32,
            Some(_) => return Err(unusable(CONFIG, "\"layer_norm_eps\" should be a number from 0 to 1")),
        };
        Ok(Self {
            width,
            inner_width: number(CONFIG, &config, "intermediate_size", WIDEST_INNER)?,
            layers: number(CONFIG, &config, "num_hidden_layers", MOST_LAYERS)?,
            heads,
            epsilon,
            tokens: MOST_TOKENS,
            padding: if is_roberta { Some(padding(&config)?) } else { None },
            positions: match config.get("max_position_embeddings") {
                Some(_) if is_roberta => Some(number(CONFIG, &config, "max_position_embeddings", usize::MAX)?),
                _ => None,
            },
        })
    }
}

/// RoBERTa's usual one if config.json does not name it, as in Hugging Face's library.
fn padding(config: &Map<String, Value>) -> Result<u32, ModelError> {
    match config.get("pad_token_id") {
        None | Some(Value::Null) => Ok(1),
        Some(id) => id
            .as_u64()
            .and_then(|id| u32::try_from(id).ok())
            .ok_or_else(|| unusable(CONFIG, format!("\"pad_token_id\" should be the number of a token; it is {id}"))),
    }
}

fn most_tokens(files: &ModelFiles<'_>) -> Result<usize, ModelError> {
    let Some(json) = files.sentence_config else { return Ok(MOST_TOKENS) };
    let config = object(SENTENCE_CONFIG, json)?;
    match config.get("max_seq_length") {
        None | Some(Value::Null) => Ok(MOST_TOKENS),
        Some(_) => Ok(number(SENTENCE_CONFIG, &config, "max_seq_length", usize::MAX)?.min(MOST_TOKENS)),
    }
}

/// sentence-transformers' `CrossEncoder` reads as many tokens as the tokenizer says, and no more than have positions.
fn most_tokens_of_pair(files: &ModelFiles<'_>) -> Result<usize, ModelError> {
    let Some(json) = files.tokenizer_config else { return Ok(MOST_TOKENS) };
    match object(TOKENIZER_CONFIG, json)?.get("model_max_length") {
        None | Some(Value::Null) => Ok(MOST_TOKENS),
        // A tokenizer that knows no bound has the number 10^30.
        Some(most) => match most.as_f64() {
            Some(most) if most >= 1.0 => Ok(if most < MOST_TOKENS as f64 { most as usize } else { MOST_TOKENS }),
            _ => Err(unusable(
                TOKENIZER_CONFIG,
                format!("\"model_max_length\" should be a number of tokens from 1 on; it is {most}"),
            )),
        },
    }
}

/// A model of several labels is a classifier: it does not score how well a passage answers. The shape of its head is
/// checked too.
fn refuse_other_labels(files: &ModelFiles<'_>) -> Result<(), ModelError> {
    let Some(json) = files.config else { return Ok(()) };
    let config = object(CONFIG, json)?;
    let labels = |key: &str| match config.get(key) {
        None | Some(Value::Null) => None,
        Some(Value::Object(names)) => Some((key.to_owned(), names.len().to_string())),
        Some(number) => Some((key.to_owned(), number.to_string())),
    };
    match ["num_labels", "id2label"].into_iter().filter_map(labels).find(|(_, labels)| labels != "1") {
        Some((key, labels)) => {
            Err(unusable(CONFIG, format!("\"{key}\" should be of 1 label, the score; it is of {labels}")))
        }
        None => Ok(()),
    }
}

/// The mean of a model that was trained for its first token's vector would be useless, without an error.
fn refuse_other_pooling(files: &ModelFiles<'_>) -> Result<(), ModelError> {
    let Some(json) = files.pooling_config else { return Ok(()) };
    let config = object(POOLING_CONFIG, json)?;
    let mut modes =
        config.iter().filter(|(key, value)| key.starts_with("pooling_mode_") && **value == Value::Bool(true));
    match (modes.next(), modes.next()) {
        (Some((mode, _)), None) if mode == "pooling_mode_mean_tokens" => Ok(()),
        _ => Err(unusable(POOLING_CONFIG, "\"pooling_mode_mean_tokens\" should be true, and no other mode")),
    }
}

fn object(file: &'static str, json: &[u8]) -> Result<Map<String, Value>, ModelError> {
    serde_json::from_slice(json).map_err(|error| unusable(file, error.to_string()))
}

fn one_of<'a>(config: &'a Map<String, Value>, key: &str, wanted: &[&str]) -> Result<&'a str, ModelError> {
    let found = match config.get(key) {
        Some(Value::String(value)) if wanted.contains(&value.as_str()) => return Ok(value),
        Some(value) => value.to_string(),
        None => "missing".to_owned(),
    };
    Err(unusable(CONFIG, format!("\"{key}\" should be \"{}\"; it is {found}", wanted.join("\" or \""))))
}

fn number(file: &'static str, config: &Map<String, Value>, key: &str, most: usize) -> Result<usize, ModelError> {
    let value = config.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    value.filter(|number| (1..=most).contains(number)).ok_or_else(|| {
        let found = config.get(key).map_or_else(|| "missing".to_owned(), Value::to_string);
        unusable(file, format!("\"{key}\" should be a number from 1 to {most}; it is {found}"))
    })
}

fn unusable(file: &'static str, problem: impl Into<String>) -> ModelError {
    ModelError::Settings { file, problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> Value {
        json!({"model_type": "bert", "hidden_act": "gelu", "hidden_size": 384, "num_attention_heads": 12,
               "num_hidden_layers": 6, "intermediate_size": 1536, "layer_norm_eps": 1e-12})
    }

    fn parse(config: &Value, sentence: Option<&str>, pooling: Option<&str>) -> Result<Settings, String> {
        let config = config.to_string();
        let files = ModelFiles {
            tokenizer: b"",
            config: Some(config.as_bytes()),
            sentence_config: sentence.map(str::as_bytes),
            pooling_config: pooling.map(str::as_bytes),
            ..ModelFiles::default()
        };
        Settings::parse(&files).map_err(|error| error.to_string())
    }

    #[test]
    fn the_shape_is_in_config_json() {
        let settings = parse(&config(), None, None).unwrap();
        assert_eq!((settings.width, settings.inner_width), (384, 1536));
        assert_eq!((settings.layers, settings.heads, settings.tokens), (6, 12, 512));
    }

    #[test]
    fn positions_of_xlm_roberta_are_counted_after_the_padding() {
        assert_eq!(parse(&config(), None, None).map(|settings| settings.padding), Ok(None));
        let mut config = config();
        config["model_type"] = json!("xlm-roberta");
        let padding = |config: &Value| parse(config, None, None).map(|settings| settings.padding);
        assert_eq!(padding(&config), Ok(Some(1)));
        config["pad_token_id"] = json!(5);
        assert_eq!(padding(&config), Ok(Some(5)));
        for wrong in [json!(-1), json!("1"), json!(1_u64 << 40)] {
            config["pad_token_id"] = wrong;
            assert!(padding(&config).unwrap_err().contains("pad_token_id"));
        }
    }

    #[test]
    fn as_many_tokens_are_read_as_the_model_was_made_for() {
        let tokens = |sentence| parse(&config(), Some(sentence), None).map(|settings| settings.tokens);
        assert_eq!(tokens(r#"{"max_seq_length": 256}"#), Ok(256));
        assert_eq!(tokens(r#"{"max_seq_length": null}"#), Ok(512));
        assert_eq!(tokens(r#"{"max_seq_length": 100000}"#), Ok(512));
        assert!(tokens(r#"{"max_seq_length": 0}"#).unwrap_err().contains("sentence_bert_config.json"));
    }

    #[test]
    fn another_kind_of_network_is_refused_by_name() {
        for (key, value) in [
            ("model_type", json!("roberta")),
            ("hidden_act", json!("relu")),
            ("position_embedding_type", json!("relative_key")),
            ("hidden_size", json!(0)),
            ("hidden_size", json!(1_000_000)),
            ("hidden_size", json!(-1)),
            ("num_attention_heads", json!(7)),
            ("num_hidden_layers", json!(1_000_000_000)),
            ("intermediate_size", json!("many")),
            ("layer_norm_eps", json!(2)),
        ] {
            let mut config = config();
            config[key] = value.clone();
            let error = parse(&config, None, None).unwrap_err();
            assert!(error.contains("config.json"), "{key} {value}: {error}");
        }
    }

    #[test]
    fn a_model_of_another_pooling_is_refused() {
        let pooling = |pooling| parse(&config(), None, Some(pooling)).map(|_| ());
        assert_eq!(pooling(r#"{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}"#), Ok(()));
        for other in [
            r#"{"pooling_mode_mean_tokens": false, "pooling_mode_cls_token": true}"#,
            r#"{"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true}"#,
            "{}",
            "[",
        ] {
            assert!(pooling(other).unwrap_err().contains("1_Pooling/config.json"), "{other}");
        }
    }
}
