//! `options.rerank`: a function of the caller, or a model of the server, that scores the best entries again.

use serde_json::{Map, Value};

use crate::bounds_and_defaults;
use crate::error::{Error, Result};
use crate::json_fields::{Choice, Fields};
use crate::request::arguments::is_qualified_name;

/// The result of a search whose reranker fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// The search fails.
    Fail,
    /// The search keeps its own ranking, with a warning.
    Keep,
}

impl Choice for OnError {
    const CHOICES: &'static [(&'static str, Self)] = &[("fail", OnError::Fail), ("keep", OnError::Keep)];
}

/// The source of the scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// The function in the setting.
    Setting,
    /// A function, by its name with its schema.
    Function(String),
    /// A cross-encoder, by the name of its folder.
    Model(String),
}

/// The options of reranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Rerank {
    /// The source of the scores.
    pub by: By,
    /// The number of best entries that it gets.
    pub best: usize,
    /// The weight of its score against the search's own: with 1 only its score counts.
    pub weight: f64,
    /// The effect of its errors.
    pub on_error: OnError,
}

impl Default for Rerank {
    fn default() -> Self {
        Rerank { by: By::Setting, best: bounds_and_defaults::DEFAULT_RERANKED, weight: 1.0, on_error: OnError::Fail }
    }
}

impl Rerank {
    /// Reads the option: a name of a function, `false` for none, or an object of `function` or `model`, `best`, `weight`
    /// and `onError`.
    pub fn parse(path: &str, value: Value) -> Result<Option<Rerank>> {
        match value {
            Value::Bool(false) => Ok(None),
            Value::String(function) => {
                Ok(Some(Rerank { by: By::Function(named(path, function)?), ..Rerank::default() }))
            }
            Value::Object(object) => Rerank::of_object(path, object).map(Some),
            other => Err(Error::invalid(format!(
                "{path} must be the name of a function, false or an object, not {}",
                crate::json_fields::described(&other)
            ))
            .hint("Write the function's name in quotes: {\"rerank\": \"app.rerank\"}.")),
        }
    }

    fn of_object(path: &str, object: Map<String, Value>) -> Result<Rerank> {
        let mut fields = Fields::of_object(path, object);
        let (function, model) = (fields.take_text("function")?, fields.take_text("model")?);
        let (by, best) = match (function, model) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid(format!("{path} names both a function and a model"))
                    .hint("Name one of them: the model's folder in \"model\", or the function in \"function\"."));
            }
            (Some(name), None) => {
                (By::Function(named(&fields.path_of("function"), name)?), bounds_and_defaults::DEFAULT_RERANKED)
            }
            (None, Some(name)) => {
                (By::Model(folder(&fields.path_of("model"), name)?), bounds_and_defaults::DEFAULT_RERANKED_BY_MODEL)
            }
            (None, None) => (By::Setting, bounds_and_defaults::DEFAULT_RERANKED),
        };
        let rerank = Rerank::default();
        let rerank = Rerank {
            by,
            best: fields.take_integer("best", bounds_and_defaults::RERANKED)?.map_or(best, |best| best as usize),
            weight: fields.take_number("weight", bounds_and_defaults::UNIT)?.unwrap_or(rerank.weight),
            on_error: fields.take_choice("onError")?.unwrap_or(rerank.on_error),
        };
        fields.finish()?;
        Ok(rerank)
    }
}

fn named(path: &str, name: String) -> Result<String> {
    match is_qualified_name(&name) {
        true => Ok(name),
        false => Err(Error::invalid(format!("{path} is no name of a function: \"{}\"", crate::error::shown(&name)))
            .hint("Name a function (query text, entries text[]) returning real[] with its schema: \"public.rerank\".")),
    }
}

/// The name of a model's folder: one part of a path, that leads to no other place than the folder of models.
fn folder(path: &str, name: String) -> Result<String> {
    let is_name = name.len() <= bounds_and_defaults::MAX_MODEL_NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || "._-".contains(character));
    match is_name {
        true => Ok(name),
        false => Err(Error::invalid(format!("{path} is no name of a model: \"{}\"", crate::error::shown(&name))).hint(
            "Name the folder of a cross-encoder below the server's memory_search/models, without a path: \
             \"ms-marco-MiniLM-L6-v2\".",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(value: Value) -> Result<Option<Rerank>> {
        Rerank::parse("options.rerank", value)
    }

    #[test]
    fn a_name_is_all_it_takes() {
        let rerank = parsed(json!("public.rerank")).unwrap().unwrap();
        assert_eq!((rerank.by, rerank.best, rerank.weight), (By::Function("public.rerank".to_owned()), 50, 1.0));
        assert_eq!(parsed(json!({"best": 9, "weight": 0.5, "onError": "keep"})).unwrap().unwrap().by, By::Setting);
        assert_eq!(parsed(json!(false)).unwrap(), None);
    }

    #[test]
    fn a_model_is_named_by_its_folder_alone() {
        for name in ["ms-marco-MiniLM-L6-v2", "m", "2_b.c"] {
            let rerank = parsed(json!({"model": name})).unwrap().unwrap();
            assert_eq!((rerank.by, rerank.best), (By::Model(name.to_owned()), 20));
        }
        assert_eq!(parsed(json!({"model": "m", "best": 7})).unwrap().unwrap().best, 7);
        for elsewhere in ["", ".", "..", "../m", "a/b", "/etc", ".hidden", "a\\b", "a b", "é", "a\0", &"m".repeat(101)]
        {
            let refusal = parsed(json!({"model": elsewhere})).unwrap_err();
            assert!(refusal.message.starts_with("options.rerank.model is no name of a model"), "{refusal}");
        }
        let both = parsed(json!({"model": "m", "function": "public.rerank"})).unwrap_err();
        assert!(both.message.contains("both a function and a model"), "{both}");
    }

    #[test]
    fn what_is_no_reranker_is_refused() {
        for bad in [
            json!(true),
            json!(""),
            json!("f(x)"),
            json!({"best": 0}),
            json!({"weight": 2}),
            json!({"n": 1}),
            json!({"onError": "ignore"}),
            json!(["f"]),
        ] {
            assert!(parsed(bad.clone()).is_err(), "{bad}");
        }
    }
}
