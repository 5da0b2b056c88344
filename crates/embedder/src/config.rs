//! model2vec's config.json.

use serde_json::Value;

use crate::ModelError;

/// model2vec's `DEFAULT_MAX_LENGTH`.
const DEFAULT_MAX_TOKENS: usize = 512;

/// The one setting of config.json that changes a result's direction.
///
/// `normalize` does not: results are always scaled to length 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Config {
    /// Tokens read from a text; `None` reads all of them.
    pub(crate) max_tokens: Option<usize>,
}

impl Config {
    /// `json`: the file's bytes; without a file the library's defaults hold.
    pub(crate) fn parse(json: Option<&[u8]>) -> Result<Self, ModelError> {
        let bad = |problem: String| ModelError::Config { problem };
        let fields = match json {
            None => serde_json::Map::new(),
            Some(json) => serde_json::from_slice(json).map_err(|e| bad(e.to_string()))?,
        };
        let max_tokens =
            match fields.get("max_length") {
                None => Some(DEFAULT_MAX_TOKENS),
                Some(Value::Null) => None,
                Some(value) => Some(value.as_u64().and_then(|n| usize::try_from(n).ok()).ok_or_else(|| {
                    bad(format!("\"max_length\" should be a number of tokens or null; it is {value}"))
                })?),
            };
        Ok(Self { max_tokens })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn max_tokens(json: &str) -> Result<Option<usize>, String> {
        Config::parse(Some(json.as_bytes())).map(|config| config.max_tokens).map_err(|e| e.to_string())
    }

    #[test]
    fn without_a_config_at_most_512_tokens_are_read() {
        assert_eq!(Config::parse(None).unwrap().max_tokens, Some(512));
        assert_eq!(max_tokens(r#"{"normalize": true}"#), Ok(Some(512)));
    }

    #[test]
    fn max_length_is_a_number_or_null() {
        assert_eq!(max_tokens(r#"{"max_length": 7}"#), Ok(Some(7)));
        assert_eq!(max_tokens(r#"{"max_length": null}"#), Ok(None));
        let error = max_tokens(r#"{"max_length": "many"}"#).unwrap_err();
        assert!(error.ends_with("it is \"many\""), "{error}");
    }

    #[test]
    fn a_config_that_is_no_object_is_refused() {
        for json in ["", "[]", "{", "12", "\u{feff}{}"] {
            assert!(max_tokens(json).unwrap_err().contains("config.json"));
        }
    }
}
