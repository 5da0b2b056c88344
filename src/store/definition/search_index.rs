//! The search index: `entries_scan` with `entries_scan_long`, which lists the entries that are too long for
//! it. What they hold is [`memory_search_pgformat::entries_scan`]; from there come the statements that make
//! them and the look at the catalogs that recognises them.

use memory_search_pgformat::entries_scan::{COLUMNS, ColumnType, KEY_COLUMNS, LONG_COLUMNS, LONG_KEY_COLUMNS};

use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::pg::sql_text::filled;

/// Users read these statements.
const LINE_CHARACTERS: usize = 120;

const FIND_INDEX: &str = include_str!("find_index.sql");

/// Whether an entry's row fits `entries_scan`, as SQL over its columns: a tuple of an index has 2,704 bytes
/// at most, of which all columns of fixed length take less than 120. (A lexeme is up to 5 bytes longer in
/// a tsvector than in the form that is sent.)
pub const FITS: &str = "((pg_catalog.octet_length(pg_catalog.tsvectorsend(search_vector)) \
   OPERATOR(pg_catalog.+) (5 OPERATOR(pg_catalog.*) pg_catalog.length(search_vector)) \
   OPERATOR(pg_catalog.+) pg_catalog.octet_length(memory_id) \
   OPERATOR(pg_catalog.+) COALESCE(pg_catalog.octet_length(user_id), 0) \
   OPERATOR(pg_catalog.+) COALESCE(pg_catalog.octet_length(embedding_signs), 0)) OPERATOR(pg_catalog.<=) 2400)";

/// [`FITS`] as the server writes it.
const FITS_AS_WRITTEN: &str = "(((((octet_length(tsvectorsend(search_vector)) + (5 * length(search_vector))) \
   + octet_length(memory_id)) + COALESCE(octet_length(user_id), 0)) + COALESCE(octet_length((embedding_signs)::\"bit\"), 0)) \
   <= 2400)";

/// One of the two indexes.
struct Index {
    name: &'static str,
    columns: &'static [(&'static str, ColumnType)],
    key_columns: usize,
    /// What is said of [`FITS`] in its predicate.
    test: &'static str,
    comment: &'static str,
}

const SCAN: Index = Index {
    name: "entries_scan",
    columns: &COLUMNS,
    key_columns: KEY_COLUMNS,
    test: "IS TRUE",
    comment: "memory_search: what a search reads of every entry of a memory, in one range of pages",
};

const LONG: Index = Index {
    name: "entries_scan_long",
    columns: &LONG_COLUMNS,
    key_columns: LONG_KEY_COLUMNS,
    test: "IS NOT TRUE",
    comment: "memory_search: the entries that are too long for entries_scan",
};

impl Index {
    fn create(&self, schema: &str) -> String {
        let names: Vec<&str> = self.columns.iter().map(|&(name, _)| name).collect();
        let (key, included) = names.split_at(self.key_columns);
        let columns = format!("CREATE INDEX {} ON {schema}.entries ({})", self.name, key.join(", "));
        let included = format!("INCLUDE ({})", included.join(", "));
        let space = if columns.len() + included.len() < LINE_CHARACTERS { " " } else { "\n  " };
        format!("{columns}{space}{included}\n  WHERE {FITS} {};\n", self.test)
    }

    fn comment(&self, schema: &str) -> String {
        format!("COMMENT ON INDEX {schema}.{} IS '{}';\n", self.name, self.comment)
    }

    /// A query that gives its OID as `index_oid`, where it is what [`Index::create`] makes, over `entries` of
    /// pg_class and `memory_id` of pg_attribute.
    fn find(&self, statement: &mut Statement) -> String {
        let described: Vec<String> =
            self.columns.iter().map(|&(name, type_oid)| format!("{name} {}", type_oid as u32)).collect();
        let columns = statement.bind(Param::text(described.join(",")));
        let predicate = statement.bind(Param::text(FITS_AS_WRITTEN));
        filled(
            FIND_INDEX,
            &[
                ("{index}", self.name),
                ("{key_columns}", &self.key_columns.to_string()),
                ("{predicate}", &predicate),
                ("{test}", self.test),
                ("{columns}", &columns),
            ],
        )
    }
}

/// The statements that make both, in a schema whose name is quoted.
pub fn create(schema: &str) -> String {
    [SCAN.create(schema), LONG.create(schema), "\n".to_owned(), SCAN.comment(schema), LONG.comment(schema)].concat()
}

/// The statement that drops both, of whatever form they are.
pub fn drop_if_exists(schema: &str) -> String {
    format!("DROP INDEX IF EXISTS {schema}.{}, {schema}.{};\n", SCAN.name, LONG.name)
}

/// Both names, for messages.
pub fn names() -> String {
    format!("{}, {}", SCAN.name, LONG.name)
}

/// Queries that give the OIDs of `entries_scan` and of `entries_scan_long`.
pub fn find(statement: &mut Statement) -> (String, String) {
    (SCAN.find(statement), LONG.find(statement))
}
