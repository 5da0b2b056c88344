-- The store "sharded", as a worker of Citus has it: its own tables are empty, and the rows of "plain" are beside them
-- in tables whose names end with the numbers of their shards. This imitates in SQL, under their own names, the catalogs
-- of Citus by which a search finds the rows of a memory: the catalogs of tables, of shards, of placements and of the
-- local group, and the function that finds a shard. This server is the group 7.
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text,
  colocationid int NOT NULL, repmodel "char" NOT NULL);
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass NOT NULL, shardid bigint PRIMARY KEY,
  shardstorage "char" NOT NULL, shardminvalue text, shardmaxvalue text);
CREATE TABLE pg_catalog.pg_dist_placement (placementid bigint PRIMARY KEY, shardid bigint NOT NULL,
  shardstate int NOT NULL, shardlength bigint NOT NULL, groupid int NOT NULL);
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int PRIMARY KEY);
CREATE FUNCTION pg_catalog.get_shard_id_for_distribution_column(table_name regclass, distribution_value anyelement)
RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT s.shardid FROM pg_catalog.pg_dist_shard s WHERE s.logicalrelid = table_name
    AND pg_catalog.hashtext(distribution_value::text) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int $$;
CREATE FUNCTION pg_catalog.get_current_transaction_id(OUT database_id oid, OUT process_id int,
  OUT initiator_node_identifier int, OUT transaction_number bigint, OUT transaction_stamp timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT 0::oid, 0, 0, coalesce(nullif(pg_catalog.current_setting('citus_test.transaction', true), ''), '0')::bigint,
    NULL::timestamptz $$;
-- A session reads the definition of a table again when one of its shards has moved.
CREATE FUNCTION pg_catalog.master_dist_placement_cache_invalidate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pg_catalog.pg_class SET relname = relname WHERE oid IN (SELECT logicalrelid FROM pg_catalog.pg_dist_partition);
  RETURN NULL;
END $$;
CREATE TRIGGER dist_placement_cache_invalidate AFTER INSERT OR UPDATE OR DELETE ON pg_catalog.pg_dist_placement
  FOR EACH STATEMENT EXECUTE FUNCTION pg_catalog.master_dist_placement_cache_invalidate();
GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard, pg_catalog.pg_dist_placement,
  pg_catalog.pg_dist_local_group TO PUBLIC;
RESET allow_system_table_mods;

SELECT memory_create_store('sharded');
-- Four shards of each table, a quarter of all hashes each; every table has numbers of its own.
CREATE VIEW elsewhere.shards AS
  SELECT name, shard, first + shard AS id, name || '_' || first + shard AS shard_name,
    -2147483648 + shard * 1073741824::bigint AS least, -2147483648 + shard * 1073741824::bigint + 1073741823 AS most
  FROM (SELECT name, 102000 + 100 * row_number() OVER () AS first FROM elsewhere.tables() name) t,
    generate_series(0, 3) shard;
INSERT INTO pg_dist_local_group VALUES (7);
INSERT INTO pg_dist_partition
  SELECT format('sharded.%I', name)::regclass, 'h', 'memory_id', 1, 's' FROM elsewhere.tables() name;
INSERT INTO pg_dist_shard SELECT format('sharded.%I', name)::regclass, id, 't', least, most FROM elsewhere.shards;
INSERT INTO pg_dist_placement SELECT id, id, 1, 0, 7 FROM elsewhere.shards;
SELECT format('CREATE TABLE sharded.%I (LIKE template.%I INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY)',
  shard_name, name) FROM elsewhere.shards \gexec
SELECT elsewhere.definitions('sharded', suffixes)
  FROM (SELECT jsonb_object_agg(name, '_' || id) AS suffixes FROM elsewhere.shards GROUP BY shard) s \gexec
SELECT elsewhere.copy_rows(name, format('sharded.%I', shard_name),
    format('get_shard_id_for_distribution_column(%L::regclass, r.memory_id) = %s', format('sharded.%I', name), id))
  FROM elsewhere.shards ORDER BY name <> 'entries', id;

-- Places the shards of a memory on this server or on another, in the catalogs.
CREATE FUNCTION elsewhere.place(memory text, place int) RETURNS void LANGUAGE sql AS $$
  UPDATE pg_dist_placement SET groupid = place WHERE shardid IN (
    SELECT get_shard_id_for_distribution_column(logicalrelid, memory) FROM pg_dist_partition) $$;
-- The statements that put the policies of the store's own tables on the shards, as Citus does.
CREATE FUNCTION elsewhere.policies_of_shards() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT format('CREATE POLICY %I ON sharded.%I USING (%s); ALTER TABLE sharded.%2$I ENABLE ROW LEVEL SECURITY;',
      p.polname, s.shard_name, regexp_replace(regexp_replace(pg_get_expr(p.polqual, p.polrelid),
        '\mentries\M', e.shard_name, 'g'), '\mentry_access\M', a.shard_name, 'g'))
    FROM elsewhere.shards s JOIN pg_policy p ON p.polrelid = format('sharded.%I', s.name)::regclass
    JOIN elsewhere.shards e ON e.name = 'entries' AND e.shard = s.shard
    JOIN elsewhere.shards a ON a.name = 'entry_access' AND a.shard = s.shard $$;
