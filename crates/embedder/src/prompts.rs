//! The prompts before a text, by which a model distinguishes a question from a text that may answer it.
//!
//! Models as E5 were trained with "query: " before each question and "passage: " before each text that is searched.
//! Without prompts their embeddings look normal and find less. So a model that may want prompts is refused as long as
//! its folder does not name them, or does not state that it wants none.

use serde_json::{Map, Value};

use crate::{ModelError, ModelFiles};

/// The file that a user writes; it goes before the model's own.
const PROMPTS: &str = "prompts.json";
const SENTENCE_TRANSFORMERS: &str = "config_sentence_transformers.json";
const CONFIG: &str = "config.json";

/// The prompt before a query, and the names that sentence-transformers has for the prompt before a stored text, in its
/// order.
const QUERY: &str = "query";
const PASSAGE: [&str; 3] = ["document", "passage", "corpus"];

/// The longest prompt, in bytes; prompts with whole instructions have some hundred.
const LONGEST: usize = 1_000;

/// The texts that a model wants before a query and before a passage; one of them may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    /// Before a question.
    pub query: String,
    /// Before a text that is stored.
    pub passage: String,
}

impl Prompts {
    /// The prompts that the folder names; `None` if the model wants none.
    ///
    /// `is_multilingual`: the model has a SentencePiece tokenizer. Such models often want prompts, so the folder must
    /// state the prompts or their absence.
    pub(crate) fn read(files: &ModelFiles<'_>, is_multilingual: bool) -> Result<Option<Self>, ModelError> {
        if let Some(json) = files.prompts {
            return said_by_user(json);
        }
        let said = match files.sentence_transformers_config {
            Some(json) => said_by_model(json)?,
            None => None,
        };
        if said.is_none() && (is_multilingual || is_e5(files)) {
            return Err(ModelError::NoPrompts);
        }
        Ok(said)
    }

    /// A static model reads no prompts, and must not seem to.
    pub(crate) fn refuse(files: &ModelFiles<'_>) -> Result<(), ModelError> {
        match files.prompts.map(said_by_user).transpose()? {
            Some(Some(_)) => Err(unusable(PROMPTS, "a static model takes no prompts; they should be empty")),
            _ => Ok(()),
        }
    }

    fn new(query: &str, passage: &str) -> Option<Self> {
        let is_any = !query.is_empty() || !passage.is_empty();
        is_any.then(|| Self { query: query.to_owned(), passage: passage.to_owned() })
    }
}

/// `prompts.json`: both must be there, and nothing else.
fn said_by_user(json: &[u8]) -> Result<Option<Prompts>, ModelError> {
    let prompts = object(PROMPTS, json)?;
    let wanted = "it should be {\"query\": \"...\", \"passage\": \"...\"}, both empty for a model that wants none";
    if prompts.len() != 2 {
        return Err(unusable(PROMPTS, wanted));
    }
    match (text(PROMPTS, &prompts, QUERY)?, first_text(PROMPTS, &prompts)?) {
        (Some(query), Some(passage)) => Ok(Prompts::new(query, passage)),
        _ => Err(unusable(PROMPTS, wanted)),
    }
}

/// sentence-transformers' file. It writes two empty prompts if none were given, so two empty prompts mean nothing.
fn said_by_model(json: &[u8]) -> Result<Option<Prompts>, ModelError> {
    let file = SENTENCE_TRANSFORMERS;
    let config = object(file, json)?;
    let prompts = match config.get("prompts") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(prompts)) => prompts,
        Some(_) => return Err(unusable(file, "\"prompts\" should be an object of texts by name")),
    };
    let default = match config.get("default_prompt_name") {
        None | Some(Value::Null) => "",
        Some(Value::String(name)) => text(file, prompts, name)?.unwrap_or(""),
        Some(_) => return Err(unusable(file, "\"default_prompt_name\" should be a text or null")),
    };
    let query = text(file, prompts, QUERY)?.unwrap_or(default);
    let passage = first_text(file, prompts)?.unwrap_or(default);
    Ok(Prompts::new(query, passage))
}

/// E5 models with BERT's tokeniser are known by name alone.
fn is_e5(files: &ModelFiles<'_>) -> bool {
    let names_e5 = |name: &str| name.split(|c: char| !c.is_alphanumeric()).any(|part| part.eq_ignore_ascii_case("e5"));
    let config = files.config.and_then(|json| object(CONFIG, json).ok()).unwrap_or_default();
    names_e5(files.name) || config.get("_name_or_path").and_then(Value::as_str).is_some_and(names_e5)
}

fn first_text<'a>(file: &'static str, prompts: &'a Map<String, Value>) -> Result<Option<&'a str>, ModelError> {
    PASSAGE.iter().find_map(|name| text(file, prompts, name).transpose()).transpose()
}

