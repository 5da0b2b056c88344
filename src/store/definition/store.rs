//! A store's definition, and the SQL text that follows from it.

use std::borrow::Cow;
use std::rc::Rc;

use half::f16;
use memory_search_core::filter::condition::{Condition, TextField, TimeField};
use memory_search_core::filter::validity::Validity;
use memory_search_core::ids::IdKind;
use memory_search_core::request::store_ranking::StoreRanking;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use super::AdoptedRows;
use super::lacking::Lacks;
use super::memory_index::{MemoryIndex, column};
use super::words_from::WordsFrom;
use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::partition::Part;
use crate::pg::settings;
use crate::pg::spi::Statement;
use crate::pg::text_search;
use crate::pg::text_search::words::{Accents, Parser, Words};
use crate::pg::vector_distance::VectorFunctions;

/// A store as its relations define it.
#[derive(Debug, Clone, PartialEq)]
pub struct Store {
    /// The schema.
    pub schema: QuotedIdentifier,
    /// pgvector's schema.
    pub vector_schema: QuotedIdentifier,
    /// The text search configuration that makes words, as the inside of a string literal.
    pub language: String,
    /// The source of the words of entries.
    pub words_from: WordsFrom,
    /// The storage of embeddings.
    pub embedding: EmbeddingColumn,
    /// The functions that compare embeddings, if they are pgvector's own.
    pub vector_functions: Option<VectorFunctions>,
    /// The types of ids of memories and entries.
    pub ids: IdTypes,
    /// The memory index of its own table, if it has one.
    pub memory_index: Option<MemoryIndex>,
    /// The scoring of searches in the option of a memory index that is not usable: no search ranks by it.
    pub ranking_in_the_making: Option<String>,
    /// The memory index of its contexts.
    pub contexts_index: Option<MemoryIndex>,
    /// Whether an entry may lack a creation time: in adopted tables, and if somebody dropped the constraint.
    pub may_lack_creation_time: bool,
    /// Whether `entries` is a view, as for an adopted table. The view has no keys of entries and no names of embedders,
    /// because the table names its own; and contexts do not say which entry they came with.
    pub is_view: bool,
    /// The required columns that it lacks, because somebody dropped one or changed its type. Answers without them would
    /// be wrong.
    pub lacks: Option<Lacks>,
    /// Whether an index makes keys unique in a memory. Without it, nothing can be stored by a key.
    pub has_key_index: bool,
    /// Whether the store's tables have partitions and the planner has to find those that a statement reads.
    pub is_partitioned: bool,
    /// The OIDs of entries, contexts and entry_access, if a memory is in one partition of each that its id determines.
    pub tables_by_memory: Option<[u32; 3]>,
    /// Whether the rows of the store are in Citus shards, not in the tables.
    pub is_distributed: bool,
    /// The partitions or shards that hold one memory. Statements still name the tables.
    pub partition: Option<Partition>,
    /// The setting with the user whose entries are shown, if the only policy for reading them is the one from
    /// `memory_enable_row_security()`.
    pub user_setting: Option<String>,
    /// Whether the policies for reading contexts and entry_access are also the ones that it makes.
    pub has_own_policies_alone: bool,
    /// The owner of its entries: the store or an application.
    pub kind: StoreKind,
    /// The catalog rows that this was read from.
    pub read_from: ReadFrom,
}

/// Null, as SQL.
const NO_TEXT: &str = "NULL::pg_catalog.text";

/// The owner of the entries of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreKind {
    /// The entries are the store's own: `entries` is a table.
    Own,
    /// The entries are rows of an adopted table: `entries` is a view, and only the application writes the rows.
    Adopted {
        /// The relation behind the view.
        table: QualifiedName,
        /// Its rows, if the view shows each row of one table once and their ids are a key of it.
        rows: Option<AdoptedRows>,
    },
}

/// The way in which a store keeps embeddings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingColumn {
    /// `halfvec` or `vector`.
    pub type_name: String,
    /// `None` if the column accepts any dimension.
    pub dimensions: Option<usize>,
}

