(WITH RECURSIVE correction (id) AS (
   SELECT {alias}.superseded_by
   UNION
   -- Each step is a look-up of its own. The planner guesses how many steps there are, and for so many it would read
   -- all entries, once for every corrected one.
   SELECT f.superseded_by FROM correction k
     CROSS JOIN LATERAL (
       SELECT f.superseded_by FROM {entries} f
        WHERE {first_of_memory} AND {first}) f)
 SELECT true FROM correction k
   CROSS JOIN LATERAL (
     SELECT FROM {entries} l
      WHERE {last_of_memory} AND {last}) l
 LIMIT 1) IS NULL
