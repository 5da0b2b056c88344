SELECT n.memory_id, n.entry_id, o.user_id, o.kept AS before,
  CASE WHEN o.deletion_scheduled_time IS NULL AND n.deletion_scheduled_time IS NOT NULL THEN 'deleted'
       WHEN o.deletion_scheduled_time IS NOT NULL AND n.deletion_scheduled_time IS NULL THEN 'restored'
       WHEN n.superseded_by IS NOT NULL AND n.superseded_by IS DISTINCT FROM o.superseded_by THEN 'superseded'
       WHEN n.superseded_by IS NULL AND o.superseded_by IS NOT NULL THEN 'reinstated'
       ELSE 'changed' END AS operation
FROM (SELECT pg_catalog.row_number() OVER () AS place, r.user_id, r.deletion_scheduled_time, r.superseded_by,
        {kept} AS kept FROM old_rows r) o
JOIN (SELECT pg_catalog.row_number() OVER () AS place, r.memory_id, r.entry_id, r.deletion_scheduled_time,
        r.superseded_by, {kept} AS kept FROM new_rows r) n ON n.place OPERATOR(pg_catalog.=) o.place
WHERE n.kept OPERATOR(pg_catalog.<>) o.kept
  -- A use lets what lives by its use begin anew, and changes nothing else: reading is no change.
  AND (n.kept OPERATOR(pg_catalog.-) 'expires_at'::pg_catalog.text
         OPERATOR(pg_catalog.=) (o.kept OPERATOR(pg_catalog.-) 'expires_at'::pg_catalog.text)
    AND (n.kept OPERATOR(pg_catalog.->>) 'expires_at')::pg_catalog.timestamptz OPERATOR(pg_catalog.=)
      (pg_catalog.now() OPERATOR(pg_catalog.+)
        (n.kept OPERATOR(pg_catalog.->>) 'time_to_live')::pg_catalog.interval)) IS NOT TRUE
