WITH those AS ({locked}),
going AS ({going}),
counts AS (
  DELETE FROM {access} r
   WHERE (r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) ANY (TABLE those){in_r} RETURNING 1),
{unlinked}
{handed}contexts AS (
  DELETE FROM {contexts} r USING going s
   WHERE (r.memory_id, r.context_id) OPERATOR(pg_catalog.=) (s.memory_id, s.context_id){in_r}{but_handed}
  RETURNING r.user_id),
gone AS (
  DELETE FROM {entries} r
   WHERE (r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) ANY (TABLE those){in_r} RETURNING r.superseded_by)
SELECT (SELECT pg_catalog.count(*) FROM counts), (SELECT pg_catalog.count(*) FROM gone),
       (SELECT pg_catalog.count(*) FROM contexts), (SELECT pg_catalog.count(*) FROM {entries} r WHERE {of_user}{in_r}),
       (SELECT pg_catalog.count(*) FROM those), {count_of_links},
       (SELECT pg_catalog.count(*) FROM going){less_handed},
       EXISTS (SELECT FROM contexts WHERE user_id IS DISTINCT FROM {user}),
       (SELECT pg_catalog.count(superseded_by) FROM gone){keys}
