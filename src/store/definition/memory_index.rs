//! The memory indexes of a store's own tables: what `memory_create_store()` makes, and what a search looks for. Any index
//! of the access method that holds all rows serves, whatever its name.

use memory_search_pgformat::tsvector_writer::Weight;
use pgrx::pg_sys;

use super::words_from::WordsFrom;
use crate::pg::identifier::QuotedIdentifier;
use crate::pg::index_columns::IndexColumn;
use crate::pg::text_search::indexed_texts::{DEFAULT_LANGUAGE, Options, TextType, default_weights, letters_of};

/// Finds OIDs and names of those there are, and whether they may serve, on the table with the OID `{table}`.
pub const FIND: &str = include_str!("find_memory_index.sql");

/// A memory index as a store makes it over one of its tables.
#[derive(Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name.
    pub name: &'static str,
    /// The table.
    pub table: &'static str,
    /// Columns with text and what their words count, in the order of the keys.
    texts: &'static [(&'static str, pg_sys::Oid, Weight)],
    /// The columns besides the memory and the embedding.
    included: &'static [(&'static str, pg_sys::Oid)],
    comment: &'static str,
}

/// That of entries.
pub static ENTRIES: Made = Made {
    name: "entries_memory",
    table: "entries",
    texts: &TEXTS,
    included: &INCLUDED,
    comment: "what a search reads of every entry of a memory",
};

/// That of contexts, whose words are made as those of entries are. Of a store whose entries have them in a column none is
/// made: there queries and contexts are made into words by the configuration alone, and those of an index by the analyzer.
pub static CONTEXTS: Made = Made {
    name: "contexts_memory",
    table: "contexts",
    texts: &[(column::CONTEXT, pg_sys::TEXTOID, Weight::D)],
    included: &[
        (column::CREATION_TIME, pg_sys::TIMESTAMPTZOID),
        (column::DELETION_SCHEDULED_TIME, pg_sys::TIMESTAMPTZOID),
        (column::USER_ID, pg_sys::TEXTOID),
        (column::EMBEDDING_MODEL, pg_sys::TEXTOID),
    ],
    comment: "what a search reads of every context of a memory",
};

/// Names of their columns, which are those of the tables.
#[allow(missing_docs)]
pub mod column {
    pub const MEMORY_ID: &str = "memory_id";
    pub const SEARCH_VECTOR: &str = "search_vector";
    pub const SUMMARY: &str = "summary";
    pub const RAW_ENTRY: &str = "raw_entry";
    pub const CONTEXT: &str = "context";
    pub const EMBEDDING: &str = "embedding";
    pub const CREATION_TIME: &str = "creation_time";
    pub const ENTRY_ORDER: &str = "entry_order";
    pub const ENTRY_IMPORTANCE: &str = "importance";
    pub const DELETION_SCHEDULED_TIME: &str = "deletion_scheduled_time";
    pub const EXPIRES_AT: &str = "expires_at";
    pub const SUPERSEDED_TIME: &str = "superseded_time";
    pub const VALID_FROM: &str = "valid_from";
    pub const VALID_UNTIL: &str = "valid_until";
    pub const USER_ID: &str = "user_id";
    pub const AGENT_ID: &str = "agent_id";
    pub const SESSION_ID: &str = "session_id";
    pub const SOURCE_TYPE: &str = "source_type";
    pub const TAGS: &str = "tags";
    pub const ENTITIES: &str = "entities";
    pub const METADATA: &str = "metadata";
    pub const EMBEDDING_MODEL: &str = "embedding_model";
}

/// Any type that the access method takes: ids of memories, and pgvector's types, which have no OIDs of their own.
pub(super) const ANY: pg_sys::Oid = pg_sys::InvalidOid;

/// Texts of an entry with what their words count, in the order of the keys.
pub(super) const TEXTS: [(&str, pg_sys::Oid, Weight); 4] = [
    (column::SUMMARY, pg_sys::TEXTOID, Weight::A),
    (column::RAW_ENTRY, pg_sys::TEXTOID, Weight::B),
    (column::TAGS, pg_sys::TEXTARRAYOID, Weight::C),
    (column::METADATA, pg_sys::JSONBOID, Weight::D),
];

