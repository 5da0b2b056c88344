//! A statement with its values: they are parameters, never text of it.

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
    /// The value and its type, as the driver wants them.
    pub fn typed(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Value::Text(text) => (text, Type::TEXT),
            Value::Texts(texts) => (texts, Type::TEXT_ARRAY),
        }
    }
}

/// One statement that gives one text, or null where what it is about is not there.
#[derive(Debug)]
pub struct Statement {
    /// SQL, in which `{ext}` stands for the quoted schema of the extension, and `{store}` for that of the caller.
    pub sql: String,
    /// The values of $1, $2, ...
    pub values: Vec<Value>,
    /// Whether it changes anything.
    pub writes: bool,
}

/// `name` as SQL writes it, whatever it holds.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_within_a_name_ends_it_not() {
        assert_eq!(quoted(r#"a"; DROP"#), r#""a""; DROP""#);
    }
}
