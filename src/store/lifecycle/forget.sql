WITH those AS MATERIALIZED (
       {locked}),
     snapshots AS MATERIALIZED (
       {snapshots}),
     counts AS (
       DELETE FROM {access} r USING those
        WHERE r.memory_id OPERATOR(pg_catalog.=) those.memory_id
          AND r.entry_id OPERATOR(pg_catalog.=) those.entry_id{in_r}
       RETURNING 1),
{unlinked}     contexts AS (
       DELETE FROM {contexts} r USING snapshots
        WHERE r.memory_id OPERATOR(pg_catalog.=) snapshots.memory_id
          AND r.context_id OPERATOR(pg_catalog.=) snapshots.context_id{in_r}
       RETURNING 1),
     gone AS (
       DELETE FROM {entries} r USING those
        WHERE r.memory_id OPERATOR(pg_catalog.=) those.memory_id
          AND r.entry_id OPERATOR(pg_catalog.=) those.entry_id{in_r}
       RETURNING 1)
SELECT (SELECT pg_catalog.count(*) FROM counts), (SELECT pg_catalog.count(*) FROM gone),
       (SELECT pg_catalog.count(*) FROM contexts),
       (SELECT pg_catalog.count(*) FROM {entries} r WHERE {of_user}{in_r})
         OPERATOR(pg_catalog.-) (SELECT pg_catalog.count(*) FROM those),
       {count_of_links}
