-- memory_search 0.1.0 to 0.2.0
\echo Use "ALTER EXTENSION memory_search UPDATE TO '0.2.0'" to load this file. \quit

CREATE FUNCTION memory_delete_contexts("memory_id" TEXT, "context_ids" uuid[], "store" TEXT DEFAULT NULL) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_delete_contexts_wrapper';

CREATE FUNCTION memory_restore_contexts("memory_id" TEXT, "context_ids" uuid[], "store" TEXT DEFAULT NULL) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_restore_contexts_wrapper';

-- NULL is refused, as by all functions that change a store: it was silently nothing.
ALTER FUNCTION memory_drop_store("store" TEXT, "force" bool) CALLED ON NULL INPUT;

COMMENT ON FUNCTION memory_delete_contexts IS 'Hides context snapshots of a memory at once; gives how many. They stay until purged. One that an entry brought goes with that entry by itself';
COMMENT ON FUNCTION memory_restore_contexts IS 'Takes the deletion of context snapshots back; gives how many are shown again';
COMMENT ON FUNCTION memory_delete IS 'Hides entries at once, with the contexts that they brought, or a whole memory with whole_memory => true; gives how many rows. They stay until purged';
COMMENT ON FUNCTION memory_supersede IS 'Says that an entry is corrected by another one: it is no longer found, and memory_explain leads to the correction; it stands again when that is gone. new_entry_id NULL takes it back';
