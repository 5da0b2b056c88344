//! Parts of the graph's statements. $1 is the memory and $2 the store.
//!
//! A row of the graph has the columns id, at, kind, name, entity_type, text, from_name, to_name, relation_type and
//! successor. The text of an observation is stored after the name of its entity, so that the text alone shows its
//! subject.

/// Entries of a page.
const PAGE: u32 = 1000;

/// Names in one filter.
const NAMES_OF_FILTER: u32 = 1000;

/// Operators are written plainly here, and qualified in the statement: the search_path is the caller's.
pub fn qualified(sql: &str) -> String {
    let operators = [" = ", " <> ", " > ", " < ", " <= ", " || ", " ->> ", " -> ", " + ", " - ", " * ", " / ", " ^@ "];
    operators.iter().fold(sql.to_owned(), |sql, operator| {
        sql.replace(operator, &format!(" OPERATOR(pg_catalog.{}) ", operator.trim()))
    })
}

/// The filter of entries of these kinds.
fn of_kinds(kinds: &str) -> String {
    format!(r#"'{{"graph": {{"$in": [{kinds}]}}}}'::pg_catalog.jsonb"#)
}

/// A table `asked` with one filter, which every entry of the graph passes.
pub fn asked_whole() -> String {
    format!("asked (filters) AS (SELECT pg_catalog.jsonb_build_object('metadata', {}))", of_kinds(ALL))
}

/// Every kind of entry.
const ALL: &str = r#""entity", "observation", "relation""#;

/// A table `asked` with filters for entries about the entities in `names`, a table with a column `name`. The filters
/// compare folded names; statements that read the rows compare the exact names.
pub fn asked_of(names: &str) -> String {
    format!(
        "asked (filters) AS (SELECT pg_catalog.jsonb_build_object('entities', pg_catalog.jsonb_agg(c.name), \
           'metadata', {}) \
         FROM (SELECT n.name, (pg_catalog.row_number() OVER () - 1) / {NAMES_OF_FILTER} AS chunk \
           FROM {names} AS n) AS c \
         GROUP BY c.chunk)",
        of_kinds(ALL)
    )
}

/// A table `asked` with one filter: entities and observations that contain the text $3 in any case.
pub fn asked_containing() -> String {
    format!(
        r#"asked_containing (filters) AS (SELECT pg_catalog.jsonb_build_object(
           'rawEntry', pg_catalog.jsonb_build_object('$ilike',
             '%' || pg_catalog.regexp_replace($3, '([\\%_])', '\\\1', 'g') || '%'),
           'metadata', {}))"#,
        of_kinds(r#""entity", "observation""#)
    )
}

/// The versions of entries that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// Entries that are not superseded.
    Latest,
    /// Superseded entries, too: a deletion of their corrections would reinstate them.
    All,
}

/// Tables up to `rows`, which has all rows of the graph that pass a filter of `asked`: page after page.
pub fn rows(rows: &str, asked: &str, versions: Versions) -> String {
    let options = match versions {
        Versions::Latest => "NULL",
        Versions::All => "'{\"includeSuperseded\": true, \"includeExpired\": true}'",
    };
    let page = |filters: &str, cursor: &str| {
        format!(
            "SELECT pg_catalog.jsonb_agg({ENTRY} || \
               pg_catalog.jsonb_build_object('successor', e.superseded_by)) AS entries, \
               pg_catalog.max(e.cursor) FILTER (WHERE e.ordinality = {PAGE}) AS next \
             FROM {{ext}}.memory_list(memory_id => $1, filters => {filters}, order_by => 'createdAt', \
               page_size => {PAGE}, cursor => {cursor}, store => $2, options => {options}) WITH ORDINALITY AS e"
        )
    };
    format!(
        "{rows}_page (filters, entries, next) AS (\
           SELECT a.filters, p.entries, p.next FROM {asked} AS a CROSS JOIN LATERAL ({first}) AS p \
           UNION ALL \
           SELECT b.filters, p.entries, p.next FROM {rows}_page AS b CROSS JOIN LATERAL ({further}) AS p \
           WHERE b.next IS NOT NULL), \
         {rows} AS MATERIALIZED (SELECT DISTINCT ON (1) {ROW} FROM {rows}_page AS p \
           CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(p.entries) AS e (value))",
        first = page("a.filters", "NULL"),
        further = page("b.filters", "b.next"),
    )
}

/// The columns that are read of an entry `e`.
pub const ENTRY: &str = "pg_catalog.jsonb_build_object('id', e.entry_id, 'at', e.creation_time, 'text', e.raw_entry, \
    'metadata', e.metadata)";

/// The columns of a row, from the JSON in `e.value`.
pub const ROW: &str = "e.value ->> 'id' AS id, (e.value ->> 'at')::pg_catalog.timestamptz AS at, \
    e.value -> 'metadata' ->> 'graph' AS kind, e.value -> 'metadata' ->> 'name' AS name, \
    e.value -> 'metadata' ->> 'entityType' AS entity_type, \
    CASE WHEN (e.value ->> 'text') ^@ ((e.value -> 'metadata' ->> 'name') || ': ') \
      THEN pg_catalog.substr(e.value ->> 'text', pg_catalog.length(e.value -> 'metadata' ->> 'name') + 3) \
      ELSE e.value ->> 'text' END AS text, \
    e.value -> 'metadata' ->> 'from' AS from_name, e.value -> 'metadata' ->> 'to' AS to_name, \
    e.value -> 'metadata' ->> 'relationType' AS relation_type, e.value ->> 'successor' AS successor";

