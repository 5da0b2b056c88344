(WITH RECURSIVE correction (id, is_present) AS (
   SELECT {alias}.superseded_by, false
   UNION
   SELECT f.superseded_by, f.is_present FROM correction k
     CROSS JOIN LATERAL (
       SELECT {superseded_by}, {present} AS is_present FROM {entries} f
        WHERE {of_memory} AND {the_correction}) f)
 SELECT true FROM correction k WHERE k.is_present LIMIT 1) IS NULL
