(WITH RECURSIVE correction (id) AS (
   SELECT {alias}.superseded_by
   UNION
   -- OFFSET 0: each step is a look-up of its own. The planner guesses how many steps there are, and for so many
   -- it would read all entries, once for every corrected one.
   SELECT f.superseded_by FROM correction k
     CROSS JOIN LATERAL (
       SELECT f.superseded_by FROM {entries} f
        WHERE {first_of_memory} AND f.entry_id OPERATOR(pg_catalog.=) {id}{counts} OFFSET 0) f)
 SELECT true FROM correction k
   CROSS JOIN LATERAL (
     SELECT FROM {entries} l
      WHERE {last_of_memory} AND l.entry_id OPERATOR(pg_catalog.=) {id}{present} OFFSET 0) l
 LIMIT 1) IS NULL
