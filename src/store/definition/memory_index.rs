//! The memory indexes of a store's own tables: those that `memory_create_store()` makes, and those that a search looks
//! for. A search can use any index of the access method that holds all rows; its name does not matter.

use memory_search_core::text::made_words::Weight;
use pgrx::pg_sys;

use super::words_from::WordsFrom;
use crate::pg::identifier::QuotedIdentifier;
use crate::pg::index_columns::IndexColumn;
use crate::pg::text_search::indexed_texts::{DEFAULT_LANGUAGE, Options, TextType, default_weights, letters_of};

/// A memory index as a store makes it over one of its tables.
#[derive(Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name.
    pub name: &'static str,
    /// The table.
    pub table: &'static str,
    /// Columns with text and the weights of their words, in the order of the keys.
    texts: &'static [(&'static str, pg_sys::Oid, Weight)],
    /// Whether it also holds the embeddings of the passages of long texts.
    has_passages: bool,
    /// The columns in addition to the memory and the embeddings.
    included: &'static [(&'static str, pg_sys::Oid)],
    comment: &'static str,
}

/// The index of entries.
pub static ENTRIES: Made = Made {
    name: "entries_memory",
    table: "entries",
    texts: &TEXTS,
    has_passages: true,
    included: &INCLUDED,
    comment: "what a search reads of every entry of a memory",
};

/// The index of contexts, whose words are made like those of entries. A store whose entries have a column of words has
/// no such index: there the configuration alone makes the words of queries and contexts, but an index uses the
/// analyzer.
pub static CONTEXTS: Made = Made {
    name: "contexts_memory",
    table: "contexts",
    texts: &[(column::CONTEXT, pg_sys::TEXTOID, Weight::D)],
    has_passages: false,
    included: &[
        (column::CREATION_TIME, pg_sys::TIMESTAMPTZOID),
        (column::DELETION_SCHEDULED_TIME, pg_sys::TIMESTAMPTZOID),
        (column::USER_ID, pg_sys::TEXTOID),
        (column::EMBEDDING_MODEL, pg_sys::TEXTOID),
    ],
    comment: "what a search reads of every context of a memory",
};

