//! Columns of type json, of which jsonb does not take all: a text with `\u0000`, or with half of a surrogate pair, or a number
//! that numeric cannot hold. One such row would fail every search of its memory, so its value counts as none, and the doctor
//! counts such rows.
//!
//! By an expression that is immutable, as words are made of it in an index, too.

use std::borrow::Cow;

use memory_search_core::request::adopted_columns::Kind;

use crate::store::mapped_relation::MappedColumn;

/// The column of the view that says whether a row's metadata is left out. Only views over json have it.
pub const IS_REFUSED: &str = "metadata_is_refused";

/// A regular expression that fits JSON whose texts jsonb refuses: escapes that are not themselves escaped.
const REFUSED_TEXT: &str = concat!(
    r"(^|[^\\])(\\\\)*(\\u0000|\\u[dD][89abAB][0-9A-Fa-f]{2}(?!\\u[dD][c-fC-F])",
    r"|(?<!\\u[dD][89abAB][0-9A-Fa-f]{2})\\u[dD][c-fC-F])"
);

/// A regular expression that fits each number which numeric may not hold: more than 131,072 digits before the point, or
/// 16,383 behind it. Exponents from 1,000 on and 255 digits in a row are all left out: so no sum of the two passes, and the
/// expression stays small (one that counts to 8,192 takes 48 us a row, this one 2).
const REFUSED_NUMBER: &str = "[0-9][eE][+-]?0*[1-9][0-9]{3}|[0-9]{255}";

/// A regular expression that fits a text of JSON, in which anything may look like such a number.
const TEXT: &str = r#""([^"\\]|\\.)*""#;

/// The expression of a column in the view.
pub fn of(column: &MappedColumn) -> Cow<'_, str> {
    match refused(column) {
        Some(refused) => Cow::Owned(format!("CASE WHEN NOT ({refused}) THEN {} END", column.expression)),
        None => Cow::Borrowed(&column.expression),
    }
}

/// The column of the view that says whether the value of another one is left out.
pub fn is_refused(column: &MappedColumn) -> Option<String> {
    refused(column).map(|refused| format!("{refused} AS {IS_REFUSED}"))
}

/// Whether the value is left out, as SQL; `None` where none is.
fn refused(column: &MappedColumn) -> Option<String> {
    let is_json = column.column.kind == Kind::Json && column.type_name == "json";
    is_json.then(|| {
        // As literals that every session reads alike, whatever it takes a backslash for.
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
