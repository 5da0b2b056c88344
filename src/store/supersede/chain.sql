WITH RECURSIVE correction AS (
  SELECT e.entry_id, e.superseded_by FROM {entries} e
   WHERE e.memory_id OPERATOR(pg_catalog.=) {memory}
     AND e.entry_id OPERATOR(pg_catalog.=) {new}::pg_catalog.uuid{not_deleted}
  UNION
  SELECT e.entry_id, e.superseded_by FROM correction c
    JOIN {entries} e ON e.memory_id OPERATOR(pg_catalog.=) {memory}
     AND e.entry_id OPERATOR(pg_catalog.=) c.superseded_by)
