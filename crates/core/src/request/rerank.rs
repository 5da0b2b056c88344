//! `options.rerank`: a function of the caller that scores the best entries again.

use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::json_fields::{Choice, Fields};
use crate::limits;
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

/// The options of reranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Rerank {
    /// The function, by its name with its schema; `None` means that of the setting, if there is one.
    pub function: Option<String>,
    /// The number of best entries that it gets.
    pub best: usize,
    /// The weight of its score against the search's own: with 1 only its score counts.
    pub weight: f64,
    /// The effect of its errors.
    pub on_error: OnError,
}

impl Default for Rerank {
    fn default() -> Self {
        Rerank { function: None, best: limits::DEFAULT_RERANKED, weight: 1.0, on_error: OnError::Fail }
    }
}

impl Rerank {
    /// Reads the option: a name, `false` for none, or an object of `function`, `best`, `weight` and `onError`.
    pub fn parse(path: &str, value: Value) -> Result<Option<Rerank>> {
        match value {
            Value::Bool(false) => Ok(None),
            Value::String(function) => Ok(Some(Rerank { function: Some(named(path, function)?), ..Rerank::default() })),
            Value::Object(object) => Rerank::of_object(path, object).map(Some),
            other => Err(Error::invalid(format!(
                "{path} must be the name of a function, false or an object, not {}",
                crate::json_fields::described(&other)
            ))),
        }
    }

    fn of_object(path: &str, object: Map<String, Value>) -> Result<Rerank> {
        let mut fields = Fields::of_object(path, object);
        let function =
            fields.take_text("function")?.map(|name| named(&fields.path_of("function"), name)).transpose()?;
        let rerank = Rerank::default();
        let rerank = Rerank {
            function,
            best: fields.take_integer("best", limits::RERANKED)?.map_or(rerank.best, |best| best as usize),
            weight: fields.take_number("weight", limits::UNIT)?.unwrap_or(rerank.weight),
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
        assert_eq!((rerank.function.as_deref(), rerank.best, rerank.weight), (Some("public.rerank"), 50, 1.0));
        assert_eq!(parsed(json!({"best": 9, "weight": 0.5, "onError": "keep"})).unwrap().unwrap().function, None);
        assert_eq!(parsed(json!(false)).unwrap(), None);
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
