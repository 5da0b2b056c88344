(WITH RECURSIVE correction (id) AS (
   SELECT {alias}.superseded_by
   UNION
   SELECT f.superseded_by FROM correction k
     CROSS JOIN LATERAL (
       SELECT f.superseded_by FROM {entries} f
        WHERE {first_of_memory} AND {first}) f)
 SELECT true FROM correction k
   CROSS JOIN LATERAL (
     SELECT FROM {entries} l
      WHERE {last_of_memory} AND {last}) l
 LIMIT 1) IS NULL