/// The graph in the table `stored`: the entities that `shown` names, by its `place`, and the relations `r` that meet a
/// condition. A thing that was stored twice is shown once. Others may have stored entries in forms of their own: they
/// are shown as far as they have names.
pub fn graph(relations: &str) -> String {
    format!(
        "told AS (SELECT o.name, pg_catalog.json_agg(o.text ORDER BY o.at, o.id) AS observations \
           FROM (SELECT DISTINCT ON (s.name, s.text) s.name, s.text, s.at, s.id FROM stored AS s \
             WHERE s.kind = 'observation' ORDER BY s.name, s.text, s.at, s.id) AS o GROUP BY o.name), \
         entity AS (SELECT DISTINCT ON (s.name) s.name, s.entity_type, s.at, s.id, n.place FROM stored AS s \
           JOIN shown AS n ON n.name = s.name WHERE s.kind = 'entity' ORDER BY s.name, s.at, s.id), \
         relation AS (SELECT DISTINCT ON (r.from_name, r.to_name, r.relation_type) r.* FROM stored AS r \
           WHERE r.kind = 'relation' AND r.from_name IS NOT NULL AND r.to_name IS NOT NULL AND ({relations}) \
           ORDER BY r.from_name, r.to_name, r.relation_type, r.at, r.id) \
         SELECT pg_catalog.json_build_object(\
           'entities', (SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', n.name, \
             'entityType', coalesce(n.entity_type, ''), 'observations', coalesce(t.observations, '[]')) \
             ORDER BY n.place, n.at, n.id), '[]') FROM entity AS n LEFT JOIN told AS t ON t.name = n.name), \
           'relations', (SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('from', r.from_name, \
             'to', r.to_name, 'relationType', coalesce(r.relation_type, '')) \
             ORDER BY r.at, r.id), '[]') FROM relation AS r)\
         )::pg_catalog.text"
    )
}

/// Tables up to `added`, which counts what was added of `entry`: a table with the columns n, m, parts, text, metadata
/// and names. $4 is the user and $5 the agent.
///
/// The key is the same as the importer's, so that a later import of a file adds nothing twice. A corrected entry keeps
/// its key and stays corrected; if the same thing is added again, the new entry gets no key.
pub const ADDED: &str = "keyed AS MATERIALIZED (SELECT e.*, pg_catalog.row_number() OVER (ORDER BY e.n, e.m) AS place, \
      'graph:' || pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(\
        (SELECT pg_catalog.string_agg(pg_catalog.length(p.part) || ':' || p.part, '' ORDER BY p.ordinality) \
         FROM pg_catalog.unnest(pg_catalog.array_append(e.parts, $4)) WITH ORDINALITY AS p (part, ordinality)), \
        'UTF8')), 'hex') AS key FROM entry AS e), \
    taken AS MATERIALIZED (SELECT l.entry_key AS key \
      FROM (SELECT pg_catalog.jsonb_agg(k.key) AS keys FROM keyed AS k GROUP BY (k.place - 1) / 1000) AS c \
      CROSS JOIN LATERAL {ext}.memory_list(memory_id => $1, \
        filters => pg_catalog.jsonb_build_object('entryKey', c.keys), page_size => 1000, store => $2, \
        options => '{\"includeSuperseded\": true, \"includeExpired\": true}') AS l), \
    new_entries AS (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(\
        'rawEntry', k.text, 'entities', k.names, 'metadata', k.metadata, 'userId', $4, 'agentId', $5, \
        'creationTime', moment.at + (k.place * '1 microsecond'::pg_catalog.interval), \
        'entryKey', CASE WHEN t.key IS NULL THEN k.key END)) \
        ORDER BY k.place) AS list \
      FROM keyed AS k LEFT JOIN taken AS t ON t.key = k.key \
      CROSS JOIN (SELECT pg_catalog.clock_timestamp() AS at) AS moment), \
    added AS MATERIALIZED (SELECT pg_catalog.count(*) AS entries FROM new_entries AS e \
      CROSS JOIN LATERAL {ext}.memory_add_many(memory_id => $1, entries => e.list, store => $2) AS a \
      WHERE e.list IS NOT NULL)";

/// Deletes the rows of `doomed`, a table with ids, with the rows of `stored` that they replaced, and says how many it
/// deleted.
pub const DELETED: &str = ", gone AS (SELECT d.id FROM doomed AS d \
      UNION SELECT s.id FROM gone AS g JOIN stored AS s ON s.successor = g.id) \
    SELECT pg_catalog.json_build_object('deleted', CASE WHEN d.ids IS NULL THEN 0 \
      ELSE {ext}.memory_delete(memory_id => $1, entry_ids => d.ids, store => $2) END)::pg_catalog.text \
    FROM (SELECT pg_catalog.array_agg(s.id::pg_catalog.uuid) AS ids FROM gone AS s) AS d";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_qualified_and_named_arguments_stay() {
        assert_eq!(qualified("f(a => 1, b = 2)"), "f(a => 1, b OPERATOR(pg_catalog.=) 2)");
    }
}
