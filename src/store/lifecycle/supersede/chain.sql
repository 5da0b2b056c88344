WITH RECURSIVE correction AS (
  (SELECT e.entry_id, e.superseded_by FROM {entries} e
    WHERE e.memory_id OPERATOR(pg_catalog.=) {memory} AND {the_new})
  UNION
  SELECT e.entry_id, e.superseded_by FROM correction c
   CROSS JOIN LATERAL (
     SELECT e.entry_id, e.superseded_by FROM {entries} e
      WHERE e.memory_id OPERATOR(pg_catalog.=) {memory} AND {the_next}) e)