impl EmbeddingColumn {
    /// A vector as the column holds it: in half precision, or unchanged.
    pub fn as_held<'a>(&self, vector: &'a [f32]) -> Cow<'a, [f32]> {
        match self.type_name.as_str() {
            "halfvec" => vector.iter().map(|&value| f16::from_f32(value).to_f32()).collect(),
            _ => Cow::Borrowed(vector),
        }
    }
}

/// The types of a store's ids: text and uuid, or the types of an adopted table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdTypes {
    /// The type of `entries.memory_id`.
    pub memory: IdKind,
    /// The type of `entries.entry_id`.
    pub entry: IdKind,
}

impl IdTypes {
    /// The types in a store's own tables.
    pub const OWN: IdTypes = IdTypes { memory: IdKind::Text, entry: IdKind::Uuid };
}

/// The partitions or shards of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    /// The parts of entries, contexts and entry_access.
    pub parts: [Part; 3],
    /// The OID of the part of the memory index on the first.
    pub memory_index: Option<u32>,
    /// The OID of the part of the contexts' memory index on the second.
    pub contexts_index: Option<u32>,
    /// Whether the policies on the tables equal those that bind a reader of these parts directly. A policy on a
    /// partition does not bind a caller that names the table.
    pub are_policies_alike: bool,
    /// The transactions that brought the shards to this node; 0 for partitions, and for a shard that every snapshot
    /// sees.
    pub arrived_by: [u32; 3],
}

/// The OIDs of the catalog rows whose change makes a [`Store`] stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ReadFrom {
    pub entries: u32,
    pub contexts: u32,
    /// 0 if there is none.
    pub entry_access: u32,
    /// The relation behind an adopted store's view; 0 for a store's own table.
    pub source: u32,
    pub embedding_type: u32,
    /// Memory indexes of entries and of contexts that are not usable yet; 0 if there is none. Such an index becomes
    /// usable when its last partition is attached, and the server reports that for the index and not for its table.
    pub indexes_in_the_making: [u32; 2],
}

impl Store {
    /// A relation of the store.
    pub fn relation(&self, name: &str) -> QualifiedName {
        self.schema.relation(name)
    }

    /// The OID of its text search configuration.
    pub fn configuration(&self) -> Result<pg_sys::Oid> {
        text_search::configuration_named(&self.language.replace("''", "'"))
    }

    /// The scoring of its searches; `None` for the built-in one.
    ///
    /// # Errors
    ///
    /// Its memory index has one that this version does not understand (55000).
    pub fn ranking(&self) -> Result<Option<StoreRanking>> {
        let Some((index, text)) = self.memory_index.as_ref().and_then(|index| Some((index, index.ranking.as_ref()?)))
        else {
            return Ok(None);
        };
        let ranking = StoreRanking::parse(text).map_err(|refusal| {
            let message = format!("the option ranking of index {} cannot be read: {}", index.name, refusal.message);
            Error::new(ErrorKind::WrongState, message)
                .hint(format!("ALTER INDEX {} RESET (ranking) returns to the built-in scoring.", index.name))
        })?;
        Ok(Some(ranking))
    }

    /// The option `ranking` for a memory index that is made in place of the present one, also of one that is invalid.
    pub fn ranking_to_keep(&self) -> Option<&str> {
        match &self.memory_index {
            Some(index) => index.ranking.as_deref(),
            None => self.ranking_in_the_making.as_deref(),
        }
    }

    /// The source of words for texts, in the way in which the store's entries get theirs.
    pub fn words(&self, accents: Accents) -> Result<Words> {
        let parser = match self.words_from {
            WordsFrom::Texts => Parser::Analyzer,
            // An application filled the column with words that the configuration alone made.
            WordsFrom::Column => Parser::OfConfiguration,
        };
        Words::by(self.configuration()?, parser, accents)
    }

    /// pgvector's cosine distance, as an operator that no search path can replace.
    pub fn cosine_distance(&self) -> String {
        format!("OPERATOR({}.<=>)", self.vector_schema)
    }

    /// The key of entries `alias`, as SQL of type text.
    pub fn entry_key(&self, alias: &str) -> String {
        if self.is_view { NO_TEXT.to_owned() } else { format!("{alias}.entry_key") }
    }

    /// The embedder of this extension that made the embedding of entries or contexts `alias`, as SQL of type text.
    pub fn embedder(&self, alias: &str) -> String {
        if self.is_view { NO_TEXT.to_owned() } else { format!("{alias}.embedding_model::pg_catalog.text") }
    }

