//! What the catalogs say of a store. There is no registry: a schema that holds the relations of a
//! store is one, and everything about it is read from their definitions.

use std::rc::Rc;

use memory_search_core::{Error, ErrorKind, Result, ids};
use pgrx::pg_sys;

use crate::pg::guc;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::{shards, store_cache, view};

/// What a text goes through before the parser of the text search configuration, as SQL around the
/// text. Scripts that put no space between words (Han, Hiragana, Katakana) get one around each sign,
/// so that part of a run is found; `C++` and `C#`, of which the parser would leave `c`, get a word
/// that it keeps.
pub const WORDS: (&str, &str) = (
    "pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(",
    ", '([[:alpha:]]+)[+][+]', '\\1 \\1plusplus', 'g'), '([[:alpha:]]+)#', '\\1 \\1sharp', 'g'), \
     '([\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff])', ' \\1 ', 'g')",
);

/// Whether an entry's row fits `entries_scan`, as SQL over its columns: a tuple of an index has 2,704 bytes
/// at most, of which all columns of fixed length take less than 120. (A lexeme is up to 5 bytes longer in
/// a tsvector than in the form that is sent.)
pub const FITS_INDEX: &str = "((pg_catalog.octet_length(pg_catalog.tsvectorsend(search_vector)) \
   OPERATOR(pg_catalog.+) (5 OPERATOR(pg_catalog.*) pg_catalog.length(search_vector)) \
   OPERATOR(pg_catalog.+) pg_catalog.octet_length(memory_id) \
   OPERATOR(pg_catalog.+) COALESCE(pg_catalog.octet_length(user_id), 0) \
   OPERATOR(pg_catalog.+) COALESCE(pg_catalog.octet_length(embedding_signs), 0)) OPERATOR(pg_catalog.<=) 2400)";

/// What the predicates of `entries_scan` (is true) and `entries_scan_long` (is not true) say, as the server
/// writes it.
const SCAN_PREDICATE: &str = "(((((octet_length(tsvectorsend(search_vector)) + (5 * length(search_vector))) \
   + octet_length(memory_id)) + COALESCE(octet_length(user_id), 0)) + COALESCE(octet_length((embedding_signs)::\"bit\"), 0)) \
   <= 2400)";

/// The columns of `entries_scan` with their types: what [`ScanTuple`] expects.
///
/// [`ScanTuple`]: memory_search_core::index_page::ScanTuple
const SCAN_COLUMNS: [(&str, pg_sys::Oid); 11] = [
    ("memory_id", pg_sys::TEXTOID),
    ("creation_time", pg_sys::TIMESTAMPTZOID),
    ("entry_order", pg_sys::INT8OID),
    ("entry_id", pg_sys::UUIDOID),
    ("importance", pg_sys::INT2OID),
    ("deletion_scheduled_time", pg_sys::TIMESTAMPTZOID),
    ("expires_at", pg_sys::TIMESTAMPTZOID),
    ("superseded_time", pg_sys::TIMESTAMPTZOID),
    ("user_id", pg_sys::TEXTOID),
    ("embedding_signs", pg_sys::VARBITOID),
    ("search_vector", pg_sys::TSVECTOROID),
];
const LONG_COLUMNS: [(&str, pg_sys::Oid); 3] =
    [("memory_id", pg_sys::TEXTOID), ("creation_time", pg_sys::TIMESTAMPTZOID), ("user_id", pg_sys::TEXTOID)];

/// Columns with the OIDs of their types, in the form in which the catalogs are asked for those of an index.
fn described(columns: &[(&str, pg_sys::Oid)]) -> String {
    let described: Vec<String> =
        columns.iter().map(|(name, type_oid)| format!("{name} {}", type_oid.to_u32())).collect();
    described.join(",")
}

