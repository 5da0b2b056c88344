//! The memory index of an adopted table, as `memory_adopt_table()` makes it and `memory_doctor()` proposes it.

use memory_search_core::text::made_words::Weight;
use pgrx::pg_sys::{self, Oid};

use super::memory_index::{ANY, INCLUDED, MemoryIndex, TEXTS, column, holds, ranking_option};
use super::{AdoptedRows, Store, WordsFrom};
use crate::pg::index_columns::IndexColumn;
use crate::pg::text_search::indexed_texts::{DEFAULT_LANGUAGE, TextType, default_weights, letters_of};
use crate::pg::view::ViewColumn;

/// Columns that a search reads from the rows if the index does not hold them.
const MAY_BE_ASKED: [&str; 11] = [
    column::VALID_FROM,
    column::VALID_UNTIL,
    column::ENTRY_IMPORTANCE,
    column::USER_ID,
    column::AGENT_ID,
    column::SESSION_ID,
    column::SOURCE_TYPE,
    column::TAGS,
    column::ENTITIES,
    column::METADATA,
    column::EMBEDDING_MODEL,
];

const NOT_KEPT: &str = "it is no plain column of a type that is kept";

/// The reason for which an adopted table's rows cannot be indexed.
pub struct CannotIndex {
    /// The column of entries that no index of the table can hold.
    pub column: &'static str,
    /// The reason.
    pub reason: &'static str,
}

/// The columns of an index over an adopted table: columns of entries, each with its SQL.
pub struct OverAdopted {
    keys: Vec<(&'static str, String)>,
    /// Times that expressions make, which are keys since included columns cannot be expressions.
    made_times: Vec<(&'static str, String)>,
    included: Vec<(&'static str, String)>,
    /// The letters of the weights of texts, if they differ from the index's default weights.
    weights: Option<String>,
    /// The text search configuration as a string literal, if it differs from the index's default.
    language: Option<String>,
    /// The option with the scoring of searches, if the store's present index has one.
    ranking: Option<String>,
}

impl OverAdopted {
    /// The columns for the rows as the view shows them. A column that searches need and no index of the table can hold
    /// is an error. A column that is only used by conditions is left out unless it is a plain column of the table or a
    /// time.
    pub fn of(rows: &AdoptedRows, store: &Store) -> std::result::Result<OverAdopted, CannotIndex> {
        let mapped = |name| rows.column(name).filter(|column| !column.is_null);
        let has_texts = store.words_from == WordsFrom::Texts;
        let mut wanted: Vec<(&'static str, Oid)> = vec![(column::MEMORY_ID, ANY)];
        match has_texts {
            true => wanted.extend(TEXTS.iter().map(|&(name, type_oid, _)| (name, type_oid))),
            false => wanted.push((column::SEARCH_VECTOR, pg_sys::TSVECTOROID)),
        }
        wanted.push((column::EMBEDDING, ANY));
        let mut keys = Vec::new();
        for (name, type_oid) in wanted {
            let Some(column) = mapped(name) else { continue };
            if let Some(reason) = column.not_held {
                return Err(CannotIndex { column: name, reason });
            }
            if !column.has_comparable_texts {
                return Err(CannotIndex { column: name, reason: "its collation is nondeterministic" });
            }
            let held = held_by(column, type_oid);
            keys.push((name, held.map_or_else(|| format!("({})", column.expression), |held| held.expression.clone())));
        }
        let (mut made_times, mut included) = (Vec::new(), Vec::new());
        for (name, wanted) in INCLUDED {
            let Some(column) = mapped(name) else { continue };
            if keys.iter().any(|(key, _)| *key == name) {
                continue;
            }
            match held_by(column, wanted) {
                Some(held) => included.push((name, held.expression.clone())),
                None if wanted == pg_sys::TIMESTAMPTZOID && column.not_held.is_none() => {
                    made_times.push((name, format!("({})", column.expression)));
                }
                None if MAY_BE_ASKED.contains(&name) || name == column::ENTRY_ORDER && column.is_constant => {}
                None => {
                    return Err(CannotIndex { column: name, reason: column.not_held.unwrap_or(NOT_KEPT) });
                }
            }
        }
        let texts: Vec<(TextType, Weight)> = TEXTS
            .iter()
            .filter(|(name, ..)| has_texts && mapped(name).is_some())
            .filter_map(|&(_, type_oid, weight)| Some((TextType::of(type_oid)?, weight)))
            .collect();
        let (types, weights): (Vec<TextType>, Vec<Weight>) = texts.into_iter().unzip();
        let weights = (default_weights(&types) != weights).then(|| letters_of(&weights));
        let language = (has_texts && store.language != DEFAULT_LANGUAGE).then(|| format!("'{}'", store.language));
        let ranking = store.ranking_to_keep().map(ranking_option);
        Ok(OverAdopted { keys, made_times, included, weights, language, ranking })
    }

    /// The columns as CREATE INDEX takes them.
    pub fn sql(&self) -> String {
        let keys = self.keys.iter().map(|(_, text)| text.as_str());
        let keys: Vec<&str> = keys.chain(each_once(&self.made_times)).collect();
        let included = each_once(&self.included);
        let mut sql = format!("({})", keys.join(", "));
        if !included.is_empty() {
            sql += &format!(" INCLUDE ({})", included.join(", "));
        }
        let language = self.language.iter().map(|language| format!("language = {language}"));
        let weights = self.weights.iter().map(|weights| format!("weights = '{weights}'"));
        let options: Vec<String> = language.chain(weights).chain(self.ranking.clone()).collect();
        if !options.is_empty() {
            sql += &format!(" WITH ({})", options.join(", "));
        }
        sql
    }

    /// Whether an index holds all of these columns.
    pub fn is_held_by(&self, index: &MemoryIndex) -> bool {
        let is_text = |name: &str| name == column::SEARCH_VECTOR || TEXTS.iter().any(|(text, ..)| *text == name);
        let columns = self.keys.iter().filter(|(name, _)| !is_text(name));
        let mut columns = columns.chain(&self.made_times).chain(&self.included);
        index.has_words && columns.all(|(name, _)| index.position(name).is_some())
    }
}

/// The SQL of columns, each once: one column of the table may be mapped to several columns of entries.
fn each_once<'a>(columns: &'a [(&'static str, String)]) -> Vec<&'a str> {
    let mut texts: Vec<&str> = Vec::new();
    for (_, text) in columns {
        if !texts.contains(&text.as_str()) {
            texts.push(text);
        }
    }
    texts
}

/// The column of an index that holds a column of entries.
fn held_by(column: &ViewColumn, wanted: Oid) -> Option<&IndexColumn> {
    let read = column.only_column.as_ref().filter(|_| column.not_held.is_none());
    read.map(|read| &read.held).filter(|held| holds(held, &column.expression, wanted))
}
