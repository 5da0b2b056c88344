//! The statement behind each part of a page. All of them only read, and take the values of an address as parameters.

pub mod entities;
pub mod links;

use memory_search_client::database::statement::{Statement, Value};

use crate::search_form::Search;

/// The most candidates that a page has.
pub const MOST_CANDIDATES: usize = 100;

/// The most rows of a list; one more is read, which shows that there are more.
pub const ROWS_OF_PAGE: usize = 50;

/// Everything that is there, also what searches do not see.
const WITH_HIDDEN: &str = r#"{"includeDeleted": true, "includeExpired": true, "includeSuperseded": true}"#;

/// The arguments that memory_search and memory_explain share, by the values of [`arguments_of`].
const ARGUMENTS: &str = "memory_id => $1, query => $2, top_ke => $3::pg_catalog.int4, \
    embedding => $4::{ext}.memory_embedding, filters => $5::pg_catalog.jsonb, store => $7";

fn reads(sql: impl Into<String>, values: Vec<Value>) -> Statement {
    Statement { sql: sql.into(), values, writes: false }
}

fn text(value: &str) -> Value {
    Value::Text(Some(value.to_owned()))
}

fn optional(value: Option<&str>) -> Value {
    Value::Text(value.map(str::to_owned))
}

/// The stores that the role may read, by the catalogs alone: nothing of them is run.
pub fn stores() -> Statement {
    reads(
        "SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('store', s.store, 'owner', s.owner, \
           'kind', s.kind, 'rows', s.rows) ORDER BY s.store), '[]')::pg_catalog.text FROM (\
           SELECT n.nspname AS store, pg_catalog.pg_get_userbyid(e.relowner) AS owner, e.relkind AS kind, \
             CASE WHEN pg_catalog.row_security_active(e.oid) THEN -1 ELSE e.reltuples::pg_catalog.int8 END AS rows \
           FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class e ON e.relnamespace OPERATOR(pg_catalog.=) n.oid \
           WHERE e.relname OPERATOR(pg_catalog.=) 'entries' \
             AND 2 OPERATOR(pg_catalog.=) (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c \
               WHERE c.relnamespace OPERATOR(pg_catalog.=) n.oid \
               AND c.relname OPERATOR(pg_catalog.=) ANY ('{contexts,entry_access}'::pg_catalog.name[])) \
             AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') \
             AND pg_catalog.has_any_column_privilege(e.oid, 'SELECT') \
           ORDER BY n.nspname LIMIT 500) AS s",
        Vec::new(),
    )
}

/// The name of the store that searches use if none is named.
pub fn default_store() -> Statement {
    reads(
        "SELECT pg_catalog.to_jsonb(coalesce(nullif(pg_catalog.current_setting('memory_search.store', true), ''), \
           'memory'))::pg_catalog.text",
        Vec::new(),
    )
}

/// The memories of a store, by their ids.
pub fn memories(store: &str, prefix: Option<&str>, after: Option<&str>) -> Statement {
    reads(
        format!(
            "SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(m) ORDER BY m.ordinality), '[]') \
               ::pg_catalog.text \
             FROM {{ext}}.memory_list_memories(prefix => $1, after => $2, page_size => {}, store => $3) \
             WITH ORDINALITY AS m",
            ROWS_OF_PAGE + 1
        ),
        vec![optional(prefix), optional(after), text(store)],
    )
}

/// The numbers of a store.
pub fn stats(store: &str) -> Statement {
    reads("SELECT pg_catalog.to_jsonb(s)::pg_catalog.text FROM {ext}.memory_stats(store => $1) AS s", vec![text(store)])
}

/// The findings of the doctor.
pub fn doctor(store: &str) -> Statement {
    reads(
        "SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(d) ORDER BY d.ordinality), '[]')::pg_catalog.text \
         FROM {ext}.memory_doctor(store => $1) WITH ORDINALITY AS d",
        vec![text(store)],
    )
}

