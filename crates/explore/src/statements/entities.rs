//! The statements behind the pages of entities.

use memory_search_client::database::statement::Statement;
use serde_json::json;

use super::{ROWS_OF_PAGE, optional, reads, text};

/// The most entities that memory_entities lists, and that an entity is shown to occur with.
pub const MOST_ENTITIES: usize = 1_000;

/// Every instant that has a year: an entry without a time is neither the first nor the last.
const WITH_TIME: &str = "0001-01-01T00:00:00Z";

/// The entities of a memory, the most frequent first, behind the `skip` first ones. memory_entities has no cursor, so
/// each page asks it for all rows up to its own.
pub fn entities(store: &str, memory: &str, prefix: Option<&str>, skip: usize) -> Statement {
    let most = (skip + ROWS_OF_PAGE + 1).min(MOST_ENTITIES);
    reads(
        format!(
            "SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(e) ORDER BY e.ordinality), '[]') \
               ::pg_catalog.text \
             FROM {{ext}}.memory_entities(memory_id => $1, prefix => $2, max_rows => {most}, store => $3) \
             WITH ORDINALITY AS e WHERE e.ordinality OPERATOR(pg_catalog.>) {skip}"
        ),
        vec![text(memory), optional(prefix), text(store)],
    )
}

/// The number of times that each entity occurs in the entries that name this one, itself included, and the creation
/// times of the first and the last of these.
pub fn entity(store: &str, memory: &str, name: &str) -> Statement {
    let seen = |order: &str| {
        format!(
            "(SELECT e.creation_time FROM {{ext}}.memory_list(memory_id => $1, filters => $3::pg_catalog.jsonb, \
             order_by => '{order}', page_size => 1, store => $4) AS e)"
        )
    };
    reads(
        format!(
            "SELECT pg_catalog.jsonb_build_object('counts', coalesce(pg_catalog.jsonb_agg(\
               pg_catalog.jsonb_build_object('entity', f.value, 'entries', f.entries) ORDER BY f.ordinality), '[]'), \
               'first_seen', {}, 'last_seen', {})::pg_catalog.text \
             FROM {{ext}}.memory_facets(memory_id => $1, by => ARRAY['entities'], filters => $2::pg_catalog.jsonb, \
               max_values => {MOST_ENTITIES}, store => $4) WITH ORDINALITY AS f",
            seen("createdAt"),
            seen("-createdAt"),
        ),
        vec![
            text(memory),
            text(&json!({"entities": [name]}).to_string()),
            text(&json!({"entities": [name], "createdAfter": WITH_TIME}).to_string()),
            text(store),
        ],
    )
}

/// The aliases of a memory.
pub fn aliases(store: &str, memory: &str) -> Statement {
    reads(
        "SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('alias', a.alias, 'entity', a.entity) \
           ORDER BY a.ordinality), '[]')::pg_catalog.text \
         FROM {ext}.memory_aliases(memory_id => $1, store => $2) WITH ORDINALITY AS a",
        vec![text(memory), text(store)],
    )
}

/// The entries that name an entity, in the order of time, a page of them.
pub fn entries_about(store: &str, memory: &str, name: &str, cursor: Option<&str>) -> Statement {
    reads(
        format!(
            "SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(e) OPERATOR(pg_catalog.-) 'embedding' \
               OPERATOR(pg_catalog.-) 'metadata' ORDER BY e.ordinality), '[]')::pg_catalog.text \
             FROM {{ext}}.memory_list(memory_id => $1, filters => $2::pg_catalog.jsonb, order_by => 'createdAt', \
               cursor => $3, page_size => {}, store => $4) WITH ORDINALITY AS e",
            ROWS_OF_PAGE + 1
        ),
        vec![text(memory), text(&json!({"entities": [name]}).to_string()), optional(cursor), text(store)],
    )
}
