SELECT w.place, n.is_from, n.other::pg_catalog.text, n.kind, n.weight::pg_catalog.float8, n.valid_from, n.valid_until,
       n.metadata::pg_catalog.text, n.creation_time, n.superseded_by::pg_catalog.text, n.said::pg_catalog.timestamptz
  FROM pg_catalog.unnest({ids}::pg_catalog.{id_type}[]) WITH ORDINALITY w (id, place)
 CROSS JOIN LATERAL ({steps}) n
