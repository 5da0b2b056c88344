({alias}.entry_id IS NULL
 OR (SELECT true FROM {entries} i
      WHERE {of_memory} AND {the_entry}) IS TRUE
 OR ROW({alias}.context, COALESCE({alias}.user_id, ''), {alias}.user_id IS NULL) OPERATOR(pg_catalog.=) ANY (
    SELECT i.context, COALESCE(i.user_id, ''), i.user_id IS NULL FROM {entries} i
     WHERE {of_memory} AND i.context IS NOT NULL{present}))
