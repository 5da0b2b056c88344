//! Metadata that a row must contain, and the terms of a JSON document: one for each scalar in it, with the keys on the
//! way to it; arrays leave no trace in the path. A document that contains another one holds all of its terms, so terms
//! select the documents that are worth comparing.

use serde_json::Value;

/// Separates keys, and the type of a value from its notation.
const END: u8 = 0;

/// The most terms that are made of a document: more of them rule out few rows, and each costs an index as much as a
/// word.
const MOST_TERMS: usize = 1000;

/// Bytes of the longest document that is split into terms: its values take some 30 times as much memory, and a failed
/// allocation ends the server.
const MOST_BYTES: usize = 1 << 20;

/// The terms of a JSON text; `None` if it is not split (longer than a megabyte, numbers beyond double precision, deeper
/// nesting than 128, too many terms): it may then contain anything.
pub fn terms(json: &str) -> Option<Vec<Vec<u8>>> {
    if json.len() > MOST_BYTES {
        return None;
    }
    let mut terms = Vec::new();
    let is_whole = walk(&serde_json::from_str(json).ok()?, &mut Vec::new(), &mut terms);
    is_whole.then_some(terms)
}

/// Metadata that a row must contain: a JSON text.
#[derive(Debug, Clone, PartialEq)]
pub struct Containment {
    json: String,
    terms: Option<Vec<Vec<u8>>>,
}

impl Containment {
    /// From a JSON text.
    pub fn of(json: String) -> Containment {
        Containment { terms: terms(&json), json }
    }

    /// The text, as it was written: a number must not lose digits.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The terms that a document must hold to contain it; `None` if they are not known.
    pub fn terms(&self) -> Option<&[Vec<u8>]> {
        self.terms.as_deref()
    }
}

/// `false` if there are too many.
fn walk(value: &Value, path: &mut Vec<u8>, terms: &mut Vec<Vec<u8>>) -> bool {
    let length = path.len();
    match value {
        Value::Object(members) => members.iter().all(|(key, value)| {
            path.extend_from_slice(key.as_bytes());
            path.push(END);
            let is_whole = walk(value, path, terms);
            path.truncate(length);
            is_whole
        }),
        Value::Array(elements) => elements.iter().all(|element| walk(element, path, terms)),
        scalar => {
            let mut term = path.clone();
            match scalar {
                Value::String(text) => {
                    term.push(b's');
                    term.extend_from_slice(text.as_bytes());
                }
                // However it is written; numbers that are the same to double precision share a term.
                Value::Number(number) => {
                    term.push(b'n');
                    let number = number.as_f64().unwrap_or(0.0);
                    term.extend_from_slice(&(if number == 0.0 { 0.0 } else { number }).to_bits().to_le_bytes());
                }
                Value::Bool(value) => term.push(if *value { b't' } else { b'f' }),
                _ => term.push(b'0'),
            }
            terms.push(term);
            terms.len() <= MOST_TERMS
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(json: &str) -> Vec<Vec<u8>> {
        let mut terms = terms(json).unwrap();
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
            let whole = sorted(whole);
            assert!(sorted(part).iter().all(|term| whole.contains(term)));
        }
    }

    #[test]
    fn another_key_type_or_value_is_another_term() {
        let all =
            [r#"{"a": 1}"#, r#"{"b": 1}"#, r#"{"a": "1"}"#, r#"{"a": true}"#, r#"{"a": {"a": 1}}"#, r#"{"a": null}"#];
        let distinct: std::collections::BTreeSet<_> = all.iter().map(|json| sorted(json)).collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        for (a, b) in [
            ("0.30000000000000004", "0.300000000000000040"),
            ("1e2", "100"),
            ("123456789012345680000", "1.2345678901234568e20"),
            ("9007199254740993", "9007199254740993.0"),
            ("2.2250738585072011e-308", "0.22250738585072011e-307"),
        ] {
            assert_eq!(sorted(a), sorted(b), "{a} {b}");
        }
    }

    #[test]
    fn what_is_not_taken_apart_has_no_terms() {
        assert_eq!(terms("1e400"), None);
        assert_eq!(terms(&format!("{}{}", "[".repeat(200), "]".repeat(200))), None);
        let long = format!("\"{}\"", "x".repeat(MOST_BYTES - 2));
        assert_eq!(terms(&long).map(|terms| terms.len()), Some(1));
        assert_eq!(terms(&format!(" {long}")), None);
        let many: Vec<usize> = (0..=MOST_TERMS).collect();
        assert_eq!(terms(&serde_json::to_string(&many).unwrap()), None);
        assert!(terms(&serde_json::to_string(&many[1..]).unwrap()).is_some());
    }

    /// Whether a document contains another, by PostgreSQL's rule for jsonb (jsonb @> jsonb).
    fn contains(whole: &Value, part: &Value, is_top: bool) -> bool {
        match (whole, part) {
            (Value::Object(whole), Value::Object(part)) => {
                part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part, false)))
            }
            (Value::Array(whole), Value::Array(part)) => {
                part.iter().all(|part| whole.iter().any(|whole| contains(whole, part, false)))
            }
            // Only in a top-level array, and only a scalar.
            (Value::Array(whole), part) if is_top && !part.is_object() => whole.contains(part),
            (whole, part) => whole == part,
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..3_i64).prop_map(Value::from),
            prop::sample::select(vec!["", "a", "b"]).prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
                prop::collection::btree_map(prop::sample::select(vec!["a", "b", ""]), inner, 0..3)
                    .prop_map(|members| members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_lacks_a_term_of_another_does_not_contain_it(whole in json(), part in json()) {
            let (own, wanted) = (sorted(&whole.to_string()), sorted(&part.to_string()));
            if !wanted.iter().all(|term| own.contains(term)) {
                prop_assert!(!contains(&whole, &part, true));
            }
            prop_assert!(contains(&whole, &whole, true));
        }
    }
}
