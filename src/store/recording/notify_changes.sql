{create} FUNCTION {schema}.notify_changes() RETURNS pg_catalog.trigger LANGUAGE plpgsql
SET search_path TO pg_catalog, pg_temp AS $function$
DECLARE
  changes pg_catalog.text;
  rows pg_catalog.int8;
BEGIN
  -- A statement notifies of each of a few entries, of each memory for many entries, and once for many memories.
  IF TG_OP OPERATOR(pg_catalog.=) 'INSERT' THEN
    SELECT pg_catalog.count(*) INTO rows FROM new_rows;
    IF rows OPERATOR(pg_catalog.<=) {most} THEN
      PERFORM pg_catalog.pg_notify(TG_ARGV[0], {payload_of_entry})
         FROM (SELECT n.memory_id, n.entry_id, 'added' AS operation FROM new_rows n) c;
      RETURN NULL;
    END IF;
    changes := $changes$SELECT n.memory_id, n.entry_id, 'added' AS operation FROM new_rows n$changes$;
  ELSIF TG_OP OPERATOR(pg_catalog.=) 'DELETE' THEN
    changes := $changes$SELECT o.memory_id, o.entry_id, 'removed' AS operation FROM old_rows o$changes$;
  ELSIF TG_OP OPERATOR(pg_catalog.=) 'UPDATE' THEN
    SELECT pg_catalog.count(*) INTO rows FROM (SELECT FROM new_rows LIMIT 1) n;
    IF rows OPERATOR(pg_catalog.=) 0 THEN
      RETURN NULL;
    END IF;
    changes := $changes${changes}$changes$;
  ELSE
    PERFORM pg_catalog.pg_notify(TG_ARGV[0],
      pg_catalog.json_build_object('store', TG_TABLE_SCHEMA, 'operation', 'truncated')::pg_catalog.text);
    RETURN NULL;
  END IF;
  EXECUTE pg_catalog.format($notify$
    WITH changes AS MATERIALIZED (%s),
      memories AS MATERIALIZED (
        SELECT c.memory_id, c.operation, pg_catalog.count(*) AS entries FROM changes c GROUP BY 1, 2),
      counted AS MATERIALIZED (
        SELECT (SELECT pg_catalog.count(*) FROM changes) OPERATOR(pg_catalog.<=) {most} AS few_entries,
          (SELECT pg_catalog.count(*) FROM memories) OPERATOR(pg_catalog.<=) {most} AS few_memories)
    SELECT pg_catalog.pg_notify($1, p.payload) FROM (
      SELECT {payload_in_execute} AS payload FROM changes c, counted WHERE counted.few_entries
      UNION ALL
      SELECT {payload_of_memory} FROM memories c, counted WHERE NOT counted.few_entries AND counted.few_memories
      UNION ALL
      SELECT {payload_of_store} FROM memories c, counted
       WHERE NOT counted.few_entries AND NOT counted.few_memories GROUP BY c.operation) p$notify$, changes)
    USING TG_ARGV[0], TG_TABLE_SCHEMA;
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION {schema}.notify_changes() IS 'memory_search: tells listeners what happens to entries';
