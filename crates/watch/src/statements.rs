//! The statements of the watcher.

use memory_search_client::database::statement::{Statement, Value};

use crate::age::Age;

/// The stores in $1, each with the reason if the watcher cannot work on it; or, if none is named, those that belong to
/// the role. Working on a store runs code that its owner put there, so a store of another owner must be named: the
/// result has only the number of these. Membership in the owner's role is not enough, because the owner of a store may
/// have granted it.
const STORES: &str = "WITH known AS (\
      SELECT n.nspname::pg_catalog.text AS store, e.relkind OPERATOR(pg_catalog.=) 'v' AS adopted, \
        pg_catalog.pg_get_userbyid(e.relowner) OPERATOR(pg_catalog.=) current_user \
          AND pg_catalog.pg_get_userbyid(c.relowner) OPERATOR(pg_catalog.=) current_user AS own, \
        pg_catalog.row_security_active(e.oid) OR pg_catalog.row_security_active(c.oid) AS bound, \
        pg_catalog.has_schema_privilege(n.oid, 'USAGE') AS usable, \
        pg_catalog.has_table_privilege(c.oid, 'UPDATE') AND (e.relkind OPERATOR(pg_catalog.=) 'v' \
          OR pg_catalog.has_table_privilege(e.oid, 'UPDATE')) AS changes, \
        pg_catalog.has_table_privilege(c.oid, 'DELETE') AND (e.relkind OPERATOR(pg_catalog.=) 'v' \
          OR pg_catalog.has_table_privilege(e.oid, 'DELETE')) AS removes \
      FROM pg_catalog.pg_namespace n \
      JOIN pg_catalog.pg_class e ON e.relnamespace OPERATOR(pg_catalog.=) n.oid \
        AND e.relname OPERATOR(pg_catalog.=) 'entries' \
      JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid \
        AND c.relname OPERATOR(pg_catalog.=) 'contexts' \
      WHERE EXISTS (SELECT FROM pg_catalog.pg_class a WHERE a.relnamespace OPERATOR(pg_catalog.=) n.oid \
        AND a.relname OPERATOR(pg_catalog.=) 'entry_access')) \
    SELECT pg_catalog.jsonb_build_object('role', current_user, \
      'stores', coalesce((SELECT pg_catalog.jsonb_agg(pg_catalog.to_jsonb(k) ORDER BY k.store) FROM known k \
        WHERE CASE WHEN $1 OPERATOR(pg_catalog.=) '{}' THEN k.own \
          ELSE k.store OPERATOR(pg_catalog.=) ANY ($1) END), '[]'), \
      'others', (SELECT pg_catalog.count(*) FROM known k \
        WHERE NOT k.own AND k.usable AND k.changes))::pg_catalog.text";

fn text(value: impl ToString) -> Value {
    Value::Text(Some(value.to_string()))
}

/// The stores to work on.
pub fn stores(named: &[String]) -> Statement {
    Statement { sql: STORES.to_owned(), values: vec![Value::Texts(Some(named.to_vec()))], writes: false }
}

/// Embeds waiting rows of a store, at most this many; returns how many.
pub fn embed(store: &str, rows: u32) -> Statement {
    Statement {
        sql: "SELECT {ext}.memory_embed_pending(max_rows => $1::pg_catalog.int8, store => $2)::pg_catalog.text"
            .to_owned(),
        values: vec![text(rows), text(store)],
        writes: true,
    }
}

/// Removes rows that were deleted or expired at least this long ago, at most this many; returns how many.
pub fn purge(store: &str, age: Age, rows: u32) -> Statement {
    Statement {
        sql: "SELECT {ext}.memory_purge(before => pg_catalog.now() OPERATOR(pg_catalog.-) \
                pg_catalog.make_interval(secs => $1::pg_catalog.float8), \
              max_rows => $2::pg_catalog.int8, store => $3)::pg_catalog.text"
            .to_owned(),
        values: vec![text(age.seconds), text(rows), text(store)],
        writes: true,
    }
}
