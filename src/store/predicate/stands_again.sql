(WITH RECURSIVE correction (id) AS (
   SELECT {alias}.superseded_by
   UNION
   SELECT f.superseded_by FROM correction k
     JOIN {entries} f ON {first_of_memory} AND f.entry_id OPERATOR(pg_catalog.=) {id}{counts})
 SELECT true FROM correction k
   JOIN {entries} l ON {last_of_memory} AND l.entry_id OPERATOR(pg_catalog.=) {id}{present}
 LIMIT 1) IS NULL
