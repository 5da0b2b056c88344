//! A statement with its values, which are parameters and never part of its text.

use tokio_postgres::types::{ToSql, Type};

/// A value of a statement.
#[derive(Debug)]
pub enum Value {
    /// A text, or null; the statement casts it.
    Text(Option<String>),
    /// A list of texts, or null.
    Texts(Option<Vec<String>>),
}

impl Value {
    /// The value and its type, for the driver.
    pub(crate) fn typed(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Value::Text(text) => (text, Type::TEXT),
            Value::Texts(texts) => (texts, Type::TEXT_ARRAY),
        }
    }
}

/// One statement that returns one text, or null if its object does not exist.
#[derive(Debug)]
pub struct Statement {
    /// SQL, in which `{ext}` stands for the quoted schema of the extension, and `{store}` for the caller's, whose
    /// name is its store's.
    pub sql: String,
    /// The values of $1, $2, ...
    pub values: Vec<Value>,
    /// Whether it changes data.
    pub writes: bool,
}

/// `name` as a quoted SQL identifier; it may have every character.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_within_a_name_does_not_end_it() {
        assert_eq!(quoted(r#"a"; DROP"#), r#""a""; DROP""#);
    }
}
