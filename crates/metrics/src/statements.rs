//! The statements behind the figures. They read catalogs, sizes and waiting rows: never all rows of a store, and no
//! object in which the owner of a store could have put code.

use memory_search_client::database::statement::{Statement, Value};

/// The number at which counting of rows ends.
pub const MOST_COUNTED: u32 = 100_000;

/// The most stores.
const MOST_STORES: u32 = 500;

/// The tables of the stores in $1, or of all that the role may read: those in the schemas, those behind adopted stores,
/// and all their partitions. The statement locks none of them.
const TABLES: &str = "store AS MATERIALIZED (\
      SELECT n.nspname::pg_catalog.text AS store, e.oid AS entries, c.oid AS contexts, e.relkind AS kind \
      FROM pg_catalog.pg_namespace n \
      JOIN pg_catalog.pg_class e ON e.relnamespace OPERATOR(pg_catalog.=) n.oid \
        AND e.relname OPERATOR(pg_catalog.=) 'entries' \
      JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid \
        AND c.relname OPERATOR(pg_catalog.=) 'contexts' \
      WHERE EXISTS (SELECT FROM pg_catalog.pg_class a WHERE a.relnamespace OPERATOR(pg_catalog.=) n.oid \
          AND a.relname OPERATOR(pg_catalog.=) 'entry_access') \
        AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') \
        AND pg_catalog.has_any_column_privilege(e.oid, 'SELECT') \
        AND ($1 OPERATOR(pg_catalog.=) '{}' OR n.nspname::pg_catalog.text OPERATOR(pg_catalog.=) ANY ($1)) \
      ORDER BY n.nspname LIMIT {most}), \
    top (store, oid, of_entries) AS (\
      SELECT s.store, t.oid, t.oid OPERATOR(pg_catalog.=) s.entries \
      FROM store s JOIN pg_catalog.pg_class e ON e.oid OPERATOR(pg_catalog.=) s.entries \
      JOIN pg_catalog.pg_class t ON t.relnamespace OPERATOR(pg_catalog.=) e.relnamespace \
        AND t.relname OPERATOR(pg_catalog.=) ANY ('{entries,contexts,entry_access,links,aliases,history}'::pg_catalog.name[]) \
        AND t.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}'::pg_catalog.\"char\"[]) \
      UNION \
      SELECT s.store, t.oid, true \
      FROM store s JOIN pg_catalog.pg_rewrite r ON r.ev_class OPERATOR(pg_catalog.=) s.entries \
      JOIN pg_catalog.pg_depend d ON d.objid OPERATOR(pg_catalog.=) r.oid \
        AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass \
        AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
      JOIN pg_catalog.pg_class t ON t.oid OPERATOR(pg_catalog.=) d.refobjid \
        AND t.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}'::pg_catalog.\"char\"[])), \
    part (store, oid, of_entries) AS (\
      SELECT t.store, t.oid, t.of_entries FROM top t UNION \
      SELECT p.store, i.inhrelid, p.of_entries FROM part p \
      JOIN pg_catalog.pg_inherits i ON i.inhparent OPERATOR(pg_catalog.=) p.oid)";

/// A store, and which of its relations may be read to count waiting rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Countable {
    /// The store.
    pub store: String,
    /// Whether its entries may be.
    pub entries: bool,
    /// Whether its contexts may be.
    pub contexts: bool,
}

fn reads(sql: impl Into<String>, values: Vec<Value>) -> Statement {
    Statement { sql: sql.into(), values, writes: false }
}

fn tables() -> String {
    TABLES.replace("{most}", &MOST_STORES.to_string())
}

/// Whether Citus is installed, whose catalog says which tables it distributes.
pub fn has_citus() -> Statement {
    reads("SELECT (pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL)::pg_catalog.text", Vec::new())
}

