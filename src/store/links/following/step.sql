SELECT {is_from} AS is_from, l.{other} AS other, l.kind, l.weight, l.valid_from, l.valid_until, l.metadata,
       l.creation_time, e.*
  FROM {links} l
 CROSS JOIN LATERAL (
   SELECT {superseded_by}, e.creation_time AS said FROM {entries} e
    WHERE {entry_of_memory} AND {the_other}) e
 WHERE {link_of_memory} AND l.{own} OPERATOR(pg_catalog.=) w.id{of_kinds}
   AND (l.valid_from OPERATOR(pg_catalog.<=) {valid_at}) IS NOT FALSE
   AND (l.valid_until OPERATOR(pg_catalog.>) {valid_at}) IS NOT FALSE
 ORDER BY l.weight DESC, l.creation_time DESC, l.{other}, l.kind LIMIT {rows}
