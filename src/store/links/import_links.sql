INSERT INTO {links} (memory_id, from_entry, to_entry, kind, weight, valid_from, valid_until, metadata, creation_time)
SELECT {memory}, l.from_entry::pg_catalog.uuid, l.to_entry::pg_catalog.uuid, l.kind, l.weight::pg_catalog.float4,
       l.valid_from, l.valid_until, COALESCE(l.metadata, '{}')::pg_catalog.jsonb,
       COALESCE(l.created, pg_catalog.clock_timestamp())
  FROM ROWS FROM (
    pg_catalog.unnest({from}), pg_catalog.unnest({to}), pg_catalog.unnest({kind}), pg_catalog.unnest({weight}),
    pg_catalog.unnest({metadata}), pg_catalog.unnest({valid_from}), pg_catalog.unnest({valid_until}),
    pg_catalog.unnest({created})) WITH ORDINALITY
       l (from_entry, to_entry, kind, weight, metadata, valid_from, valid_until, created, place)
 ORDER BY l.place
