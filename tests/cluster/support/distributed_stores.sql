-- Catalogs and functions under the names that Citus has them under, made of SQL, as far as it matters here: to them
-- every store with tables of its own is distributed, and all shards are on another server. What is asked of shards is
-- then asked by statements on the store's own tables, as on a node of Citus that has none of them.
SET allow_system_table_mods = on;
CREATE VIEW pg_catalog.pg_dist_partition AS
  SELECT c.oid::regclass AS logicalrelid, 'h'::"char" AS partmethod, 'memory_id'::text AS partkey, 1 AS colocationid,
    's'::"char" AS repmodel
  FROM pg_class c JOIN pg_class e ON e.relnamespace = c.relnamespace AND e.relname = 'entries' AND e.relkind = 'r'
  WHERE c.relname IN ('entries', 'contexts', 'entry_access') AND c.relkind = 'r';
CREATE TABLE pg_catalog.pg_dist_placement (placementid bigint PRIMARY KEY, shardid bigint NOT NULL,
  shardstate int NOT NULL, shardlength bigint NOT NULL, groupid int NOT NULL);
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int PRIMARY KEY);
INSERT INTO pg_dist_local_group VALUES (7);
CREATE FUNCTION pg_catalog.get_shard_id_for_distribution_column(table_name regclass, distribution_value anyelement)
RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 1::bigint';
CREATE FUNCTION pg_catalog.citus_table_size(logicalrelid regclass) RETURNS bigint LANGUAGE sql STABLE
AS 'SELECT pg_table_size(logicalrelid)';
CREATE FUNCTION pg_catalog.citus_total_relation_size(logicalrelid regclass, fail_on_error boolean DEFAULT true)
RETURNS bigint LANGUAGE sql STABLE AS 'SELECT pg_total_relation_size(logicalrelid)';
GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_placement, pg_catalog.pg_dist_local_group TO PUBLIC;
