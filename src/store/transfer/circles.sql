WITH RECURSIVE chain (place, at) AS (
  SELECT w.place, w.id FROM pg_catalog.unnest({by}::pg_catalog.uuid[]) WITH ORDINALITY w (id, place)
  UNION
  SELECT c.place, e.superseded_by FROM chain c
   CROSS JOIN LATERAL (
     SELECT e.superseded_by FROM {entries} e
      WHERE {of_memory} AND {the_next}) e
   WHERE e.superseded_by IS NOT NULL)
SELECT pg_catalog.min(c.place) FROM chain c
 WHERE c.at OPERATOR(pg_catalog.=) ({corrected}::pg_catalog.uuid[])[c.place::pg_catalog.int4]
