SELECT pg_catalog.array_agg(e.memory_id::pg_catalog.text), pg_catalog.array_agg(e.entry_id::pg_catalog.text)
  FROM {entries} e JOIN {contexts} c ON {of_another}{in_c}{in_e}