/// The answer and the explanation of a search: both by one statement, so that they are about the same rows and the same
/// instant.
pub fn search(store: &str, memory: &str, search: &Search) -> Statement {
    let own = r#"{"diagnostics": true, "snippets": {"maxCharacters": 600, "start": "", "stop": ""}}"#;
    reads(
        format!(
            "SELECT pg_catalog.jsonb_build_object('found', {{ext}}.memory_search({ARGUMENTS}, \
               options => $6::pg_catalog.jsonb OPERATOR(pg_catalog.||) '{own}'::pg_catalog.jsonb), \
               'explained', x.explained, 'candidates', x.candidates)::pg_catalog.text \
             FROM (SELECT pg_catalog.count(*) AS candidates, pg_catalog.jsonb_agg(pg_catalog.to_jsonb(c) \
                 ORDER BY c.ordinality) FILTER (WHERE c.ordinality OPERATOR(pg_catalog.<=) {MOST_CANDIDATES}) \
                 AS explained \
               FROM {{ext}}.memory_explain({ARGUMENTS}, options => $6::pg_catalog.jsonb) WITH ORDINALITY AS c) AS x"
        ),
        arguments_of(store, memory, search),
    )
}

/// The response of a search as text, with all digits of its numbers.
pub fn response(store: &str, memory: &str, search: &Search) -> Statement {
    reads(
        format!(
            "SELECT pg_catalog.to_jsonb(pg_catalog.jsonb_pretty({{ext}}.memory_search({ARGUMENTS}, \
               options => $6::pg_catalog.jsonb)))::pg_catalog.text"
        ),
        arguments_of(store, memory, search),
    )
}

/// The reason for which a search gives an entry or not, beside the best and the last entry of the search.
pub fn explain(store: &str, memory: &str, search: &Search, entry: &str) -> Statement {
    let mut values = arguments_of(store, memory, search);
    values.push(text(entry));
    reads(
        format!(
            "WITH given AS MATERIALIZED (SELECT c.* FROM {{ext}}.memory_explain({ARGUMENTS}, \
               options => $6::pg_catalog.jsonb) AS c WHERE c.outcome OPERATOR(pg_catalog.=) 'returned') \
             SELECT pg_catalog.jsonb_build_object('row', pg_catalog.to_jsonb(x), \
               'best', (SELECT pg_catalog.to_jsonb(g) FROM given AS g ORDER BY g.place LIMIT 1), \
               'last', (SELECT pg_catalog.to_jsonb(g) FROM given AS g ORDER BY g.place DESC LIMIT 1))::pg_catalog.text \
             FROM {{ext}}.memory_explain({ARGUMENTS}, options => $6::pg_catalog.jsonb, entry_id => $8) AS x LIMIT 1"
        ),
        values,
    )
}

fn arguments_of(store: &str, memory: &str, search: &Search) -> Vec<Value> {
    vec![
        text(memory),
        text(&search.query),
        optional(search.k.as_deref()),
        optional(search.embedding.as_deref()),
        text(&search.filters),
        text(&search.options),
        text(store),
    ]
}

/// The latest context of a memory.
pub fn latest_context(store: &str, memory: &str) -> Statement {
    reads(
        "SELECT {ext}.memory_search(memory_id => $1, query => '', top_ke => 0, store => $2)::pg_catalog.text",
        vec![text(memory), text(store)],
    )
}

/// Entries page by page; `contains` is a part of their texts, in any case, `hidden` also shows entries that no search
/// sees.
pub fn entries(
    store: &str,
    memory: &str,
    contains: Option<&str>,
    session: Option<&str>,
    hidden: bool,
    cursor: Option<&str>,
) -> Statement {
    let pattern = contains.map(|part| {
        let part = part.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
        serde_json::json!({"$ilike": format!("%{part}%")})
    });
    let mut filters = serde_json::Map::new();
    if let Some(pattern) = pattern {
        filters.insert("$or".to_owned(), serde_json::json!([{"rawEntry": pattern}, {"summary": pattern}]));
    }
    if let Some(session) = session {
        filters.insert("sessionId".to_owned(), serde_json::json!(session));
    }
    reads(
        format!(
            "SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(e) - 'embedding' - 'metadata' \
               ORDER BY e.ordinality), '[]')::pg_catalog.text \
             FROM {{ext}}.memory_list(memory_id => $1, filters => $2::pg_catalog.jsonb, cursor => $3, \
               page_size => {}, store => $4, options => $5::pg_catalog.jsonb) WITH ORDINALITY AS e",
            ROWS_OF_PAGE + 1
        )
        .replace(" - '", " OPERATOR(pg_catalog.-) '"),
        vec![
            text(memory),
            text(&serde_json::Value::Object(filters).to_string()),
            optional(cursor),
            text(store),
            text(if hidden { WITH_HIDDEN } else { "{}" }),
        ],
    )
}

