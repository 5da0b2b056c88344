SELECT w.place, w.id::pg_catalog.text
  FROM pg_catalog.unnest({ids}::pg_catalog.uuid[]) WITH ORDINALITY w (id, place)
 WHERE (SELECT true FROM {entries} e WHERE {of_memory} AND {the_entry}) IS NULL