/// The stores, with the catalogs' data about their entries, and the tables in which waiting rows may be counted.
/// `entries` is null if nothing is known: the rows are elsewhere, a view reads several tables, or a policy binds the
/// role.
pub fn stores(stores: &[String], citus: bool) -> Statement {
    let is_elsewhere = match citus {
        true => {
            "EXISTS (SELECT FROM pg_catalog.pg_dist_partition x \
               WHERE x.logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) p.oid)"
        }
        false => "k.relkind OPERATOR(pg_catalog.=) 'f'",
    };
    let countable = |relation: &str| {
        format!(
            "EXISTS (SELECT FROM pg_catalog.pg_class k \
               WHERE k.oid OPERATOR(pg_catalog.=) s.{relation} \
                 AND k.relkind OPERATOR(pg_catalog.=) ANY ('{{r,p}}'::pg_catalog.\"char\"[]) \
                 AND pg_catalog.has_table_privilege(k.oid, 'SELECT') \
                 AND 3 OPERATOR(pg_catalog.=) (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a \
                   WHERE a.attrelid OPERATOR(pg_catalog.=) k.oid AND NOT a.attisdropped \
                     AND (a.attname OPERATOR(pg_catalog.=) 'embedding' \
                       OR a.attname OPERATOR(pg_catalog.=) 'embedding_error' \
                         AND a.atttypid OPERATOR(pg_catalog.=) 'pg_catalog.text'::pg_catalog.regtype \
                       OR a.attname OPERATOR(pg_catalog.=) 'creation_time' \
                         AND a.atttypid OPERATOR(pg_catalog.=) 'pg_catalog.timestamptz'::pg_catalog.regtype)))"
        )
    };
    reads(
        format!(
            "WITH RECURSIVE {}, known AS (\
               SELECT p.store, pg_catalog.bool_or({is_elsewhere} OR k.relkind OPERATOR(pg_catalog.=) 'f') AS elsewhere, \
                 pg_catalog.sum(CASE WHEN k.relkind OPERATOR(pg_catalog.<>) 'r' THEN 0 \
                   WHEN k.reltuples OPERATOR(pg_catalog.>=) 0::pg_catalog.float4 THEN k.reltuples::pg_catalog.float8 \
                   ELSE pg_catalog.pg_stat_get_live_tuples(k.oid)::pg_catalog.float8 END) AS rows \
               FROM part p JOIN pg_catalog.pg_class k ON k.oid OPERATOR(pg_catalog.=) p.oid \
               WHERE p.of_entries GROUP BY p.store), \
             hidden AS (\
               SELECT t.store FROM top t JOIN store s ON s.store OPERATOR(pg_catalog.=) t.store \
               WHERE (t.of_entries OR t.oid OPERATOR(pg_catalog.=) s.contexts) \
                 AND pg_catalog.row_security_active(t.oid) GROUP BY t.store) \
             SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('store', s.store, \
               'entries', CASE WHEN NOT k.elsewhere AND h.store IS NULL AND 1 OPERATOR(pg_catalog.=) ( \
                 SELECT pg_catalog.count(*) FROM top t \
                 WHERE t.store OPERATOR(pg_catalog.=) s.store AND t.of_entries) THEN k.rows END, \
               'elsewhere', coalesce(k.elsewhere, true), \
               'count_entries', h.store IS NULL AND {}, \
               'count_contexts', h.store IS NULL AND {}) ORDER BY s.store), '[]')::pg_catalog.text \
             FROM store s LEFT JOIN known k ON k.store OPERATOR(pg_catalog.=) s.store \
             LEFT JOIN hidden h ON h.store OPERATOR(pg_catalog.=) s.store",
            tables(),
            countable("entries"),
            countable("contexts"),
        ),
        vec![Value::Texts(Some(stores.to_vec()))],
    )
}

/// The bytes of the stores' tables and of their indexes, by the names of the stores. Reading a size takes a lock, as
/// reading rows does.
pub fn sizes(stores: &[&Countable]) -> Statement {
    reads(
        format!(
            "WITH RECURSIVE {}, size AS (\
               SELECT p.store, pg_catalog.sum(pg_catalog.pg_table_size(k.oid)) AS of_table, \
                 pg_catalog.sum(pg_catalog.pg_indexes_size(k.oid)) AS of_index \
               FROM (SELECT DISTINCT p.store, p.oid FROM part p) AS p JOIN pg_catalog.pg_class k \
                 ON k.oid OPERATOR(pg_catalog.=) p.oid AND k.relkind OPERATOR(pg_catalog.=) 'r' \
               GROUP BY p.store) \
             SELECT coalesce(pg_catalog.jsonb_object_agg(s.store, \
               pg_catalog.jsonb_build_object('table', s.of_table, 'index', s.of_index)), '{{}}')::pg_catalog.text \
             FROM size AS s",
            tables()
        ),
        vec![Value::Texts(Some(stores.iter().map(|of| of.store.clone()).collect()))],
    )
}

