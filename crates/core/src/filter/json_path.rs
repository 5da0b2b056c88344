//! Paths of metadata as SQL/JSON path expressions (`jsonpath`), in lax mode: each element of an array is tested. Values
//! are variables of the path; keys and patterns, which cannot be variables, are written as JSON strings.

use serde_json::Value;

use super::containment::Containment;

/// A `jsonpath` with the values of its variables. The condition is true if it finds anything.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonPath {
    path: String,
    /// Each value as it was written: the server compares numbers to the last digit.
    variables: Vec<String>,
    /// Sets of terms: a document in which the path finds anything holds all terms of at least one set. Empty if any
    /// document may.
    holds_terms_of: Vec<Containment>,
}

impl JsonPath {
    /// Whether a path exists, even with the value null.
    pub fn exists(keys: &[String]) -> JsonPath {
        JsonPath { path: accessor(keys), variables: Vec::new(), holds_terms_of: Vec::new() }
    }

    /// The texts at a path: also the elements of a list, and of the lists in it. A filter reads the elements of a list,
    /// but `type()` does not read those of a list in it, as comparisons do.
    pub fn texts(keys: &[String]) -> JsonPath {
        let path = format!("{}[*] ? (@.type() == \"string\")", accessor(keys));
        JsonPath { path, variables: Vec::new(), holds_terms_of: Vec::new() }
    }

    /// Whether a value at a path meets a predicate on `@`, in which the variables `$v0`, `$v1` ... are the values, which
    /// are JSON texts.
    pub fn meets(keys: &[String], predicate: &str, values: &[&str]) -> JsonPath {
        let variables = values.iter().map(|value| (*value).to_owned()).collect();
        JsonPath { path: format!("{} ? ({predicate})", accessor(keys)), variables, holds_terms_of: Vec::new() }
    }

    /// The path, with the terms of values at it for an index.
    pub fn with_terms_of(mut self, keys: &[String], values: &[&str]) -> JsonPath {
        self.holds_terms_of = values.iter().map(|value| Containment::of(nested(keys, value))).collect();
        self
    }

    /// The path in the form that PostgreSQL reads.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The variables as a JSON object.
    pub fn variables(&self) -> String {
        let members: Vec<String> =
            self.variables.iter().enumerate().map(|(at, value)| format!("\"v{at}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    }

    /// The sets of terms of which a document must hold at least one; empty if nothing is known.
    pub fn holds_terms_of(&self) -> &[Containment] {
        &self.holds_terms_of
    }
}

/// `$."a"."b"`.
fn accessor(keys: &[String]) -> String {
    keys.iter().fold("$".to_owned(), |path, key| format!("{path}.{}", quoted(key)))
}

/// A string of jsonpath, which is one of JSON.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A JSON text with keys around it: `{"a":{"b":...}}`.
pub fn nested(keys: &[String], json: &str) -> String {
    keys.iter().rev().fold(json.to_owned(), |inside, key| format!("{{{}:{inside}}}", quoted(key)))
}

/// A pattern of LIKE as a regular expression of jsonpath.
pub fn regular_expression(pattern: &str) -> String {
    let mut expression = "^".to_owned();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '%' => expression.push_str(".*"),
            '_' => expression.push('.'),
            '\\' => push_literal(&mut expression, characters.next().unwrap_or('\\')),
            other => push_literal(&mut expression, other),
        }
    }
    expression.push('$');
    expression
}

fn push_literal(expression: &mut String, character: char) {
    if character.is_ascii_punctuation() {
        expression.push('\\');
    }
    expression.push(character);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    #[test]
    fn keys_and_values_stay_what_they_are() {
        let path = JsonPath::meets(&keys(&["a.b", "c\"] ? (1 == 1) $"]), "@ > $v0 && @ < $v1", &["5", r#""x\"""#]);
        assert_eq!(path.path(), r#"$."a.b"."c\"] ? (1 == 1) $" ? (@ > $v0 && @ < $v1)"#);
        assert_eq!(path.variables(), r#"{"v0":5,"v1":"x\""}"#);
        assert_eq!(JsonPath::exists(&keys(&["a"])).path(), r#"$."a""#);
    }

    #[test]
    fn patterns_are_anchored_and_escaped() {
        assert_eq!(regular_expression(r"a%b_c.d\%e"), r"^a.*b.c\.d\%e$");
        assert_eq!(regular_expression("é(x)"), r"^é\(x\)$");
    }

    #[test]
    fn nested_writes_the_path_as_a_document() {
        assert_eq!(nested(&keys(&["a", "b\""]), "1.0"), r#"{"a":{"b\"":1.0}}"#);
    }
}