/// The setting in the policy of `memory_enable_row_security()` on `entries`, by its whole text as the server
/// writes it; no row when anything about the policies for reading is different.
const USER_POLICY: &str = r#"SELECT pg_catalog.min(ours.part[1]) AS setting FROM pg_catalog.pg_policy p
     LEFT JOIN LATERAL pg_catalog.regexp_match(
         pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), E'\\s+', ' ', 'g'),
         E'^\\(user_id = \\( SELECT CASE WHEN \\(current_setting\\(''([A-Za-z0-9_.]+)''::text, true\\) <> ''''::text\\) '
         'THEN current_setting\\(''\\1''::text, true\\) ELSE NULL::text END AS "case"\\)\\)$') ours (part)
       ON p.polpermissive AND p.polroles OPERATOR(pg_catalog.=) '{0}'::pg_catalog.oid[]
     WHERE p.polrelid OPERATOR(pg_catalog.=) entries.oid
       AND p.polcmd OPERATOR(pg_catalog.=) ANY (ARRAY['r', '*']::pg_catalog."char"[])
     HAVING pg_catalog.count(*) OPERATOR(pg_catalog.=) 1"#;

/// A store as its relations define it. Names are quoted, ready for SQL text.
#[derive(Debug, Clone, PartialEq)]
pub struct Store {
    /// The schema, quoted.
    pub schema: String,
    /// pgvector's schema, quoted.
    pub vector_schema: String,
    /// The text search configuration behind `search_vector`, as the inside of a string literal.
    pub language: String,
    /// Whether the texts of `search_vector` go through [`WORDS`].
    pub prepares_words: bool,
    /// How embeddings are stored.
    pub embedding: EmbeddingColumn,
    /// Ids of memories and entries.
    pub ids: IdTypes,
    /// Whether entries have what `entries_scan` is made of: all but adopted tables and stores made by hand.
    pub has_scan_columns: bool,
    /// The OIDs of `entries_scan` and `entries_scan_long`, if they are what `memory_create_store()` makes.
    pub scan_indexes: Option<(u32, u32)>,
    /// Whether an entry may stand without a creation time: in adopted tables, and where somebody dropped the
    /// constraint.
    pub may_lack_creation_time: bool,
    /// Whether contexts say which entry brought them: all but those of adopted tables and of stores made by 0.1.0.
    pub contexts_name_entries: bool,
    /// Whether entries and contexts say which of our embedders made their embeddings: all but adopted tables, which
    /// have names of their own for theirs, and stores made by hand.
    pub names_embedders: bool,
    /// Whether the store's tables have partitions.
    pub is_partitioned: bool,
    /// Whether the rows of the store's tables lie in shards, as Citus keeps them, and not in the tables.
    pub is_distributed: bool,
    /// The relations to read instead of the store's own: the shards of one memory.
    pub shards: Option<Shards>,
    /// The setting that names whose entries are seen, where the only policy for reading them is the one that
    /// `memory_enable_row_security()` makes.
    pub user_setting: Option<String>,
    /// The relation behind `entries` when that is a view: an adopted table, whose rows are its
    /// application's to write.
    pub adopted_from: Option<String>,
    /// What this was read from.
    pub read_from: ReadFrom,
}

/// How a store keeps embeddings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingColumn {
    /// `halfvec` or `vector`.
    pub type_name: String,
    /// `None` when the column takes any dimension.
    pub dimensions: Option<usize>,
}

/// The types of a store's ids: text and uuid, or what an adopted table has. Names in `pg_catalog`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdTypes {
    /// Of `entries.memory_id`.
    pub memory: String,
    /// Of `entries.entry_id`.
    pub entry: String,
}

/// The tables that hold one memory of a distributed store, quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Shards {
    pub entries: String,
    pub contexts: String,
    pub entry_access: String,
}

/// The OIDs of the catalog rows whose change makes a [`Store`] stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ReadFrom {
    pub entries: u32,
    pub contexts: u32,
    /// The relation behind an adopted store's view; 0 for a store's own table.
    pub source: u32,
    pub embedding_type: u32,
}

impl Store {
    /// A relation of the store, quoted.
    pub fn relation(&self, name: &str) -> String {
        match (&self.shards, name) {
            (Some(shards), "entries") => shards.entries.clone(),
            (Some(shards), "contexts") => shards.contexts.clone(),
            (Some(shards), "entry_access") => shards.entry_access.clone(),
            _ => format!("{}.{name}", self.schema),
        }
    }

    /// The tsvector of a text expression, made as `search_vector` is.
    pub fn tsvector(&self, text: &str) -> String {
        let text = match self.prepares_words {
            true => format!("{}{text}{}", WORDS.0, WORDS.1),
            false => text.to_owned(),
        };
        format!("pg_catalog.to_tsvector('{}'::pg_catalog.regconfig, {text})", self.language)
    }

    /// pgvector's cosine distance, as an operator that no search path can replace.
    pub fn cosine_distance(&self) -> String {
        format!("OPERATOR({}.<=>)", self.vector_schema)
    }

    /// Whether the embedding column takes vectors of this dimension.
    pub fn takes(&self, dimensions: usize) -> bool {
        self.embedding.dimensions.is_none_or(|own| own == dimensions)
    }

    /// A real[] parameter as the column's vector type.
    pub fn vector(&self, placeholder: &str) -> String {
        format!("{placeholder}::{}.{}", self.vector_schema, self.embedding.type_name)
    }

    /// The condition that entries `alias` belong to a memory. A text that is no id of an adopted
    /// table's type names no memory; it is no error.
    pub fn of_memory(&self, statement: &mut Statement, alias: &str, memory_id: &str) -> String {
        let id = statement.bind(Param::Text(ids::as_type(&self.ids.memory, memory_id)));
        match self.ids.memory.as_str() {
            "text" => format!("{alias}.memory_id OPERATOR(pg_catalog.=) {id}"),
            other => format!("{alias}.memory_id OPERATOR(pg_catalog.=) {id}::pg_catalog.{other}"),
        }
    }

    /// The condition that an entry's id is among those in a text[] parameter, which this store gave.
    pub fn is_among(&self, id: &str, placeholder: &str) -> String {
        format!("{id} OPERATOR(pg_catalog.=) ANY ({placeholder}::pg_catalog.{}[])", self.ids.entry)
    }

    /// The entries `e` of a memory whose ids are in a text[] parameter, which this store gave, as the FROM of
    /// a query. Looked up one by one (OFFSET 0 keeps it so): a generic plan takes every memory for one of
    /// average size, and would walk all of a large one.
    pub fn wanted(&self, ids: &str, of_memory: &str) -> String {
        format!(
            "pg_catalog.unnest({ids}::pg_catalog.{}[]) wanted (id) CROSS JOIN LATERAL (SELECT e.* FROM {} e \
               WHERE {of_memory} AND e.entry_id OPERATOR(pg_catalog.=) wanted.id OFFSET 0) e",
            self.ids.entry,
            self.relation("entries")
        )
    }

    /// The order of ids, which is that of their texts everywhere: a uuid has it by itself.
    pub fn id_order(&self, id: &str) -> String {
        match self.ids.entry.as_str() {
            "uuid" => id.to_owned(),
            _ => format!("{id}::pg_catalog.text COLLATE pg_catalog.\"C\""),
        }
    }

    /// A memory's id as its store writes it: a uuid may be typed in other ways.
    pub fn canonical_memory_id(&self, memory_id: &str) -> String {
        ids::as_type(&self.ids.memory, memory_id).unwrap_or_else(|| memory_id.to_owned())
    }

    /// Newest first; rows without a time come last.
    pub fn newest_first(&self) -> &'static str {
        if self.may_lack_creation_time { "DESC NULLS LAST" } else { "DESC" }
    }

    /// Refuses to write entries of an adopted table (0A000); `what` is the function's name.
    pub fn require_own_entries(&self, what: &str) -> Result<()> {
        match &self.adopted_from {
            None => Ok(()),
            Some(table) => Err(Error::new(
                ErrorKind::Unsupported,
                format!("{what} cannot change the entries of store {}: they are the rows of {table}", self.schema),
            )
            .hint(format!("Change the rows of {table} instead; searches follow at once."))),
        }
    }
}

/// pgvector's schema, quoted.
pub fn vector_schema(reader: &Reader<'_>) -> Result<String> {
    let statement = Statement::default().with(
        "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension x \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.extnamespace \
         WHERE x.extname OPERATOR(pg_catalog.=) 'vector'"
            .to_owned(),
    );
    reader.first(&statement, |row| row.required_text(1))?.ok_or_else(|| {
        Error::new(ErrorKind::WrongState, "the extension vector is not installed").hint("CREATE EXTENSION vector;")
    })
}

/// A store's definition. An unknown store is 42704, a schema without the relations 42P01. What was
/// read once is kept until the catalogs change.
pub fn store(reader: &Reader<'_>, name: &str) -> Result<Rc<Store>> {
    // Under this setting names and types are written in another form than the one they are looked for.
    let read = || spi::with_catalogs_as_they_stand(|| read_store(reader, name));
    store_cache::get_or_read(name, || guc::with(c"quote_all_identifiers", c"off", read))
}

/// The language is read from the definition of `search_vector` itself, so that it cannot differ
/// from what the entries are indexed with; an adopted table's view says it as a column of its own.
fn read_store(reader: &Reader<'_>, name: &str) -> Result<Store> {
    let mut statement = Statement::default();
    let name_placeholder = statement.bind(Param::text(name));
    let predicate = statement.bind(Param::text(SCAN_PREDICATE));
    let mut index = |name: &str, key_columns: usize, columns: &[(&str, pg_sys::Oid)], test: &str| {
        let columns = statement.bind(Param::text(described(columns)));
        format!(
            "SELECT i.indexrelid::pg_catalog.int8 AS index_oid FROM pg_catalog.pg_index i \
             JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid AND c.relname OPERATOR(pg_catalog.=) '{name}' \
             JOIN pg_catalog.pg_am m ON m.oid OPERATOR(pg_catalog.=) c.relam AND m.amname OPERATOR(pg_catalog.=) 'btree' \
             WHERE i.indrelid OPERATOR(pg_catalog.=) entries.oid AND i.indisvalid AND i.indnkeyatts OPERATOR(pg_catalog.=) {key_columns} \
               AND i.indexprs IS NULL AND pg_catalog.pg_get_expr(i.indpred, i.indrelid) \
                 OPERATOR(pg_catalog.=) pg_catalog.concat('(', {predicate}::pg_catalog.text, ' {test})') \
               AND 0 OPERATOR(pg_catalog.=) ALL (i.indoption::pg_catalog.int2[]) \
               AND i.indcollation[0] OPERATOR(pg_catalog.=) memory_id.attcollation \
               AND NOT EXISTS (SELECT FROM pg_catalog.unnest(i.indclass::pg_catalog.oid[]) k (class) \
                 JOIN pg_catalog.pg_opclass o ON o.oid OPERATOR(pg_catalog.=) k.class \
                 WHERE NOT o.opcdefault OR o.opcnamespace OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.regnamespace) \
               AND {columns} OPERATOR(pg_catalog.=) (SELECT pg_catalog.string_agg(pg_catalog.concat(a.attname, ' ', a.atttypid), ',' ORDER BY k.place) \
                 FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k (attribute, place) \
                 JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid AND a.attnum OPERATOR(pg_catalog.=) k.attribute)"
        )
    };
    let scan_index = index("entries_scan", 3, &SCAN_COLUMNS, "IS TRUE");
    let long_index = index("entries_scan_long", 2, &LONG_COLUMNS, "IS NOT TRUE");
    let statement = statement.with(format!(
        "SELECT pg_catalog.quote_ident(n.nspname), entries.oid::pg_catalog.int8, contexts.oid::pg_catalog.int8, \
                type.typname::pg_catalog.text, embedding.atttypmod::pg_catalog.int8, type.oid::pg_catalog.int8, \
                COALESCE((pg_catalog.regexp_match(definition.text, '''((?:[^'']|'''')+)''::text AS language'))[1], \
                  (pg_catalog.regexp_match(definition.text, 'to_tsvector\\(''((?:[^'']|'''')+)''::regconfig'))[1]), \
                vector_schema.name, \
                pg_catalog.strpos(definition.text, '3040-') OPERATOR(pg_catalog.>) 0 \
                  OR pg_catalog.strpos(definition.text, 'AS prepares_words') OPERATOR(pg_catalog.>) 0, \
                memory_id.atttypid::pg_catalog.int8, entry_id.atttypid::pg_catalog.int8, \
                entries.relkind OPERATOR(pg_catalog.<>) ALL (ARRAY['r', 'p']::pg_catalog.\"char\"[]), \
                EXISTS (SELECT FROM pg_catalog.pg_attribute signs WHERE signs.attrelid OPERATOR(pg_catalog.=) entries.oid \
                  AND signs.attname OPERATOR(pg_catalog.=) 'embedding_signs' \
                  AND signs.atttypid OPERATOR(pg_catalog.=) 'pg_catalog.varbit'::pg_catalog.regtype), \
                scan.index_oid, long.index_oid, policy.setting, \
                entries.relkind OPERATOR(pg_catalog.<>) 'r' AND entries.relkind OPERATOR(pg_catalog.<>) 'p' OR NOT EXISTS ( \
                  SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.=) entries.oid \
                    AND a.attname OPERATOR(pg_catalog.=) 'creation_time' AND a.attnotnull \
                    AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid OPERATOR(pg_catalog.=) entries.oid \
                      AND k.contype OPERATOR(pg_catalog.=) 'n' AND k.conkey OPERATOR(pg_catalog.=) ARRAY[a.attnum] AND NOT k.convalidated)), \
                EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.=) contexts.oid \
                  AND a.attname OPERATOR(pg_catalog.=) 'entry_id' AND a.atttypid OPERATOR(pg_catalog.=) entry_id.atttypid), \
                'p' OPERATOR(pg_catalog.=) ANY (ARRAY[entries.relkind, contexts.relkind]), \
                entries.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p', 'f']::pg_catalog.\"char\"[]) \
                  AND 2 OPERATOR(pg_catalog.=) (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a \
                  WHERE a.attrelid OPERATOR(pg_catalog.=) ANY (ARRAY[entries.oid, contexts.oid]) AND NOT a.attisdropped \
                    AND a.attname OPERATOR(pg_catalog.=) 'embedding_model' AND a.atttypid OPERATOR(pg_catalog.=) 'pg_catalog.text'::pg_catalog.regtype) \
         FROM pg_catalog.pg_namespace n \
         LEFT JOIN pg_catalog.pg_class entries \
           ON entries.relnamespace OPERATOR(pg_catalog.=) n.oid AND entries.relname OPERATOR(pg_catalog.=) 'entries' \
         LEFT JOIN pg_catalog.pg_class contexts \
           ON contexts.relnamespace OPERATOR(pg_catalog.=) n.oid AND contexts.relname OPERATOR(pg_catalog.=) 'contexts' \
         LEFT JOIN pg_catalog.pg_attribute memory_id \
           ON memory_id.attrelid OPERATOR(pg_catalog.=) entries.oid AND memory_id.attname OPERATOR(pg_catalog.=) 'memory_id' \
         LEFT JOIN pg_catalog.pg_attribute entry_id \
           ON entry_id.attrelid OPERATOR(pg_catalog.=) entries.oid AND entry_id.attname OPERATOR(pg_catalog.=) 'entry_id' \
         LEFT JOIN pg_catalog.pg_attribute embedding \
           ON embedding.attrelid OPERATOR(pg_catalog.=) entries.oid \
              AND embedding.attname OPERATOR(pg_catalog.=) 'embedding' AND NOT embedding.attisdropped \
         LEFT JOIN pg_catalog.pg_type type ON type.oid OPERATOR(pg_catalog.=) embedding.atttypid \
         LEFT JOIN pg_catalog.pg_attribute search_vector \
           ON search_vector.attrelid OPERATOR(pg_catalog.=) entries.oid \
              AND search_vector.attname OPERATOR(pg_catalog.=) 'search_vector' \
         LEFT JOIN pg_catalog.pg_attrdef expression \
           ON expression.adrelid OPERATOR(pg_catalog.=) entries.oid \
              AND expression.adnum OPERATOR(pg_catalog.=) search_vector.attnum \
         LEFT JOIN LATERAL (SELECT CASE WHEN entries.relkind OPERATOR(pg_catalog.=) 'v' THEN pg_catalog.pg_get_viewdef(entries.oid) \
           ELSE pg_catalog.pg_get_expr(expression.adbin, expression.adrelid) END AS text) definition ON true \
         LEFT JOIN LATERAL (SELECT pg_catalog.quote_ident(vn.nspname) AS name FROM pg_catalog.pg_extension x \
           JOIN pg_catalog.pg_namespace vn ON vn.oid OPERATOR(pg_catalog.=) x.extnamespace \
           WHERE x.extname OPERATOR(pg_catalog.=) 'vector') vector_schema ON true \
         LEFT JOIN LATERAL ({scan_index}) scan ON true LEFT JOIN LATERAL ({long_index}) long ON true \
         LEFT JOIN LATERAL ({USER_POLICY}) policy ON true \
         WHERE n.nspname OPERATOR(pg_catalog.=) {name_placeholder}"
    ));
    let mut found = reader.first(&statement, |row| {
        let (Some(entries), Some(contexts), Some(type_name), Some(memory_id), Some(entry_id)) =
            (row.integer(2), row.integer(3), row.text(4)?, row.integer(10), row.integer(11))
        else {
            return Err(Error::new(
                ErrorKind::UndefinedTable,
                format!("schema \"{name}\" is no store: it lacks the relations of one"),
            )
            .hint(format!("Make one with SELECT memory_create_store('{}').", name.replace('\'', "''"))));
        };
        let oid = |value: i64| u32::try_from(value).unwrap_or(0);
        Ok(Store {
            schema: row.required_text(1)?,
            vector_schema: row.required_text(8)?,
            prepares_words: row.boolean(9) == Some(true),
            language: row.text(7)?.unwrap_or_else(|| "pg_catalog.simple".to_owned()),
            embedding: EmbeddingColumn {
                type_name,
                dimensions: row.integer(5).and_then(|typmod| usize::try_from(typmod).ok()),
            },
            ids: IdTypes { memory: id_type(oid(memory_id)), entry: id_type(oid(entry_id)) },
            user_setting: row.text(16)?,
            may_lack_creation_time: row.boolean(17) != Some(false),
            contexts_name_entries: row.boolean(18) == Some(true),
            is_partitioned: row.boolean(19) == Some(true),
            names_embedders: row.boolean(20) == Some(true),
            is_distributed: false,
            shards: None,
            scan_indexes: row.integer(14).map(oid).zip(row.integer(15).map(oid)),
            has_scan_columns: row.boolean(12) == Some(false) && row.boolean(13) == Some(true),
            adopted_from: None,
            read_from: ReadFrom {
                entries: oid(entries),
                contexts: oid(contexts),
                source: match row.boolean(12) {
                    Some(true) => view::source(oid(entries)).unwrap_or(oid(entries)),
                    _ => 0,
                },
                embedding_type: row.integer(6).map_or(0, oid),
            },
        })
    })?;
    if let Some(store) = found.as_mut().filter(|store| store.read_from.source != 0) {
        let mut statement = Statement::default();
        let source = statement.bind(Param::Integer(Some(i64::from(store.read_from.source))));
        let statement =
            statement.with(format!("SELECT {source}::pg_catalog.oid::pg_catalog.regclass::pg_catalog.text"));
        store.adopted_from = reader.first(&statement, |row| row.text(1))?.flatten();
    }
    if let Some(store) = &mut found {
        store.is_distributed = shards::is_distributed(reader, store)?;
    }
    found.ok_or_else(|| {
        Error::new(ErrorKind::UndefinedObject, format!("store \"{name}\" does not exist"))
            .hint(format!("Make it with SELECT memory_create_store('{}').", name.replace('\'', "''")))
    })
}

/// The type that ids of a column are compared as: its own where an index on it must serve, else text.
fn id_type(oid: u32) -> String {
    match pg_sys::Oid::from(oid) {
        pg_sys::UUIDOID => "uuid",
        pg_sys::INT8OID => "int8",
        pg_sys::INT4OID => "int4",
        pg_sys::INT2OID => "int2",
        _ => "text",
    }
    .to_owned()
}
