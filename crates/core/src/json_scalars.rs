//! The texts in a JSON value: its keys, strings, numbers, `true` and `false`, one after another. The value is read as
//! text and need not be complete: the beginning of a long value is searched.

use std::borrow::Cow;

/// Calls `take` with each key and scalar of a JSON text, in its order. `null` is skipped.
pub fn each(json: &str, mut take: impl FnMut(&str)) {
    let mut rest = json;
    while let Some(at) = rest.find(|c: char| !(c.is_ascii_whitespace() || "{}[]:,".contains(c))) {
        rest = &rest[at..];
        let (scalar, behind) = match rest.strip_prefix('"') {
            Some(inside) => {
                let (string, behind) = inside.split_at(end_of_string(inside));
                (unescaped(string), behind.strip_prefix('"').unwrap_or_default())
            }
            None => {
                let end = rest.find(|c: char| c.is_ascii_whitespace() || "{}[]:,\"".contains(c)).unwrap_or(rest.len());
                let (literal, behind) = rest.split_at(end);
                (Cow::Borrowed(if literal == "null" { "" } else { literal }), behind)
            }
        };
        if !scalar.is_empty() {
            take(&scalar);
        }
        rest = behind;
    }
}

/// The place of the quote that ends a string; the end of the text if it is cut off.
fn end_of_string(inside: &str) -> usize {
    let mut is_escaped = false;
    let ends = |byte: u8| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    };
    inside.bytes().position(ends).unwrap_or(inside.len())
}

/// A string without its escapes. A string that was cut inside of an escape loses that escape.
fn unescaped(string: &str) -> Cow<'_, str> {
    if !string.contains('\\') {
        return Cow::Borrowed(string);
    }
    // The longest escape is a pair of surrogates, 12 characters: one of these ends is the end of a whole string.
    let ends = (0..=12).filter_map(|cut| string.len().checked_sub(cut)).filter(|end| string.is_char_boundary(*end));
    let mut read = ends.filter_map(|end| serde_json::from_str::<String>(&format!("\"{}\"", &string[..end])).ok());
    Cow::Owned(read.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn scalars(json: &str) -> Vec<String> {
        let mut found = Vec::new();
        each(json, |scalar| found.push(scalar.to_owned()));
        found
    }

    /// By a parser of JSON.
    fn naive(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Null => {}
            Value::Bool(it) => found.push(it.to_string()),
            Value::Number(it) => found.push(it.to_string()),
            Value::String(it) => found.extend((!it.is_empty()).then(|| it.clone())),
            Value::Array(them) => them.iter().for_each(|it| naive(it, found)),
            Value::Object(them) => them.iter().for_each(|(key, it)| {
                naive(&Value::String(key.clone()), found);
                naive(it, found);
            }),
        }
    }

    #[test]
    fn keys_and_scalars_come_in_their_order_without_escapes() {
        let json = r#"{"a b": "c\"d\n\u00e9", "e": [1.5, true, null, {"f": "{[,:"}], "": ""}"#;
        assert_eq!(scalars(json), ["a b", "c\"d\né", "e", "1.5", "true", "f", "{[,:"]);
    }

    #[test]
    fn a_value_that_is_cut_anywhere_gives_what_stands_before() {
        let json = r#"{"key": "tea \ud83c\udf75 and \\ more", "number": 17}"#;
        for end in (0..json.len()).filter(|end| json.is_char_boundary(*end)) {
            let cut = scalars(&json[..end]);
            assert!(cut.len() <= 4, "{cut:?}");
            assert!(cut.first().is_none_or(|first| "key".starts_with(first.as_str())), "{cut:?}");
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\\n{},é🍵]{0,6}".prop_map(Value::String),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                proptest::collection::btree_map("[a-z\" \\\\]{0,4}", inner, 0..4)
                    .prop_map(|them| Value::Object(them.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn they_are_those_that_a_parser_finds(value in values()) {
            let mut expected = Vec::new();
            naive(&value, &mut expected);
            prop_assert_eq!(scalars(&value.to_string()), expected);
        }
    }
}
