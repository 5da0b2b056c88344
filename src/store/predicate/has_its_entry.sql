({alias}.entry_id IS NULL
 OR (SELECT true FROM {entries} i
      WHERE {of_memory} AND {the_entry}) IS TRUE
 OR (SELECT true FROM {entries} i
      WHERE {of_memory} AND i.context OPERATOR(pg_catalog.=) {alias}.context
        AND i.user_id IS NOT DISTINCT FROM {alias}.user_id{present} LIMIT 1) IS TRUE)
