//! Results of the graph's tools: text and structure as the reference memory server gives them, the text without blanks.

use serde_json::Value;

use crate::mcp::graph::tools::{Answer, GraphTool};

/// A result as a client gets it.
#[derive(Debug, PartialEq)]
pub struct Answered {
    /// The text that a model reads.
    pub text: String,
    /// The answer by the tool's schema.
    pub structure: Value,
}

/// The result of a call of `tool`, made from the result of its statement.
pub fn answered(tool: &GraphTool, given: &str) -> Result<Answered, String> {
    let structure: Value =
        serde_json::from_str(given).map_err(|error| format!("The answer cannot be read: {error}"))?;
    if let Some(name) = structure["missing"].as_str() {
        return Err(format!("Entity with name {name} not found\nHint: Nothing was added. create_entities adds it."));
    }
    match tool.answer {
        Answer::Graph => Ok(Answered { text: given.to_owned(), structure }),
        Answer::Done(message) => Ok(Answered {
            text: message.to_owned(),
            structure: serde_json::json!({"success": true, "message": message}),
        }),
        // The text is the list alone. It is cut out of the JSON text, because this keeps the order of the keys.
        Answer::New(key) => {
            let list = given.split_once(':').map(|(_, list)| list).and_then(|list| list.strip_suffix('}'));
            let list = list.ok_or_else(|| format!("The answer cannot be read: it has no list of {key}"))?;
            Ok(Answered { text: list.to_owned(), structure })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::graph::tools::named;

    #[test]
    fn the_text_of_new_objects_is_the_list_alone_in_the_order_of_its_keys() {
        let given = r#"{"entities":[{"name":"A: {}","entityType":"p","observations":[]}]}"#;
        let answered = answered(named("create_entities").unwrap(), given).unwrap();
        assert_eq!(answered.text, r#"[{"name":"A: {}","entityType":"p","observations":[]}]"#);
        assert_eq!(answered.structure["entities"][0]["name"], "A: {}");
    }

    #[test]
    fn an_entity_that_is_not_there_is_a_refusal_with_its_name() {
        let refused = answered(named("add_observations").unwrap(), r#"{"missing":"N"}"#).unwrap_err();
        assert!(refused.starts_with("Entity with name N not found"));
    }
}
