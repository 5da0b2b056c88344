SELECT w.place, {is_from}, n.other::pg_catalog.text, n.kind, n.weight::pg_catalog.float8, n.valid_from, n.valid_until,
       n.metadata::pg_catalog.text, n.creation_time, n.superseded_by::pg_catalog.text,
       n.entry_created::pg_catalog.timestamptz
  FROM pg_catalog.unnest({ids}::pg_catalog.{id_type}[]) WITH ORDINALITY w (id, place)
 CROSS JOIN LATERAL (
   SELECT l.{other} AS other, l.kind, l.weight, l.valid_from, l.valid_until, l.metadata, l.creation_time,
          e.superseded_by, e.creation_time AS entry_created
     FROM {links} l
    CROSS JOIN LATERAL (
      SELECT e.superseded_by, e.creation_time FROM {entries} e
       WHERE {entry_of_memory} AND {the_other}) e
    WHERE {link_of_memory} AND l.{own} OPERATOR(pg_catalog.=) w.id{of_kinds}
      AND (l.valid_from IS NULL OR l.valid_from OPERATOR(pg_catalog.<=) {valid_at})
      AND (l.valid_until IS NULL OR l.valid_until OPERATOR(pg_catalog.>) {valid_at})
    ORDER BY l.weight DESC, l.creation_time DESC, l.{other}, l.kind
    LIMIT {rows}) n