/// The names of their columns, the same as those of the tables.
#[allow(missing_docs)]
pub mod column {
    pub const MEMORY_ID: &str = "memory_id";
    pub const SEARCH_VECTOR: &str = "search_vector";
    pub const SUMMARY: &str = "summary";
    pub const RAW_ENTRY: &str = "raw_entry";
    pub const CONTEXT: &str = "context";
    pub const EMBEDDING: &str = "embedding";
    pub const PASSAGE_EMBEDDINGS: &str = "passage_embeddings";
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

/// Any type that the access method accepts: for ids of memories, and for pgvector's types, which have no fixed OIDs.
pub(super) const ANY: pg_sys::Oid = pg_sys::InvalidOid;

/// The texts of an entry with the weights of their words, in the order of the keys.
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

/// The requirements for an index of a store.
pub struct Wanted<F> {
    /// The index that a store makes.
    pub like: &'static Made,
    /// The source of one of its columns, as SQL over the table's columns; `None` if it is null in every row.
    pub made_of: F,
    /// The source of the words.
    pub words_from: WordsFrom,
    /// The OID of the text search configuration that makes them.
    pub configuration: pg_sys::Oid,
}

/// An index of the access method, as the catalogs have it.
pub struct Found {
    /// Its OID.
    pub oid: u32,
    /// Its name, qualified unless the search path finds it.
    pub name: String,
    /// Its columns.
    pub columns: Vec<IndexColumn>,
    /// The number of key columns.
    pub keys: usize,
    /// The options for making words of its texts.
    pub options: Options,
    /// The text search configuration that it depends on.
    pub built_by: Option<pg_sys::Oid>,
    /// The scoring of searches, as its option has it.
    pub ranking: Option<String>,
}

/// A memory index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryIndex {
    like: &'static Made,
    /// Its OID.
    pub oid: u32,
    /// Its name, qualified unless the search path finds it.
    pub name: String,
    /// Whether it holds the words.
    pub has_words: bool,
    /// The weights of the words of its texts, in the order of its columns.
    pub weights: Vec<Weight>,
    /// Whether its option `language` names the text search configuration that the server has recorded for it. It does
    /// not after this configuration was renamed, or after the option changed and REINDEX CONCURRENTLY followed.
    pub names_its_configuration: bool,
    /// The scoring of searches, as its option has it; `None` for the built-in one.
    pub ranking: Option<String>,
    /// Columns, each with the position, from 0, of the index's column that holds it.
    positions: Vec<(&'static str, usize)>,
}

impl MemoryIndex {
    /// The memory index for a found one; `None` if it is no index of memories.
    pub fn new<'a>(found: Found, wanted: &Wanted<impl Fn(&'static str) -> Option<&'a str>>) -> Option<MemoryIndex> {
        let columns = &found.columns;
        let place_of = |column, type_oid| {
            let expression = (wanted.made_of)(column)?;
            columns.iter().position(|held| holds(held, expression, type_oid))
        };
        let ids_and_vectors = wanted.like.id_and_vectors().map(|column| (column, ANY));
        let positions: Vec<(&'static str, usize)> = ids_and_vectors
            .chain(wanted.like.included.iter().copied())
            .filter_map(|(column, type_oid)| Some((column, place_of(column, type_oid)?)))
            .collect();
        let has_words = match wanted.words_from {
            WordsFrom::Column => place_of(column::SEARCH_VECTOR, pg_sys::TSVECTOROID).is_some_and(|at| at < found.keys),
            WordsFrom::Texts => holds_texts(&found, wanted),
        };
        let weights = weights_of(&found).unwrap_or_default();
        // An index without texts has no words of its own. The configuration in one of its expressions is recorded too.
        let names_its_configuration = texts_of(&found).next().is_none()
            || match (found.options.configuration(), found.built_by) {
                (Ok(named), Some(recorded)) => named == recorded,
                (Err(_), _) => false,
                (Ok(_), None) => true,
            };
        positions.contains(&(column::MEMORY_ID, 0)).then_some(MemoryIndex {
            like: wanted.like,
            oid: found.oid,
            name: found.name,
            has_words,
            weights,
            names_its_configuration,
            ranking: found.ranking,
            positions,
        })
    }

    /// The position in the index, from 0, of a column of the table.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.positions.iter().find(|(name, _)| *name == column).map(|&(_, place)| place)
    }

    /// A measure of its contents: the number of columns, and of words.
    pub fn holds(&self) -> usize {
        self.positions.len() + usize::from(self.has_words)
    }

    /// The parts that it lacks, compared with the index from [`Made::create`].
    pub fn missing(&self) -> Vec<&'static str> {
        let included = self.like.included.iter().map(|&(name, _)| name);
        let columns = self.like.id_and_vectors().chain(included);
        let words = (!self.has_words).then_some("the words");
        words.into_iter().chain(columns.filter(|name| self.position(name).is_none())).collect()
    }
}

/// The text columns among the keys of an index.
fn texts_of(found: &Found) -> impl Iterator<Item = &IndexColumn> {
    let is_text = |held: &&IndexColumn| TextType::of(held.type_oid.into()).is_some();
    // An index that was dropped after the catalogs were read has no columns.
    found.columns.iter().take(found.keys).skip(1).filter(is_text)
}

/// The weights of the words of each text; `None` if the options have more or fewer weights than the index has texts.
fn weights_of(found: &Found) -> Option<Vec<Weight>> {
    let types = texts_of(found).filter_map(|held| TextType::of(held.type_oid.into()));
    found.options.weights(types).ok()
}

/// Whether an index may make the same words as the rows have: from the same texts, with the same weights, by the same
/// configuration. If its name and the record differ, only the index itself tells the configuration: a search that opens
/// it asks again.
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
        && [found.options.configuration().ok(), found.built_by].contains(&Some(wanted.configuration))
}