pub(super) const INCLUDED: [(&str, pg_sys::Oid); 16] = [
    (column::CREATION_TIME, pg_sys::TIMESTAMPTZOID),
    (column::ENTRY_ORDER, pg_sys::INT8OID),
    (column::ENTRY_IMPORTANCE, pg_sys::INT2OID),
    (column::DELETION_SCHEDULED_TIME, pg_sys::TIMESTAMPTZOID),
    (column::EXPIRES_AT, pg_sys::TIMESTAMPTZOID),
    (column::SUPERSEDED_TIME, pg_sys::TIMESTAMPTZOID),
    (column::VALID_FROM, pg_sys::TIMESTAMPTZOID),
    (column::VALID_UNTIL, pg_sys::TIMESTAMPTZOID),
    (column::USER_ID, pg_sys::TEXTOID),
    (column::AGENT_ID, pg_sys::TEXTOID),
    (column::SESSION_ID, pg_sys::TEXTOID),
    (column::SOURCE_TYPE, pg_sys::TEXTOID),
    (column::TAGS, pg_sys::TEXTARRAYOID),
    (column::ENTITIES, pg_sys::TEXTARRAYOID),
    (column::METADATA, pg_sys::JSONBOID),
    (column::EMBEDDING_MODEL, pg_sys::TEXTOID),
];

/// Names of included columns in a line of the statement that makes an index.
const INCLUDED_A_LINE: usize = 7;

/// What is asked of an index that is to serve a store.
pub struct Wanted<F> {
    /// The one that a store makes.
    pub like: &'static Made,
    /// What a column of its is made of, as SQL over the table's columns; `None` where it is null in every row.
    pub made_of: F,
    /// Where the words come from.
    pub words_from: WordsFrom,
    /// By which text search configuration they are made: its OID.
    pub configuration: pg_sys::Oid,
}

/// An index of the access method, as the catalogs have it.
pub struct Found {
    /// Its OID.
    pub oid: u32,
    /// Its name, qualified where the search path asks for it.
    pub name: String,
    /// Its columns.
    pub columns: Vec<IndexColumn>,
    /// How many of them are keys.
    pub keys: usize,
    /// How words are made of its texts.
    pub options: Options,
    /// The text search configuration that it depends on.
    pub built_by: Option<pg_sys::Oid>,
}

/// A memory index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryIndex {
    like: &'static Made,
    /// Its OID.
    pub oid: u32,
    /// Its name, qualified where the search path asks for it.
    pub name: String,
    /// Whether it holds the words.
    pub has_words: bool,
    /// What the words of its texts count, in the order of its columns.
    pub weights: Vec<Weight>,
    /// Columns, each with the place of the index's column that holds it, from 0.
    positions: Vec<(&'static str, usize)>,
}

impl MemoryIndex {
    /// Of an index; `None` where it is another than one of memories.
    pub fn new<'a>(found: Found, wanted: &Wanted<impl Fn(&'static str) -> Option<&'a str>>) -> Option<MemoryIndex> {
        let columns = &found.columns;
        let place_of = |column, type_oid| {
            let expression = (wanted.made_of)(column)?;
            columns.iter().position(|held| holds(held, expression, type_oid))
        };
        let ids_and_vectors = [(column::MEMORY_ID, ANY), (column::EMBEDDING, ANY)];
        let positions: Vec<(&'static str, usize)> = ids_and_vectors
            .iter()
            .chain(wanted.like.included)
            .filter_map(|&(column, type_oid)| Some((column, place_of(column, type_oid)?)))
            .collect();
        let has_words = match wanted.words_from {
            WordsFrom::Column => place_of(column::SEARCH_VECTOR, pg_sys::TSVECTOROID).is_some_and(|at| at < found.keys),
            WordsFrom::Texts => holds_texts(&found, wanted),
        };
        let weights = weights_of(&found).unwrap_or_default();
        positions.contains(&(column::MEMORY_ID, 0)).then_some(MemoryIndex {
            like: wanted.like,
            oid: found.oid,
            name: found.name,
            has_words,
            weights,
            positions,
        })
    }

    /// The place of a column of the table in it, from 0.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.positions.iter().find(|(name, _)| *name == column).map(|&(_, place)| place)
    }

    /// How much it holds: columns, and words.
    pub fn holds(&self) -> usize {
        self.positions.len() + usize::from(self.has_words)
    }

    /// What it lacks of what the one of [`Made::create`] holds.
    pub fn missing(&self) -> Vec<&'static str> {
        let included = self.like.included.iter().map(|&(name, _)| name);
        let columns = [column::MEMORY_ID, column::EMBEDDING].into_iter().chain(included);
        let words = (!self.has_words).then_some("the words");
        words.into_iter().chain(columns.filter(|name| self.position(name).is_none())).collect()
    }
}

