WITH those AS MATERIALIZED ({those})
SELECT pg_catalog.array_agg(c.context_id::pg_catalog.text) FROM those t
 CROSS JOIN LATERAL (
   SELECT c.context_id FROM {contexts} c
    WHERE {of_entry} FOR UPDATE SKIP LOCKED) c