fn text<'a>(file: &'static str, prompts: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, ModelError> {
    match prompts.get(name) {
        None => Ok(None),
        Some(Value::String(text)) if text.len() <= LONGEST && !text.contains('\0') => Ok(Some(text)),
        Some(_) => Err(unusable(file, format!("\"{name}\" should be a text of at most {LONGEST} bytes"))),
    }
}

fn object(file: &'static str, json: &[u8]) -> Result<Map<String, Value>, ModelError> {
    serde_json::from_slice(json).map_err(|error| unusable(file, error.to_string()))
}

fn unusable(file: &'static str, problem: impl Into<String>) -> ModelError {
    ModelError::Settings { file, problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const E5: (&str, &str) = ("query: ", "passage: ");

    type Said = Result<Option<(String, String)>, String>;

    fn read(files: &ModelFiles<'_>, is_multilingual: bool) -> Said {
        let prompts = Prompts::read(files, is_multilingual).map_err(|error| error.to_string())?;
        Ok(prompts.map(|prompts| (prompts.query, prompts.passage)))
    }

    fn by_user(json: &str) -> Said {
        read(&ModelFiles { prompts: Some(json.as_bytes()), ..ModelFiles::default() }, true)
    }

    fn by_model(json: &str) -> Said {
        read(&ModelFiles { sentence_transformers_config: Some(json.as_bytes()), ..ModelFiles::default() }, false)
    }

    fn both((query, passage): (&str, &str)) -> Said {
        Ok(Some((query.to_owned(), passage.to_owned())))
    }

    #[test]
    fn a_user_names_both_prompts_or_states_that_there_are_none() {
        assert_eq!(by_user(r#"{"query": "query: ", "passage": "passage: "}"#), both(E5));
        assert_eq!(by_user(r#"{"query": "query: ", "document": "passage: "}"#), both(E5));
        assert_eq!(by_user(r#"{"query": "Q", "passage": ""}"#), both(("Q", "")));
        assert_eq!(by_user(r#"{"query": "", "passage": ""}"#), Ok(None));
        let long = format!(r#"{{"query": "{}", "passage": ""}}"#, "x".repeat(LONGEST + 1));
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"query": "query: "}"#,
            r#"{"query": "a", "passages": "b"}"#,
            r#"{"query": "a", "passage": 1}"#,
            r#"{"query": "a", "passage": "b", "document": "c"}"#,
            &long,
        ] {
            assert!(by_user(wrong).unwrap_err().contains("prompts.json"), "{wrong}");
        }
    }

    #[test]
    fn sentence_transformers_prompts_are_read_as_it_reads_them() {
        assert_eq!(by_model(r#"{"prompts": {"query": "query: ", "passage": "passage: "}}"#), both(E5));
        assert_eq!(by_model(r#"{"prompts": {"query": "q", "document": "d", "passage": "p"}}"#), both(("q", "d")));
        assert_eq!(by_model(r#"{"prompts": {"query": "q", "document": ""}}"#), both(("q", "")));
        let default = r#"{"prompts": {"query": "q", "any": "a"}, "default_prompt_name": "any"}"#;
        assert_eq!(by_model(default), both(("q", "a")));
        for nothing in [
            "{}",
            r#"{"prompts": {}, "default_prompt_name": null}"#,
            r#"{"prompts": null}"#,
            r#"{"prompts": {"query": "", "document": ""}}"#,
            r#"{"prompts": {"STS": "Compare: "}}"#,
        ] {
            assert_eq!(by_model(nothing), Ok(None), "{nothing}");
        }
        for wrong in
            ["[", r#"{"prompts": 1}"#, r#"{"prompts": {"query": 1}}"#, r#"{"prompts": {}, "default_prompt_name": 1}"#]
        {
            assert!(by_model(wrong).unwrap_err().contains("config_sentence_transformers.json"), "{wrong}");
        }
    }

    #[test]
    fn a_users_prompts_go_before_the_models() {
        let files = ModelFiles {
            prompts: Some(br#"{"query": "", "passage": ""}"#),
            sentence_transformers_config: Some(br#"{"prompts": {"query": "q"}}"#),
            ..ModelFiles::default()
        };
        assert_eq!(read(&files, true), Ok(None));
    }

    #[test]
    fn a_model_that_may_want_prompts_is_refused_without() {
        let empty: Option<&[u8]> = Some(br#"{"prompts": {"query": "", "document": ""}}"#);
        for config in [None, Some(&b"{}"[..]), empty] {
            let files = ModelFiles { sentence_transformers_config: config, ..ModelFiles::default() };
            assert_eq!(read(&files, false), Ok(None));
            assert!(read(&files, true).unwrap_err().contains("prompts.json"));
            assert!(read(&ModelFiles { name: "intfloat/e5-small-v2", ..files }, false).is_err());
            let config: Option<&[u8]> = Some(br#"{"_name_or_path": "intfloat/e5-small"}"#);
            assert!(read(&ModelFiles { config, ..files }, false).is_err());
            assert_eq!(read(&ModelFiles { name: "minilm-e55", ..files }, false), Ok(None));
        }
    }
}