/// The key columns with text of an index.
fn texts_of(found: &Found) -> impl Iterator<Item = &IndexColumn> {
    let is_text = |held: &&IndexColumn| TextType::of(held.type_oid.into()).is_some();
    // Of an index that was dropped since the catalogs were read there are no columns.
    found.columns.iter().take(found.keys).skip(1).filter(is_text)
}

/// What the words of each count; `None` where the options say so of more or fewer.
fn weights_of(found: &Found) -> Option<Vec<Weight>> {
    let types = texts_of(found).filter_map(|held| TextType::of(held.type_oid.into()));
    found.options.weights(types).ok()
}

/// Whether the words that an index makes of its texts are those of the rows: of the same texts, by the same configuration,
/// and counting as much.
fn holds_texts<'a>(found: &Found, wanted: &Wanted<impl Fn(&'static str) -> Option<&'a str>>) -> bool {
    let held: Vec<&IndexColumn> = texts_of(found).collect();
    let Some(weights) = weights_of(found) else { return false };
    let mut texts = (wanted.like.texts.iter())
        .filter_map(|&(column, type_oid, weight)| Some(((wanted.made_of)(column)?, type_oid, weight)))
        .collect::<Vec<_>>();
    let count = texts.len();
    texts.retain(|&(expression, type_oid, weight)| {
        held.iter().zip(&weights).any(|(held, counts)| *counts == weight && holds(held, expression, type_oid))
    });
    texts.len() == count
        && held.len() == count
        && found.options.configuration().ok().or(found.built_by) == Some(wanted.configuration)
}

/// Whether a column of an index holds what an expression gives, as a type: itself, or what is cast to that type and the
/// index keeps alike.
pub(super) fn holds(held: &IndexColumn, expression: &str, wanted: pg_sys::Oid) -> bool {
    let is_cast_to = |type_name: &str| expression == format!("({})::{type_name}", held.expression);
    let is_it = expression == held.expression;
    match pg_sys::Oid::from(held.type_oid) {
        pg_sys::InvalidOid => false,
        pg_sys::VARCHAROID if wanted == ANY || wanted == pg_sys::TEXTOID => is_it || is_cast_to("text"),
        pg_sys::VARCHARARRAYOID if wanted == pg_sys::TEXTARRAYOID => is_it || is_cast_to("text[]"),
        pg_sys::INT4OID | pg_sys::INT2OID if wanted == pg_sys::INT8OID => is_it || is_cast_to("bigint"),
        type_oid => is_it && (wanted == ANY || wanted == type_oid),
    }
}

impl Made {
    /// The statements that make it; `language` is a text search configuration as a string literal.
    pub fn create(&self, schema: &QuotedIdentifier, language: &str) -> String {
        let Made { name, table, comment, .. } = self;
        let texts = self.texts.iter().map(|(name, ..)| *name);
        let keys: Vec<&str> = [column::MEMORY_ID].into_iter().chain(texts).chain([column::EMBEDDING]).collect();
        let included = self.included.iter().map(|&(name, _)| name).filter(|name| !keys.contains(name));
        let included: Vec<&str> = included.collect();
        let lines: Vec<String> = included.chunks(INCLUDED_A_LINE).map(|line| line.join(", ")).collect();
        let language = (language.trim_matches('\'') != DEFAULT_LANGUAGE).then(|| format!("language = {language}"));
        let options: Vec<String> = language.into_iter().chain(self.weights()).collect();
        let options = if options.is_empty() { String::new() } else { format!("\n  WITH ({})", options.join(", ")) };
        format!(
            "CREATE INDEX {name} ON {schema}.{table} USING memory_search ({})\n  INCLUDE ({}){options};\n\
             COMMENT ON INDEX {schema}.{name} IS 'memory_search: {comment}';\n",
            keys.join(", "),
            lines.join(",\n    ")
        )
    }

    /// The statements that make it in place of one that is broken or lacks columns.
    pub fn create_anew(&self, schema: &QuotedIdentifier, language: &str) -> String {
        format!("DROP INDEX IF EXISTS {schema}.{};\n{}", self.name, self.create(schema, language))
    }

    /// The option that says what words count, where they count otherwise than those of an index for which it is not named.
    fn weights(&self) -> Option<String> {
        let types: Vec<TextType> = self.texts.iter().filter_map(|&(_, type_oid, _)| TextType::of(type_oid)).collect();
        let weights: Vec<Weight> = self.texts.iter().map(|&(.., weight)| weight).collect();
        (default_weights(&types) != weights).then(|| format!("weights = '{}'", letters_of(&weights)))
    }
}
