WITH ids AS MATERIALIZED (
{ids})
SELECT i.memory_id::pg_catalog.text, e.entries, c.contexts, e.first_created, e.last_created, u.last_used
  FROM ids i
  CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*) AS entries, pg_catalog.min(e.creation_time)::pg_catalog.timestamptz AS first_created,
           pg_catalog.max(e.creation_time)::pg_catalog.timestamptz AS last_created
      FROM {entries} e WHERE e.memory_id OPERATOR(pg_catalog.=) i.memory_id{in_e} AND {visible}) e
  CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*) AS contexts FROM {contexts} c
     WHERE c.memory_id OPERATOR(pg_catalog.=) i.memory_id::pg_catalog.text{in_c}
       AND {visible_contexts}) c
  -- Only entries that the caller sees count: the time of a use says something about the entry.
  CROSS JOIN LATERAL (
    SELECT pg_catalog.max(a.last_accessed_at)::pg_catalog.timestamptz AS last_used
      FROM {access} a JOIN {entries} e
        ON e.memory_id OPERATOR(pg_catalog.=) a.memory_id AND e.entry_id OPERATOR(pg_catalog.=) a.entry_id
     WHERE a.memory_id OPERATOR(pg_catalog.=) i.memory_id{in_a}{in_e} AND {visible}) u
 ORDER BY i.memory_id
