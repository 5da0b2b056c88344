WITH tables AS (
  SELECT {entries}::pg_catalog.oid AS oid
   UNION SELECT t.relid FROM pg_catalog.pg_partition_tree({entries}::pg_catalog.oid::pg_catalog.regclass) t)
SELECT p.proname::pg_catalog.text, p.oid::pg_catalog.regprocedure::pg_catalog.text, p.prosrc,
       l.lanname OPERATOR(pg_catalog.=) 'plpgsql' AND NOT p.prosecdef
         AND pg_catalog.cardinality(p.proconfig) OPERATOR(pg_catalog.=) 1
         -- It was made with quotes where quote_all_identifiers was on.
         AND pg_catalog.replace(p.proconfig[1], '"', '')
           OPERATOR(pg_catalog.=) 'search_path=pg_catalog, pg_temp',
       -- Triggers of mode R (replica) fire for changes that replication applies, and not for changes on this server.
       pg_catalog.count(*) FILTER (WHERE t.tgenabled OPERATOR(pg_catalog.=) ANY (ARRAY['O', 'A']::pg_catalog."char"[])),
       -- An argument ends with a byte 0. Triggers with different ones have none in common.
       CASE WHEN pg_catalog.count(DISTINCT t.tgargs) OPERATOR(pg_catalog.=) 1
             AND pg_catalog.min(t.tgnargs) OPERATOR(pg_catalog.=) 1::pg_catalog.int2 THEN
         pg_catalog.convert_from(
           pg_catalog.substring((pg_catalog.array_agg(t.tgargs))[1], 1,
             pg_catalog.octet_length((pg_catalog.array_agg(t.tgargs))[1]) OPERATOR(pg_catalog.-) 1),
           pg_catalog.getdatabaseencoding()) END,
       (SELECT pg_catalog.count(*) FROM tables),
       n.nspname::pg_catalog.text
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
  JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) ANY (SELECT oid FROM tables) AND NOT t.tgisinternal
  JOIN pg_catalog.pg_proc p
    ON p.oid OPERATOR(pg_catalog.=) t.tgfoid AND p.pronamespace OPERATOR(pg_catalog.=) c.relnamespace
   AND p.proname OPERATOR(pg_catalog.=) ANY (ARRAY['record_history', 'notify_changes']::pg_catalog.name[])
  JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
 WHERE c.oid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
 GROUP BY n.nspname, p.oid, l.lanname
