//! Whether and how texts are prepared before the parser of a text search configuration sees them, in the
//! definition of `search_vector` and around a query's text alike.

/// What a text goes through, as SQL around the text. Scripts that put no space between words (Han,
/// Hiragana, Katakana) get one around each character, so that part of a run is found; `C++` and `C#`, of
/// which the parser would leave `c`, get a word that it keeps.
pub const AROUND_TEXT: (&str, &str) = (
    "pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(",
    ", '([[:alpha:]]+)[+][+]', '\\1 \\1plusplus', 'g'), '([[:alpha:]]+)#', '\\1 \\1sharp', 'g'), \
     '([\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff])', ' \\1 ', 'g')",
);

/// Whether [`AROUND_TEXT`] leaves a text as it is: it is ASCII, whatever the database's encoding, and holds nothing of
/// what is looked for there.
pub fn leaves_alone(text: &str) -> bool {
    text.is_ascii() && !text.contains("++") && !text.contains('#')
}

/// Part of [`AROUND_TEXT`] that stands in no other expression: where a definition holds it, texts are prepared.
const MARK_OF_PREPARATION: &str = "3040-";

/// The column of an adopted table's view that says the same.
pub const VIEW_COLUMN: &str = "prepares_words";

/// Whether texts are prepared, as SQL over `definition`, the text of a definition of `search_vector`, with the body of
/// the function that it calls, or of a view.
pub fn is_prepared(definition: &str) -> String {
    format!(
        "(pg_catalog.strpos({definition}, '{MARK_OF_PREPARATION}') OPERATOR(pg_catalog.>) 0 \
           OR pg_catalog.strpos({definition}, 'AS {VIEW_COLUMN}') OPERATOR(pg_catalog.>) 0)"
    )
}
