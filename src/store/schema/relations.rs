//! The relations of a store as SQL. `create` makes all of them; `adopt` makes a view in place of `entries`.

use memory_search_core::bounds_and_defaults;

use crate::pg::identifier::QuotedIdentifier;
use crate::pg::sql_text::filled_as_written;
use crate::store::definition::{self, IdTypes, WordsFrom, memory_index};

const ENTRIES: &str = include_str!("relations/entries.sql");
const CONTEXTS: &str = include_str!("relations/contexts.sql");
const ENTRY_ACCESS: &str = include_str!("relations/entry_access.sql");
const LINKS: &str = include_str!("relations/links.sql");
const ALIASES: &str = include_str!("relations/aliases.sql");
const CORRECTIONS: &str = include_str!("relations/corrections.sql");
const COLUMNS_ANEW: &str = include_str!("relations/columns_anew.sql");
const FEEDBACK_ANEW: &str = include_str!("relations/feedback_anew.sql");
const LINKS_ANEW: &str = include_str!("relations/links_anew.sql");
const ALIASES_ANEW: &str = include_str!("relations/aliases_anew.sql");

fn entries_foreign_key(schema: &QuotedIdentifier) -> String {
    format!(",\n  FOREIGN KEY (memory_id, entry_id) REFERENCES {schema}.entries ON UPDATE CASCADE ON DELETE CASCADE")
}

/// Several statements as one, so that everything happens or nothing, in every protocol. A policy that would hide rows
/// from them is an error; policies bind later statements of the transaction as before.
pub fn as_one_statement(sql: &str) -> String {
    let mut mark = "$fix$".to_owned();
    while sql.contains(&mark) {
        mark.insert(1, '_');
    }
    format!(
        "DO {mark} DECLARE as_before text := pg_catalog.current_setting('row_security'); BEGIN\n\
         PERFORM pg_catalog.set_config('row_security', 'off', true);\n{sql}\n\
         PERFORM pg_catalog.set_config('row_security', as_before, true);\nEND {mark};"
    )
}

/// Several statements as one: the extended protocol accepts no more than one.
pub fn one_of(statements: &[String]) -> String {
    match statements {
        [statement] => statement.clone(),
        _ => as_one_statement(&statements.join("\n")),
    }
}

fn context_of_entry_index(schema: &QuotedIdentifier) -> String {
    format!(
        "CREATE INDEX contexts_of_entry ON {schema}.contexts (memory_id, entry_id) WHERE entry_id IS NOT NULL;\n\
         COMMENT ON COLUMN {schema}.contexts.entry_id IS \
         'The entry that the context came with: it is deleted and restored with that entry. If another entry has the \
         same context, memory_purge assigns it to that entry, but a plain DELETE removes it. \
         Null for a context that came without an entry';\n"
    )
}

/// The statements that add dropped columns again, empty.
pub fn add_columns(store: &definition::Store) -> String {
    let parts = if store.is_view { FEEDBACK_ANEW.to_owned() } else { [COLUMNS_ANEW, FEEDBACK_ANEW].concat() };
    let vector = format!("{}.{}", store.vector_schema, store.embedding.type_name);
    filled_as_written(&parts, &[("{schema}", &store.schema), ("{vector_type}", &vector)])
}

/// The SQL that adds the columns of `links` or `aliases` that can be added to a table with rows, and the indexes that
/// go with them.
pub fn columns_of_links_anew(schema: &QuotedIdentifier, table: &str) -> String {
    let parts = if table == "links" { LINKS_ANEW } else { ALIASES_ANEW };
    as_one_statement(&filled_as_written(parts, &[("{schema}", schema)]))
}

/// The SQL that makes an index for a store from a version without links.
pub fn index_of_corrections_anew(schema: &QuotedIdentifier) -> String {
    filled_as_written(CORRECTIONS, &[("{if_not_exists}", "IF NOT EXISTS "), ("{schema}", schema)])
}

/// The parts from which a store's relations are made, as SQL text.
pub struct Relations {
    /// The schema.
    pub schema: QuotedIdentifier,
    /// The type of embeddings, with its schema and dimension.
    pub embedding_type: String,
    /// The text search configuration, a string literal.
    pub language: String,
    /// The number of partitions of each table, by the hash of `memory_id`; `None` for a table without partitions.
    pub partitions: Option<usize>,
}

/// Free space on the pages of counts, so that a change needs no other page.
const OF_COUNTS: &str = " WITH (fillfactor = 70)";

