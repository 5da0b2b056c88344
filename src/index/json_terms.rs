//! The terms of a JSON document: one for each scalar in it, with the keys on the way to it; arrays leave no trace on
//! the way. A document that contains another holds all of its terms, so they choose what is worth comparing.

use serde_json::Value;

/// Separates keys, and what it is from how it is written.
const END: u8 = 0;

/// Calls `each` with the bytes of every term. `false` where the text cannot be taken apart (numbers beyond double
/// precision, deeper nesting than 128): it may then contain anything.
pub fn of(json: &str, each: &mut dyn FnMut(&[u8])) -> bool {
    match serde_json::from_str(json) {
        Ok(value) => {
            walk(&value, &mut Vec::new(), each);
            true
        }
        Err(_) => false,
    }
}

fn walk(value: &Value, path: &mut Vec<u8>, each: &mut dyn FnMut(&[u8])) {
    let length = path.len();
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                path.extend_from_slice(key.as_bytes());
                path.push(END);
                walk(value, path, each);
                path.truncate(length);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| walk(element, path, each)),
        scalar => {
            match scalar {
                Value::String(text) => {
                    path.push(b's');
                    path.extend_from_slice(text.as_bytes());
                }
                // However it is written; numbers that are the same to double precision share a term.
                Value::Number(number) => {
                    path.push(b'n');
                    let number = number.as_f64().unwrap_or(0.0);
                    path.extend_from_slice(&(if number == 0.0 { 0.0 } else { number }).to_bits().to_le_bytes());
                }
                Value::Bool(value) => path.push(if *value { b't' } else { b'f' }),
                _ => path.push(b'0'),
            }
            each(path);
            path.truncate(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(json: &str) -> Vec<Vec<u8>> {
        let mut terms = Vec::new();
        assert!(of(json, &mut |term| terms.push(term.to_vec())));
        terms.sort();
        terms
    }

    #[test]
    fn what_contains_another_holds_its_terms() {
        for (whole, part) in [
            (r#"{"a": {"b": [1, 2]}, "c": "x"}"#, r#"{"a": {"b": [2]}}"#),
            (r#"{"a": [{"b": 1, "c": null}]}"#, r#"{"a": [{"c": null}]}"#),
            (r#"{"n": 1.0}"#, r#"{"n": 1}"#),
            (r#"{"n": [-0.0]}"#, r#"{"n": [0]}"#),
        ] {
            let whole = terms(whole);
            assert!(terms(part).iter().all(|term| whole.contains(term)));
        }
    }

    #[test]
    fn another_key_type_or_value_is_another_term() {
        let all =
            [r#"{"a": 1}"#, r#"{"b": 1}"#, r#"{"a": "1"}"#, r#"{"a": true}"#, r#"{"a": {"a": 1}}"#, r#"{"a": null}"#];
        let distinct: std::collections::BTreeSet<_> = all.iter().map(|json| terms(json)).collect();
        assert_eq!(distinct.len(), all.len());
    }
}