/// One entry with all its fields, hidden or not. Metadata come as text: its numbers keep their digits.
pub fn entry(store: &str, memory: &str, entry: &str) -> Statement {
    reads(
        "SELECT (pg_catalog.to_jsonb(e) OPERATOR(pg_catalog.-) 'embedding' OPERATOR(pg_catalog.||) \
           pg_catalog.jsonb_build_object('metadata', pg_catalog.jsonb_pretty(e.metadata), \
             'dimensions', pg_catalog.cardinality(e.embedding), \
             'expired', e.expires_at OPERATOR(pg_catalog.<=) pg_catalog.now(), \
             'later', e.creation_time OPERATOR(pg_catalog.>) pg_catalog.now()))::pg_catalog.text \
         FROM {ext}.memory_get(memory_id => $1, entry_ids => ARRAY[$2], store => $3, \
           options => $4::pg_catalog.jsonb) AS e",
        vec![text(memory), text(entry), text(store), text(&WITH_HIDDEN.replace('}', r#", "includeEmbedding": true}"#))],
    )
}

/// The history of an entry, newest first.
pub fn history(store: &str, memory: &str, entry: &str) -> Statement {
    reads(
        format!(
            "SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(h) ORDER BY h.ordinality), '[]') \
               ::pg_catalog.text \
             FROM {{ext}}.memory_history(memory_id => $1, entry_id => $2::pg_catalog.uuid, \
               page_size => {ROWS_OF_PAGE}, store => $3) WITH ORDINALITY AS h"
        ),
        vec![text(memory), text(entry), text(store)],
    )
}

/// The corrections before and after an entry, oldest first. The later ones follow from the column superseded_by of the
/// entries, the earlier ones are searched.
pub fn corrections(store: &str, memory: &str, entry: &str) -> Statement {
    const FARTHEST: usize = 20;
    reads(
        format!(
            "WITH RECURSIVE newer (entry_id, place) AS (\
               SELECT $2::pg_catalog.text, 0 UNION ALL \
               SELECT g.superseded_by, w.place OPERATOR(pg_catalog.+) 1 FROM newer AS w CROSS JOIN LATERAL \
                 {{ext}}.memory_get(memory_id => $1, entry_ids => ARRAY[w.entry_id], store => $3, \
                   options => $4::pg_catalog.jsonb) AS g \
               WHERE g.superseded_by IS NOT NULL AND w.place OPERATOR(pg_catalog.<) {FARTHEST}), \
             older (entry_id, place) AS (\
               SELECT $2::pg_catalog.text, 0 UNION ALL \
               SELECT e.entry_id::pg_catalog.text, o.place OPERATOR(pg_catalog.-) 1 \
               FROM older AS o JOIN {{store}}.entries AS e \
                 ON e.superseded_by::pg_catalog.text OPERATOR(pg_catalog.=) o.entry_id \
               WHERE e.memory_id::pg_catalog.text OPERATOR(pg_catalog.=) $1 \
                 AND o.place OPERATOR(pg_catalog.>) -{FARTHEST}), \
             chain (entry_id, place) AS (\
               SELECT c.entry_id, pg_catalog.min(c.place) FROM (SELECT * FROM newer UNION SELECT * FROM older) AS c \
               GROUP BY c.entry_id) \
             SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('entry_id', g.entry_id, \
               'raw_entry', g.raw_entry, 'summary', g.summary, 'creation_time', g.creation_time, \
               'deletion_scheduled_time', g.deletion_scheduled_time, 'superseded_by', g.superseded_by) \
               ORDER BY c.place, g.creation_time), '[]')::pg_catalog.text \
             FROM chain AS c CROSS JOIN LATERAL {{ext}}.memory_get(memory_id => $1, entry_ids => ARRAY[c.entry_id], \
               store => $3, options => $4::pg_catalog.jsonb) AS g"
        ),
        vec![text(memory), text(entry), text(store), text(WITH_HIDDEN)],
    )
}

/// The contexts of a memory, newest first, deleted ones too. If all are deleted, or there never was any, they are the
/// contexts of its entries, as in a search. An adopted table's store does not say which entry brought a context, so the
/// row is read as JSON.
pub fn contexts(store: &str, memory: &str, before: Option<&str>, behind: Option<&str>) -> Statement {
    let limit = ROWS_OF_PAGE + 1;
    reads(
        format!(
            "WITH own AS MATERIALIZED (\
               SELECT c.context_id::pg_catalog.text AS context_id, c.context, c.creation_time, c.user_id, \
                 c.deletion_scheduled_time, \
                 (pg_catalog.to_jsonb(c) OPERATOR(pg_catalog.->>) 'entry_id')::pg_catalog.text AS entry_id \
               FROM {{store}}.contexts AS c WHERE c.memory_id::pg_catalog.text OPERATOR(pg_catalog.=) $1 \
                 AND {} ORDER BY c.creation_time DESC, c.context_id LIMIT {limit}), \
             of_entries AS (\
               SELECT e.entry_id::pg_catalog.text, e.context::pg_catalog.text, \
                 coalesce(e.creation_time::pg_catalog.timestamptz, '-infinity'), \
                 e.user_id::pg_catalog.text, e.deletion_scheduled_time::pg_catalog.timestamptz, \
                 e.entry_id::pg_catalog.text \
               FROM {{store}}.entries AS e WHERE e.memory_id::pg_catalog.text OPERATOR(pg_catalog.=) $1 \
                 AND e.context IS NOT NULL AND {} \
                 AND NOT EXISTS (SELECT FROM {{store}}.contexts AS c \
                   WHERE c.memory_id::pg_catalog.text OPERATOR(pg_catalog.=) $1 \
                     AND (c.deletion_scheduled_time IS NULL OR c.deletion_scheduled_time OPERATOR(pg_catalog.>) \
                       pg_catalog.now() OR c.context OPERATOR(pg_catalog.=) e.context::pg_catalog.text \
                       AND c.user_id IS NOT DISTINCT FROM e.user_id::pg_catalog.text)) \
               ORDER BY 3 DESC, 1 LIMIT {limit}), \
             every AS (SELECT * FROM own UNION ALL SELECT * FROM of_entries ORDER BY 3 DESC, 1 LIMIT {limit}), \
             brought AS (\
               SELECT g.entry_id, g.superseded_by, g.deletion_scheduled_time, g.raw_entry \
               FROM {{ext}}.memory_get(memory_id => $1, store => $3, options => $4::pg_catalog.jsonb, \
                 entry_ids => (SELECT coalesce(pg_catalog.array_agg(DISTINCT v.entry_id), '{{}}') FROM every AS v \
                   WHERE v.entry_id IS NOT NULL)) AS g) \
             SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('context_id', v.context_id, \
               'context', v.context, 'creation_time', v.creation_time, 'user_id', v.user_id, \
               'deleted', v.deletion_scheduled_time OPERATOR(pg_catalog.<=) pg_catalog.now(), \
               'entry_id', v.entry_id, 'entry', b.raw_entry, 'entry_superseded', b.superseded_by IS NOT NULL, \
               'entry_deleted', b.deletion_scheduled_time OPERATOR(pg_catalog.<=) pg_catalog.now()) \
               ORDER BY v.creation_time DESC, v.context_id), '[]')::pg_catalog.text \
             FROM every AS v LEFT JOIN brought AS b ON b.entry_id OPERATOR(pg_catalog.=) v.entry_id",
            behind_page("c.creation_time", "c.context_id"),
            behind_page("coalesce(e.creation_time::pg_catalog.timestamptz, '-infinity')", "e.entry_id"),
        ),
        vec![text(memory), optional(before), text(store), text(WITH_HIDDEN), optional(behind)],
    )
}

/// Whether a row comes after the last one of the previous page, which $2 and $5 name.
fn behind_page(instant: &str, id: &str) -> String {
    format!(
        "($2 IS NULL OR {instant} OPERATOR(pg_catalog.<) $2::pg_catalog.timestamptz \
          OR {instant} OPERATOR(pg_catalog.=) $2::pg_catalog.timestamptz \
            AND {id}::pg_catalog.text OPERATOR(pg_catalog.>) $5)"
    )
}
