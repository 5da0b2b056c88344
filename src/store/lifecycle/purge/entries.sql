WITH those AS MATERIALIZED (
       SELECT r.memory_id, r.entry_id FROM {entries} r WHERE {goes}{in_r} LIMIT {rows} FOR UPDATE SKIP LOCKED),
     theirs AS MATERIALIZED (
       SELECT c.memory_id, c.context_id, c.entry_id,
              (SELECT o.entry_id FROM {entries} o
                WHERE o.memory_id OPERATOR(pg_catalog.=) c.memory_id AND o.context OPERATOR(pg_catalog.=) c.context
                  AND o.user_id IS NOT DISTINCT FROM c.user_id{in_o}
                  AND NOT EXISTS (
                    SELECT FROM those t
                     WHERE o.memory_id OPERATOR(pg_catalog.=) t.memory_id
                       AND o.entry_id OPERATOR(pg_catalog.=) t.entry_id)
                ORDER BY {is_deleted}, o.creation_time, o.entry_id LIMIT 1) AS next_entry_id
         FROM those t
         CROSS JOIN LATERAL (
           SELECT c.memory_id, c.context_id, c.entry_id, c.user_id, c.context FROM {contexts} c
            WHERE c.memory_id OPERATOR(pg_catalog.=) t.memory_id AND c.entry_id OPERATOR(pg_catalog.>=) t.entry_id
              AND c.entry_id OPERATOR(pg_catalog.<=) t.entry_id{in_c}
            ORDER BY c.entry_id FOR UPDATE SKIP LOCKED) c),
     free AS MATERIALIZED (
       SELECT t.memory_id, t.entry_id FROM those t
        WHERE NOT EXISTS (
          SELECT FROM (
            SELECT c.memory_id, c.context_id FROM {contexts} c
             WHERE c.memory_id OPERATOR(pg_catalog.=) t.memory_id AND c.entry_id OPERATOR(pg_catalog.>=) t.entry_id
               AND c.entry_id OPERATOR(pg_catalog.<=) t.entry_id{in_c}
             ORDER BY c.entry_id OFFSET 0) c
           WHERE NOT EXISTS (
               SELECT FROM theirs
                WHERE theirs.memory_id OPERATOR(pg_catalog.=) c.memory_id
                  AND theirs.context_id OPERATOR(pg_catalog.=) c.context_id))),
     handed_on AS (
       UPDATE {contexts} c SET entry_id = h.next_entry_id
         FROM (
           SELECT theirs.memory_id, theirs.context_id, theirs.next_entry_id
             FROM theirs
             JOIN free t
               ON theirs.memory_id OPERATOR(pg_catalog.=) t.memory_id
              AND theirs.entry_id OPERATOR(pg_catalog.=) t.entry_id
            WHERE theirs.next_entry_id IS NOT NULL OFFSET 0) h
        WHERE c.memory_id OPERATOR(pg_catalog.=) h.memory_id
          AND c.context_id OPERATOR(pg_catalog.=) h.context_id{in_c}),
{unlinked}     gone AS (
       DELETE FROM {entries} r USING free t
        WHERE r.memory_id OPERATOR(pg_catalog.=) t.memory_id AND r.entry_id OPERATOR(pg_catalog.=) t.entry_id{in_r}
       RETURNING 1)
SELECT (SELECT pg_catalog.count(*) FROM those), (SELECT pg_catalog.count(*) FROM gone)
