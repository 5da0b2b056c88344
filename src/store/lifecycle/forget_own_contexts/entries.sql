SELECT pg_catalog.array_agg(k.memory_id::pg_catalog.text), pg_catalog.array_agg(k.entry_id::pg_catalog.text)
  FROM ({of_another}) k