    /// Refuses filters on keys if entries have none (55000): the answer would be empty without an explanation.
    pub fn require_keys_for(&self, filters: &Condition) -> Result<()> {
        if !self.is_view || !filters.looks_at(TextField::EntryKey) {
            return Ok(());
        }
        let message =
            format!("filters.entryKey needs the column entry_key, which the entries of store {} lack", self.schema);
        Err(Error::new(ErrorKind::WrongState, message)
            .hint("Entries of an adopted table are named by their ids alone."))
    }

    /// Refuses a search with an instant or an interval in which entries must hold, if entries have no interval (55000):
    /// every entry would be found for any time.
    pub fn require_intervals_for(&self, validity: Validity) -> Result<()> {
        let Some(option) = validity.asked_by() else { return Ok(()) };
        if self.may_have(TimeField::ValidFrom) || self.may_have(TimeField::ValidUntil) {
            return Ok(());
        }
        let message = format!(
            "options.{option} needs valid_from or valid_until, which the entries of store {} lack",
            self.schema
        );
        Err(Error::new(ErrorKind::WrongState, message)
            .hint("Adopt the table anew, and map the columns that say when a row holds: valid_from, valid_until."))
    }

    /// Refuses to work with a store that lacks columns (55000).
    pub fn whole(self: Rc<Self>, name: &str) -> Result<Rc<Self>> {
        let Some(lacks) = &self.lacks else { return Ok(self) };
        let message = format!("store \"{name}\" cannot be used, because its definition was changed: {}", lacks.what);
        Err(Error::new(ErrorKind::WrongState, message).hint(format!(
            "SELECT detail, fix FROM memory_doctor('{}'); has the statement that adds what is missing, where one can.",
            name.replace('\'', "''")
        )))
    }

    /// Whether an entry may have a time. A time that entries never have needs no condition.
    pub fn may_have(&self, field: TimeField) -> bool {
        let column = match field {
            TimeField::ValidFrom => column::VALID_FROM,
            TimeField::ValidUntil => column::VALID_UNTIL,
            _ => return true,
        };
        self.adopted_rows().is_none_or(|rows| rows.column(column).is_none_or(|column| !column.is_null))
    }

    /// The interval in which entries `alias` hold, as SQL of type timestamptz, in two columns. A store whose columns
    /// have another type is refused ([`Lacks`]).
    pub fn interval(&self, alias: &str) -> String {
        format!("{alias}.valid_from, {alias}.valid_until")
    }

    /// The time that entries `alias` of an own store live after each use, as SQL of type interval.
    pub fn time_to_live(&self, alias: &str) -> String {
        if self.is_adopted() { "NULL::pg_catalog.interval".to_owned() } else { format!("{alias}.time_to_live") }
    }

    /// Whether the embedding column accepts vectors of this dimension.
    pub fn takes(&self, dimensions: usize) -> bool {
        self.embedding.dimensions.is_none_or(|own| own == dimensions)
    }

    /// A real[] parameter as the column's vector type.
    pub fn vector(&self, placeholder: &str) -> String {
        format!("{placeholder}::{}.{}", self.vector_schema, self.embedding.type_name)
    }

    /// Vectors of the same dimensions as an array of the column's vector type; null if there are none.
    pub fn vectors(&self, statement: &mut Statement, vectors: Vec<Vec<f32>>) -> String {
        let dimensions = vectors.first().map_or(1, Vec::len);
        let elements = (!vectors.is_empty()).then(|| vectors.concat());
        let elements = statement.bind(Param::Reals(elements));
        let to = format!("pg_catalog.cardinality({elements})");
        self.vectors_within(&elements, ["1", &to, &dimensions.to_string()])
    }

    /// The vectors in a part of a real[] parameter, one after the other, as an array of the column's vector type: the
    /// first and the last place, and the dimensions, as SQL of type integer. Null if one of these is null.
    pub fn vectors_within(&self, elements: &str, [from, to, dimensions]: [&str; 3]) -> String {
        let last = format!("p.n OPERATOR(pg_catalog.+) {dimensions} OPERATOR(pg_catalog.-) 1");
        format!(
            "(SELECT pg_catalog.array_agg({} ORDER BY p.n) \
              FROM pg_catalog.generate_series({from}, {to}, {dimensions}) p(n))",
            self.vector(&format!("(({elements})[p.n : {last}])"))
        )
    }

