//! Columns of type json. jsonb does not accept every json value: it refuses a text with `\u0000` or with half of a
//! surrogate pair, and a number that numeric cannot hold. One such row would fail every search of its memory, so its
//! value counts as none, and the doctor counts such rows.
//!
//! The expression is immutable, because an index makes words of it, too.

use std::borrow::Cow;

use memory_search_core::request::adopted_columns::Kind;

use crate::store::adopted::mapped_relation::MappedColumn;

/// The column of the view that says whether a row's metadata is left out. Only views over json have it.
pub const IS_REFUSED: &str = "metadata_is_refused";

/// A regular expression that matches JSON with texts that jsonb refuses: escapes that are not themselves escaped.
const REFUSED_TEXT: &str = concat!(
    r"(^|[^\\])(\\\\)*(\\u0000|\\u[dD][89abAB][0-9A-Fa-f]{2}(?!\\u[dD][c-fC-F])",
    r"|(?<!\\u[dD][89abAB][0-9A-Fa-f]{2})\\u[dD][c-fC-F])"
);

/// A regular expression that matches each number that numeric may not hold: more than 131,072 digits before the point,
/// or 16,383 after it. All exponents from 1,000 and all runs of 255 digits are left out: then no combination of the two
/// gets through, and the expression stays small (one that counts to 8,192 takes 48 us a row, this one 2).
const REFUSED_NUMBER: &str = "[0-9][eE][+-]?0*[1-9][0-9]{3}|[0-9]{255}";

/// A regular expression that matches a text of JSON, which may contain anything that looks like such a number.
const TEXT: &str = r#""([^"\\]|\\.)*""#;

/// The expression for a column in the view.
pub fn of(column: &MappedColumn) -> Cow<'_, str> {
    match refused(column) {
        Some(refused) => Cow::Owned(format!("CASE WHEN NOT ({refused}) THEN {} END", column.expression)),
        None => Cow::Borrowed(&column.expression),
    }
}

/// The column of the view that says whether the value of another column is left out.
pub fn is_refused(column: &MappedColumn) -> Option<String> {
    refused(column).map(|refused| format!("{refused} AS {IS_REFUSED}"))
}

/// Whether the value is left out, as SQL; `None` if values of the column never are.
fn refused(column: &MappedColumn) -> Option<String> {
    let is_json = column.column.kind == Kind::Json && column.type_name == "json";
    is_json.then(|| {
        // Every session reads these literals in the same way: the setting for backslashes does not matter.
        let literal = |pattern: &str| format!("E'{}'", pattern.replace('\\', r"\\"));
        let (text, number) = (literal(REFUSED_TEXT), literal(REFUSED_NUMBER));
        let value = format!("({})::pg_catalog.text", column.source);
        format!(
            "({value} OPERATOR(pg_catalog.~) {text} OR ({value} OPERATOR(pg_catalog.~) {number} \
               AND pg_catalog.regexp_replace({value}, {}, '', 'g') OPERATOR(pg_catalog.~) {number}))",
            literal(TEXT)
        )
    })
}
