INSERT INTO {links} (memory_id, from_entry, to_entry, kind, weight, valid_from, valid_until, metadata)
VALUES ({memory}, {from}::pg_catalog.{id_type}, {to}::pg_catalog.{id_type}, {kind}, {weight}::pg_catalog.float4,
        {valid_from}, {valid_until}, {metadata}::pg_catalog.jsonb)
ON CONFLICT (memory_id, from_entry, to_entry, kind) DO NOTHING
