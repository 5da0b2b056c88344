//! Arguments of the tools of the graph. Repetitions within a call count once.

use std::collections::HashSet;

use memory_search_core::bounds_and_defaults::ENTITY_CHARACTERS;
use memory_search_core::error::{Error, Result, shown};
use memory_search_core::json_fields::described;
use memory_search_core::text::entity_key::entity_key;
use serde_json::{Map, Value, json};

use crate::mcp::arguments::required;

/// Whether an entity can have this name. No graph has an entity with another name.
pub fn is_name(name: &str) -> bool {
    entity_key(name).is_some()
}

/// The list under `key`, which must be there.
fn list(arguments: &mut Map<String, Value>, key: &str) -> Result<Vec<Value>> {
    match required(arguments.remove(key), key)? {
        Value::Array(items) => Ok(items),
        other => Err(Error::invalid(format!("{key} must be a list, not {}", described(&other)))),
    }
}

/// The objects of the list under `key`, with their places.
fn objects(arguments: &mut Map<String, Value>, key: &str) -> Result<Vec<(String, Map<String, Value>)>> {
    let items = list(arguments, key)?.into_iter().enumerate();
    let object = |(place, item)| match item {
        Value::Object(map) => Ok((format!("{key}[{place}]"), map)),
        other => Err(Error::invalid(format!("{key}[{place}] must be a JSON object, not {}", described(&other)))),
    };
    items.map(object).collect()
}

/// The texts of the list under `key`, each once.
pub fn texts(arguments: &mut Map<String, Value>, path: &str, key: &str) -> Result<Vec<String>> {
    let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let mut seen = HashSet::new();
    let mut texts = Vec::new();
    for (place, item) in list(arguments, key).map_err(|error| in_place(error, key, &path))?.into_iter().enumerate() {
        let Value::String(text) = item else {
            return Err(Error::invalid(format!("{path}[{place}] must be a text, not {}", described(&item))));
        };
        if seen.insert(text.clone()) {
            texts.push(text);
        }
    }
    Ok(texts)
}

fn in_place(error: Error, key: &str, path: &str) -> Error {
    Error { message: error.message.replacen(key, path, 1), ..error }
}

fn text(map: &mut Map<String, Value>, path: &str, key: &str) -> Result<String> {
    let path = format!("{path}.{key}");
    match required(map.remove(key), &path)? {
        Value::String(text) => Ok(text),
        other => Err(Error::invalid(format!("{path} must be a text, not {}", described(&other)))),
    }
}

/// The name of a new entity.
fn name(map: &mut Map<String, Value>, path: &str, key: &str) -> Result<String> {
    let name = text(map, path, key)?;
    if !is_name(&name) {
        return Err(Error::invalid(format!("{path}.{key} \"{}\" is no name of an entity", shown(&name)))
            .hint(format!("A name is not blank and has at most {ENTITY_CHARACTERS} characters.")));
    }
    Ok(name)
}

/// `entities` of create_entities; the first of two with the same name.
pub fn entities(arguments: &mut Map<String, Value>) -> Result<Value> {
    let mut seen = HashSet::new();
    let mut entities = Vec::new();
    for (path, mut map) in objects(arguments, "entities")? {
        let name = name(&mut map, &path, "name")?;
        let entity_type = text(&mut map, &path, "entityType")?;
        let observations = texts(&mut map, &path, "observations")?;
        if seen.insert(name.clone()) {
            entities.push(json!({"name": name, "entityType": entity_type, "observations": observations}));
        }
    }
    Ok(Value::Array(entities))
}

/// `relations` of create_relations, each once.
pub fn new_relations(arguments: &mut Map<String, Value>) -> Result<Value> {
    relations(arguments, name)
}

/// `relations` of delete_relations. A relation between names that no entity can have is in no graph, and is no error.
pub fn old_relations(arguments: &mut Map<String, Value>) -> Result<Value> {
    relations(arguments, text)
}

fn relations(
    arguments: &mut Map<String, Value>,
    end: impl Fn(&mut Map<String, Value>, &str, &str) -> Result<String>,
) -> Result<Value> {
    let mut seen = HashSet::new();
    let mut relations = Vec::new();
    for (path, mut map) in objects(arguments, "relations")? {
        let relation =
            [end(&mut map, &path, "from")?, end(&mut map, &path, "to")?, text(&mut map, &path, "relationType")?];
        if seen.insert(relation.clone()) {
            let [from, to, relation_type] = relation;
            relations.push(json!({"from": from, "to": to, "relationType": relation_type}));
        }
    }
    Ok(Value::Array(relations))
}

/// The lists of observations under `key`, each with the name of its entity, without repetitions for the same entity.
pub fn observations(arguments: &mut Map<String, Value>, key: &str, texts_key: &str) -> Result<Value> {
    let mut seen = HashSet::new();
    let mut lists = Vec::new();
    for (path, mut map) in objects(arguments, key)? {
        let name = text(&mut map, &path, "entityName")?;
        let mut said = texts(&mut map, &path, texts_key)?;
        said.retain(|one| seen.insert((name.clone(), one.clone())));
        lists.push(json!({"entityName": name, "observations": said}));
    }
    Ok(Value::Array(lists))
}

/// The names that `key` of a list of objects has, as far as they can be names.
pub fn names_of(values: &Value, keys: &[&str]) -> Vec<String> {
    let mut seen = HashSet::new();
    let named = values.as_array().into_iter().flatten();
    let named = named.flat_map(|value| keys.iter().filter_map(|key| value[*key].as_str()));
    named.filter(|name| is_name(name) && seen.insert(*name)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn repetitions_within_a_call_count_once() {
        let one = json!({"name": "A", "entityType": "p", "observations": ["x", "x"]});
        let two = json!({"name": "A", "entityType": "q", "observations": []});
        let taken = entities(&mut arguments(json!({"entities": [one, two]}))).unwrap();
        assert_eq!(taken, json!([{"name": "A", "entityType": "p", "observations": ["x"]}]));
        let said = |contents: Value| json!({"entityName": "A", "contents": contents});
        let twice = json!({"observations": [said(json!(["x"])), said(json!(["x", "y"]))]});
        let taken = observations(&mut arguments(twice), "observations", "contents").unwrap();
        assert_eq!(taken[1]["observations"], json!(["y"]));
    }

    #[test]
    fn a_wrong_argument_is_named_with_its_place() {
        for (wrong, place) in [
            (json!({}), "entities"),
            (json!({"entities": "A"}), "entities"),
            (json!({"entities": ["A"]}), "entities[0]"),
            (json!({"entities": [{"name": "A", "entityType": "p"}]}), "entities[0].observations"),
            (
                json!({"entities": [{"name": "A", "entityType": "p", "observations": [1]}]}),
                "entities[0].observations[0]",
            ),
            (json!({"entities": [{"name": " ", "entityType": "p", "observations": []}]}), "entities[0].name"),
            (json!({"entities": [{"name": "A", "entityType": 7, "observations": []}]}), "entities[0].entityType"),
        ] {
            let message = entities(&mut arguments(wrong)).unwrap_err().message;
            assert!(message.starts_with(&format!("{place} ")), "{message}");
        }
    }
}