/// The rows without an embedding, by the names of the stores: the waiting ones, the age in seconds of the oldest, and
/// those that the embedder refused.
pub fn waiting(stores: &[&Countable]) -> Statement {
    // Each has its own limit: refused rows must not keep waiting ones from being counted.
    let of = |store: &str, relation: &str| {
        let kind = |refused: bool| {
            format!(
                "(SELECT {refused} AS refused, r.creation_time FROM {}.{relation} AS r \
                  WHERE r.embedding IS NULL AND r.embedding_error IS {}NULL LIMIT {MOST_COUNTED})",
                without_braces(store),
                if refused { "NOT " } else { "" }
            )
        };
        [kind(false), kind(true)].join(" UNION ALL ")
    };
    let of_store = |(place, counted): (usize, &&Countable)| {
        let relations = [(counted.entries, "entries"), (counted.contexts, "contexts")];
        let rows = relations.iter().filter(|(is, _)| *is).map(|(_, relation)| of(&counted.store, relation));
        format!(
            "SELECT ($1)[{}] AS store, pg_catalog.jsonb_build_object(\
               'waiting', pg_catalog.count(*) FILTER (WHERE NOT w.refused), \
               'refused', pg_catalog.count(*) FILTER (WHERE w.refused), \
               'oldest', extract(epoch FROM pg_catalog.now() OPERATOR(pg_catalog.-) \
                 pg_catalog.min(w.creation_time) FILTER (WHERE NOT w.refused \
                   AND pg_catalog.isfinite(w.creation_time)))) AS rows \
             FROM ({}) AS w",
            place + 1,
            rows.collect::<Vec<String>>().join(" UNION ALL ")
        )
    };
    let each: Vec<String> = stores.iter().enumerate().map(of_store).collect();
    reads(
        format!(
            "SELECT pg_catalog.jsonb_object_agg(s.store, s.rows)::pg_catalog.text FROM ({}) AS s",
            each.join(" UNION ALL ")
        ),
        vec![Value::Texts(Some(stores.iter().map(|of| of.store.clone()).collect()))],
    )
}

/// `name` as a quoted SQL identifier without a brace: text in braces is replaced before a statement is sent.
fn without_braces(name: &str) -> String {
    format!("U&\"{}\"", name.replace('\\', r"\\").replace('"', "\"\"").replace('{', r"\007B"))
}

/// The server's counts for the extension's functions, if it counts calls.
pub fn functions() -> Statement {
    reads(
        "SELECT pg_catalog.jsonb_build_object('tracked', pg_catalog.current_setting('track_functions'), \
           'functions', coalesce((SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('function', f.name, \
             'calls', f.calls, 'seconds', f.seconds) ORDER BY f.name) FROM (\
             SELECT u.funcname AS name, pg_catalog.sum(u.calls) AS calls, \
               pg_catalog.sum(u.total_time) OPERATOR(pg_catalog./) 1000::pg_catalog.float8 AS seconds \
             FROM pg_catalog.pg_stat_user_functions u \
             JOIN pg_catalog.pg_depend d ON d.objid OPERATOR(pg_catalog.=) u.funcid \
               AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass \
               AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass \
               AND d.deptype OPERATOR(pg_catalog.=) 'e' \
             JOIN pg_catalog.pg_extension x ON x.oid OPERATOR(pg_catalog.=) d.refobjid \
               AND x.extname OPERATOR(pg_catalog.=) 'memory_search' \
             GROUP BY u.funcname) AS f), '[]'))::pg_catalog.text",
        Vec::new(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_statement_ends_nowhere_and_is_not_replaced() {
        assert_eq!(without_braces(r#"a"{ext}\0041"#), r#"U&"a""\007Bext}\\0041""#);
        let countable = Countable { store: "{ext}".to_owned(), entries: true, contexts: true };
        assert!(!waiting(&[&countable]).sql.contains("{ext}"));
    }
}