/// Whether a column of an index holds the values of an expression, as a type: the expression is that column, or a cast
/// of it to that type which the index stores in the same way.
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

/// Whether an index can hold a column with this type as the type that is wanted.
pub fn holds_as(type_oid: u32, wanted: pg_sys::Oid) -> bool {
    holds(&IndexColumn { expression: String::new(), type_oid }, "", wanted)
}

/// The option of an index with this scoring of searches, a JSON object.
pub(super) fn ranking_option(ranking: &str) -> String {
    format!("ranking = '{}'", ranking.replace('\'', "''"))
}

impl Made {
    /// The columns of its table that it holds as fixed types, or as types that [`holds_as`] takes for these.
    pub fn columns_of_fixed_types(&self) -> impl Iterator<Item = (&'static str, pg_sys::Oid)> + use<> {
        let texts = self.texts.iter().map(|&(name, type_oid, _)| (name, type_oid));
        texts.chain(self.included.iter().copied())
    }

    /// The memory and the vectors.
    fn id_and_vectors(&self) -> impl Iterator<Item = &'static str> + use<> {
        let passages = self.has_passages.then_some(column::PASSAGE_EMBEDDINGS);
        [column::MEMORY_ID, column::EMBEDDING].into_iter().chain(passages)
    }

    /// The statements that make it; `language` is a text search configuration as a string literal.
    pub fn create(&self, schema: &QuotedIdentifier, language: &str) -> String {
        self.create_with(schema, language, None)
    }

    /// Like [`Self::create`], with a scoring of searches, which is a JSON object.
    fn create_with(&self, schema: &QuotedIdentifier, language: &str, ranking: Option<&str>) -> String {
        let Made { name, table, comment, .. } = self;
        let texts = self.texts.iter().map(|(name, ..)| *name);
        let [memory, vectors] = [0..1, 1..3].map(|some| self.id_and_vectors().skip(some.start).take(some.len()));
        let keys: Vec<&str> = memory.chain(texts).chain(vectors).collect();
        let included = self.included.iter().map(|&(name, _)| name).filter(|name| !keys.contains(name));
        let included: Vec<&str> = included.collect();
        let lines: Vec<String> = included.chunks(INCLUDED_A_LINE).map(|line| line.join(", ")).collect();
        let language = (language.trim_matches('\'') != DEFAULT_LANGUAGE).then(|| format!("language = {language}"));
        let options: Vec<String> =
            language.into_iter().chain(self.weights()).chain(ranking.map(ranking_option)).collect();
        let options = if options.is_empty() { String::new() } else { format!("\n  WITH ({})", options.join(", ")) };
        format!(
            "CREATE INDEX {name} ON {schema}.{table} USING memory_search ({})\n  INCLUDE ({}){options};\n\
             COMMENT ON INDEX {schema}.{name} IS 'memory_search: {comment}';\n",
            keys.join(", "),
            lines.join(",\n    ")
        )
    }

    /// The statements that make it in place of an index that is broken or lacks columns, with the scoring that this
    /// index has. An index of partitions gets it here or never: the server changes no options of such an index.
    pub fn create_anew(&self, schema: &QuotedIdentifier, language: &str, ranking: Option<&str>) -> String {
        format!("DROP INDEX IF EXISTS {schema}.{};\n{}", self.name, self.create_with(schema, language, ranking))
    }

    /// The option with the weights of words, if they differ from the index's default.
    fn weights(&self) -> Option<String> {
        let types: Vec<TextType> = self.texts.iter().filter_map(|&(_, type_oid, _)| TextType::of(type_oid)).collect();
        let weights: Vec<Weight> = self.texts.iter().map(|&(.., weight)| weight).collect();
        (default_weights(&types) != weights).then(|| format!("weights = '{}'", letters_of(&weights)))
    }
}