    /// The embeddings with these dimensions of the passages of entries `e` of an own store, as FROM and WHERE: columns
    /// `embedding` and `n`, its number, of `p`. They count only beside an embedding of the whole text. Those from before
    /// that column got other dimensions are left out.
    pub fn passages(&self, dimensions: usize) -> String {
        format!(
            "pg_catalog.unnest(e.passage_embeddings) WITH ORDINALITY p(embedding, n) \
             WHERE {}.vector_dims(p.embedding) OPERATOR(pg_catalog.=) {dimensions} AND e.embedding IS NOT NULL",
            self.vector_schema
        )
    }

    /// The condition that entries `alias` belong to a memory. A text that cannot be an id of an adopted table's type
    /// names no memory; this is no error.
    pub fn of_memory(&self, statement: &mut Statement, alias: &str, memory_id: &str) -> String {
        self.where_it_lies(statement);
        format!("{alias}.memory_id OPERATOR(pg_catalog.=) {}", self.memory(statement, memory_id))
    }

    /// A memory's id as a value of the column's type.
    pub fn memory(&self, statement: &mut Statement, memory_id: &str) -> String {
        let id = statement.bind(Param::Text(self.ids.memory.value(memory_id)));
        match self.ids.memory {
            IdKind::Text => id,
            other => format!("{id}::pg_catalog.{other}"),
        }
    }

    /// Gives a statement about one memory the partitions of the memory, if they are known.
    pub fn where_it_lies(&self, statement: &mut Statement) {
        if let Some(partition) = &self.partition
            && !self.is_partitioned
        {
            statement.in_partitions(partition.parts);
        }
    }

    /// The condition that an entry's id is in a text[] parameter of ids that this store returned.
    pub fn is_among(&self, id: &str, placeholder: &str) -> String {
        format!("{id} OPERATOR(pg_catalog.=) ANY ({placeholder}::pg_catalog.{}[])", self.ids.entry)
    }

    /// The end of a subquery for the one row `alias` with a key, to which `conditions` (each with its AND) apply too;
    /// the memory is bound before it.
    ///
    /// The subquery asks for the first row from the key on, because only the key's own index has that order. With an
    /// equality, and statistics from a time when the table held one row, any index of both columns looks equally good,
    /// including one that is read from end to end for each row. An id of an adopted table need not be unique or
    /// ordered. The condition of a partial index must come after the subquery, not among `conditions`: otherwise the
    /// planner would use that index.
    pub fn keyed(&self, alias: &str, key: &str, id: &str, conditions: &str) -> String {
        match self.kind {
            StoreKind::Adopted { .. } => format!("{alias}.{key} OPERATOR(pg_catalog.=) {id}{conditions} OFFSET 0"),
            StoreKind::Own => format!(
                "{alias}.{key} OPERATOR(pg_catalog.>=) {id} AND {alias}.{key} OPERATOR(pg_catalog.<=) {id}{conditions} \
                 ORDER BY {alias}.{key} LIMIT 1"
            ),
        }
    }

    /// The entries `e` of a memory whose ids are in a text[] parameter of ids that this store returned, as the FROM of
    /// a query. They are looked up one by one: a generic plan assumes that every memory has average size, and would
    /// read all of a large one.
    pub fn wanted(&self, ids: &str, of_memory: &str) -> String {
        self.columns_wanted("e.*", ids, of_memory, "")
    }

    /// The same entries with some columns, if conditions hold; each condition has the AND before it.
    pub fn columns_wanted(&self, columns: &str, ids: &str, of_memory: &str, conditions: &str) -> String {
        format!(
            "pg_catalog.unnest({ids}::pg_catalog.{}[]) wanted (id) CROSS JOIN LATERAL (SELECT {columns} FROM {} e \
               WHERE {of_memory} AND {}) e",
            self.ids.entry,
            self.relation("entries"),
            self.keyed("e", "entry_id", "wanted.id", conditions)
        )
    }