impl Relations {
    /// `entries`, with its indexes.
    pub fn entries(&self) -> String {
        let entries = self.fill(
            ENTRIES,
            &[
                ("{options}", self.options("")),
                ("{partitions}", &self.partitions_of("entries", "")),
                ("{language}", &self.language),
                ("{default_importance}", &bounds_and_defaults::DEFAULT_IMPORTANCE.to_string()),
                ("{least_importance}", &bounds_and_defaults::IMPORTANCE.start().to_string()),
                ("{most_importance}", &bounds_and_defaults::IMPORTANCE.end().to_string()),
            ],
        );
        let corrections = self.fill(CORRECTIONS, &[("{if_not_exists}", "")]);
        format!("{entries}\n{corrections}{}", memory_index::ENTRIES.create(&self.schema, &self.language))
    }

    /// `contexts`, with its indexes. If entries are a table of the store, contexts say which entry they came with. If
    /// the words of entries are in a column, queries are made into words in the same way, and no index of contexts
    /// makes words in that way.
    pub fn contexts(&self, has_entries_table: bool, words_from: WordsFrom) -> String {
        let (column, key, index) = match has_entries_table {
            true => (",\n  entry_id uuid", entries_foreign_key(&self.schema), context_of_entry_index(&self.schema)),
            false => ("", String::new(), String::new()),
        };
        let contexts = self.fill(
            CONTEXTS,
            &[
                ("{options}", self.options("")),
                ("{partitions}", &self.partitions_of("contexts", "")),
                ("{language}", &self.language),
                ("{entry_column}", column),
                ("{entries_foreign_key}", &key),
                ("{entry_index}", &index),
            ],
        );
        match words_from {
            WordsFrom::Texts => format!("{contexts}{}", memory_index::CONTEXTS.create(&self.schema, &self.language)),
            WordsFrom::Column => contexts,
        }
    }

    /// `entry_access` for ids of these types. Only a table can be the target of a foreign key.
    pub fn entry_access(&self, ids: IdTypes, has_entries_table: bool) -> String {
        let foreign_key = match has_entries_table {
            true => entries_foreign_key(&self.schema),
            false => String::new(),
        };
        self.fill(
            ENTRY_ACCESS,
            &[
                ("{options}", self.options(OF_COUNTS)),
                ("{partitions}", &self.partitions_of("entry_access", OF_COUNTS)),
                ("{memory_id_type}", &format!("pg_catalog.{}", ids.memory)),
                ("{entry_id_type}", &format!("pg_catalog.{}", ids.entry)),
                ("{entries_foreign_key}", &foreign_key),
            ],
        )
    }

    /// `links` between entries with ids of these types.
    pub fn links(&self, ids: IdTypes, has_entries_table: bool) -> String {
        let schema = &self.schema;
        let foreign_key = |end: &str| {
            format!(
                ",\n  FOREIGN KEY (memory_id, {end}) REFERENCES {schema}.entries ON UPDATE CASCADE ON DELETE CASCADE"
            )
        };
        let foreign_keys = match has_entries_table {
            true => ["from_entry", "to_entry"].map(foreign_key).concat(),
            false => String::new(),
        };
        self.fill(
            LINKS,
            &[
                ("{options}", self.options("")),
                ("{partitions}", &self.partitions_of("links", "")),
                ("{memory_id_type}", &format!("pg_catalog.{}", ids.memory)),
                ("{entry_id_type}", &format!("pg_catalog.{}", ids.entry)),
                ("{entries_foreign_keys}", &foreign_keys),
            ],
        )
    }

    /// `aliases` of names.
    pub fn aliases(&self) -> String {
        self.fill(ALIASES, &[("{options}", self.options("")), ("{partitions}", &self.partitions_of("aliases", ""))])
    }

    /// The text after the columns of a table: its storage parameters, or how rows are assigned to its partitions.
    fn options<'a>(&self, storage: &'a str) -> &'a str {
        if self.partitions.is_some() { " PARTITION BY HASH (memory_id)" } else { storage }
    }

    /// The statements that make the partitions of a table, by their remainders.
    fn partitions_of(&self, table: &str, storage: &str) -> String {
        let (schema, number) = (&self.schema, self.partitions.unwrap_or(0));
        let partition = |remainder| {
            format!(
                "CREATE TABLE {schema}.{table}_{remainder} PARTITION OF {schema}.{table} \
                 FOR VALUES WITH (MODULUS {number}, REMAINDER {remainder}){storage};\n"
            )
        };
        (0..number).map(partition).collect()
    }

    fn fill(&self, template: &str, marks: &[(&str, &str)]) -> String {
        let (vector, _) = self.embedding_type.split_once('(').unwrap_or((&self.embedding_type, ""));
        let own = [
            ("{schema}", &*self.schema),
            ("{embedding_type}", self.embedding_type.as_str()),
            // Without dimensions: a change of the dimensions of the column embedding need not change these.
            ("{vector_type}", vector),
        ];
        filled_as_written(template, &[&own, marks].concat())
    }
}
