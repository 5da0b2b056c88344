//! The replica identity of a table: the columns by which the source says which row was changed or deleted. Without one,
//! the source refuses the application's own changes once the table is published.

use crate::follow::session::Session;

/// An expression for the names of the columns, one in each line, of the relation `c`. PostgreSQL does not use an index
/// whose check is deferrable.
pub const KEY: &str = "(SELECT pg_catalog.string_agg(a.attname, E'\\n' ORDER BY k.n) FROM pg_catalog.pg_index i \
    CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, n) \
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum \
    WHERE i.indrelid = c.oid AND i.indisvalid AND i.indimmediate AND k.n <= i.indnkeyatts \
      AND CASE c.relreplident WHEN 'i' THEN i.indisreplident ELSE i.indisprimary END)";

const OF_TABLE: &str = "SELECT c.relreplident::text, {key} FROM pg_catalog.pg_class c \
    WHERE c.oid = pg_catalog.to_regclass($1)";

/// The columns of the identity of a table, which messages call `shown`; an error if the source would refuse changes.
/// `kind` is its `relreplident`.
pub fn columns(shown: &str, kind: &str, key: &str) -> Result<Vec<String>, String> {
    match kind {
        "d" | "i" if !key.is_empty() => Ok(key.lines().map(str::to_owned).collect()),
        // With a list of columns, the source would refuse the application's own changes.
        "f" => Err(format!(
            "{shown} has REPLICA IDENTITY FULL, which allows no list of columns. Hint: ALTER TABLE {shown} REPLICA \
             IDENTITY DEFAULT, with a primary key"
        )),
        _ => Err(format!(
            "{shown} has no replica identity: once it is published, the source would refuse to change or delete its \
             rows. Hint: ALTER TABLE {shown} ADD PRIMARY KEY (...), or REPLICA IDENTITY USING INDEX of a unique index"
        )),
    }
}

/// The columns of the identity of a relation, on either server.
pub async fn of_table(server: &Session, relation: &str, shown: &str) -> Result<Result<Vec<String>, String>, String> {
    let row = server.row(&OF_TABLE.replace("{key}", KEY), &[relation]).await?;
    let row = row.ok_or_else(|| format!("there is no table {shown}"))?;
    let of = |at: usize| row[at].as_deref().unwrap_or_default();
    Ok(columns(shown, of(0), of(1)))
}

/// Whether two keys have the same columns.
pub fn is_same(one: &[String], other: &[String]) -> bool {
    let sorted = |key: &[String]| {
        let mut key = key.to_vec();
        key.sort();
        key
    };
    sorted(one) == sorted(other)
}