    /// The entries `e` of a memory at the places in a tid[] parameter, as FROM and WHERE of a query. For one table a
    /// condition on the memory is not needed, because the places belong to it, and with the condition other plans would
    /// be possible. For partitions the statement must say in which of them the places are.
    pub fn at_places(&self, statement: &mut Statement, places: &str, memory_id: &str) -> String {
        self.where_it_lies(statement);
        let of_memory = match &self.partition {
            _ if self.is_partitioned => format!("{} AND ", self.of_memory(statement, "e", memory_id)),
            Some(Partition { parts: [entries, ..], .. }) => {
                format!("e.tableoid OPERATOR(pg_catalog.=) {}::pg_catalog.oid AND ", entries.partition)
            }
            None => String::new(),
        };
        format!("{} e WHERE {of_memory}e.ctid OPERATOR(pg_catalog.=) ANY ({places})", self.relation("entries"))
    }

    /// Runs `work`, whose statements find rows by [`Store::wanted`], with a generic plan, if the tables have the keys
    /// of a store and lie here. A plan for any memory would lock every partition.
    pub fn looking_up<T>(&self, work: impl FnOnce() -> T) -> T {
        let has_plans_for_all = !self.is_elsewhere() && !self.is_partitioned;
        if self.is_adopted() || !has_plans_for_all { work() } else { settings::with_lookups(work) }
    }

    /// Runs `work`, whose statement reads the first rows in an index's order, with a generic plan if the rows lie here.
    pub fn in_index_order<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.is_elsewhere() { work() } else { settings::with_index_order(work) }
    }

    /// Runs `work`, whose statement joins all rows of a memory in two tables, so that each is read once, independently of
    /// statistics. For an adopted table the planner chooses, because the view may join other tables.
    pub fn joining_all<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.is_adopted() { work() } else { settings::with_joins_of_all(work) }
    }

    /// Whether Citus leads statements to shards: it finds the shard by the values of a plan, and has no plan for all
    /// values.
    pub fn is_elsewhere(&self) -> bool {
        self.is_distributed && self.partition.is_none()
    }

    /// The order of ids, which is everywhere the order of their texts: uuids have it by themselves.
    pub fn id_order(&self, id: &str) -> String {
        match self.ids.entry {
            IdKind::Uuid => id.to_owned(),
            _ => format!("{id}::pg_catalog.text COLLATE pg_catalog.\"C\""),
        }
    }

    /// A memory's id as its store writes it, because a uuid may be typed in other ways.
    pub fn canonical_memory_id(&self, memory_id: &str) -> String {
        self.ids.memory.value(memory_id).unwrap_or_else(|| memory_id.to_owned())
    }

    /// The newest first; rows without a time come last.
    pub fn newest_first(&self) -> &'static str {
        if self.may_lack_creation_time { "DESC NULLS LAST" } else { "DESC" }
    }

    /// Whether its entries are the rows of an adopted table.
    pub fn is_adopted(&self) -> bool {
        self.adopted_table().is_some()
    }

    /// The relation behind `entries`, if that is a view.
    pub fn adopted_table(&self) -> Option<&QualifiedName> {
        match &self.kind {
            StoreKind::Own => None,
            StoreKind::Adopted { table, .. } => Some(table),
        }
    }

    /// The rows of an adopted table, if they can be looked up in it.
    pub fn adopted_rows(&self) -> Option<&AdoptedRows> {
        match &self.kind {
            StoreKind::Adopted { rows, .. } => rows.as_ref(),
            StoreKind::Own => None,
        }
    }

    /// The OID of the table that holds its entries.
    pub fn table_of_entries(&self) -> u32 {
        if self.is_adopted() { self.read_from.source } else { self.read_from.entries }
    }

    /// Refuses to write entries of an adopted table (0A000); `what` is the function's name.
    pub fn require_own_entries(&self, what: &str) -> Result<()> {
        match &self.kind {
            StoreKind::Own => Ok(()),
            StoreKind::Adopted { table, .. } => Err(Error::new(
                ErrorKind::Unsupported,
                format!("{what} cannot change the entries of store {}: they are the rows of {table}", self.schema),
            )
            .hint(format!("Change the rows of {table} instead; searches follow at once."))),
        }
    }
}
