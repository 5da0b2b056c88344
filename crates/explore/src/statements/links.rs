//! The statements behind the links of an entry's page.

use memory_search_client::database::statement::Statement;

use super::{WITH_HIDDEN, reads, text};

/// The most links each way that a page shows; one more is read, which shows that there are more.
pub const MOST_LINKS: usize = 100;

/// The most entries of a picture: with more, its numbers would be too small to read.
pub const MOST_RELATED: usize = 40;

/// The number of links to the farthest entry of a picture.
pub const DEPTH: usize = 2;

/// The characters of an entry that its title is made of.
const CHARACTERS: usize = 300;

/// The links of an entry, from it and to it, each with the beginning of the entry at its other end.
pub fn links(store: &str, memory: &str, entry: &str) -> Statement {
    let way = |way: &str, other: &str| {
        format!(
            "SELECT '{way}' AS way, l.{other} AS other, l.kind, l.weight, l.valid_from, l.valid_until, l.ordinality \
             FROM {{ext}}.memory_links(memory_id => $1, entry_id => $2, direction => '{way}', max_rows => {}, \
               store => $3) WITH ORDINALITY AS l",
            MOST_LINKS + 1
        )
    };
    reads(
        format!(
            "WITH links AS MATERIALIZED ({} UNION ALL {}), \
             others AS MATERIALIZED (\
               SELECT g.entry_id, pg_catalog.left(g.raw_entry, {CHARACTERS}) AS raw_entry, \
                 pg_catalog.left(g.summary, {CHARACTERS}) AS summary \
               FROM {{ext}}.memory_get(memory_id => $1, store => $3, options => $4::pg_catalog.jsonb, \
                 entry_ids => (SELECT coalesce(pg_catalog.array_agg(DISTINCT l.other), '{{}}') FROM links AS l)) AS g) \
             SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(l) OPERATOR(pg_catalog.||) \
               pg_catalog.jsonb_build_object('raw_entry', coalesce(o.raw_entry, l.other), 'summary', o.summary) \
               ORDER BY l.way, l.ordinality), '[]')::pg_catalog.text \
             FROM links AS l LEFT JOIN others AS o ON o.entry_id OPERATOR(pg_catalog.=) l.other",
            way("from", "to_entry"),
            way("to", "from_entry")
        ),
        vec![text(memory), text(entry), text(store), text(WITH_HIDDEN)],
    )
}

/// The entries that links lead to, the nearest first.
pub fn related(store: &str, memory: &str, entry: &str) -> Statement {
    reads(
        format!(
            "SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(r) OPERATOR(pg_catalog.||) \
               pg_catalog.jsonb_build_object('raw_entry', pg_catalog.left(r.raw_entry, {CHARACTERS}), \
                 'summary', pg_catalog.left(r.summary, {CHARACTERS})) ORDER BY r.ordinality), '[]')::pg_catalog.text \
             FROM {{ext}}.memory_related(memory_id => $1, entry_id => $2, depth => {DEPTH}, \
               max_entries => {MOST_RELATED}, store => $3) WITH ORDINALITY AS r"
        ),
        vec![text(memory), text(entry), text(store)],
    )
}
