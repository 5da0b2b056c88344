-- The parts of Citus that a store needs, in SQL, with the module shard_planner: its catalogs, and the functions that
-- distribute a table, which move the rows into shards. Each shard is a table beside the empty one, named by its number,
-- and is dropped with it. "place" is the server of the shards; this server is the place 7.
SET allow_system_table_mods = on;
INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  VALUES (999999, 'citus', 10, 'pg_catalog'::regnamespace, false, '13.0');
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text,
  colocationid int NOT NULL, repmodel "char" NOT NULL);
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass NOT NULL, shardid bigint PRIMARY KEY,
  shardstorage "char" NOT NULL, shardminvalue text, shardmaxvalue text);
CREATE TABLE pg_catalog.pg_dist_placement (placementid bigint PRIMARY KEY, shardid bigint NOT NULL,
  shardstate int NOT NULL, shardlength bigint NOT NULL, groupid int NOT NULL);
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int PRIMARY KEY);
INSERT INTO pg_dist_local_group VALUES (7);
CREATE SEQUENCE pg_catalog.pg_dist_shardid_seq START 102008;
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
-- Shards and their indexes, which Citus hides from clients that read pg_class.
CREATE FUNCTION pg_catalog.relation_is_a_known_shard(relation oid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_dist_partition p ON p.logicalrelid = d.refobjid
     WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refclassid = d.classid AND d.deptype = 'a'
       AND d.objid = coalesce((SELECT indrelid FROM pg_catalog.pg_index WHERE indexrelid = relation), relation)
       AND d.objid <> d.refobjid AND d.objsubid = 0 AND d.refobjsubid = 0) $$;
GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard, pg_catalog.pg_dist_placement,
  pg_catalog.pg_dist_local_group TO PUBLIC;
CREATE SCHEMA citus_test;
-- The place of the shards that are made from now on.
CREATE TABLE citus_test.place (here int);
INSERT INTO citus_test.place VALUES (:place);

CREATE FUNCTION citus_test.shards(distributed regclass, OUT id bigint, OUT least_hash text, OUT shard text)
RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT s.shardid, s.shardminvalue, format('%I.%I', n.nspname, c.relname || '_' || s.shardid)
    FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE s.logicalrelid = distributed ORDER BY s.shardid $$;

CREATE FUNCTION pg_catalog.create_distributed_table(table_name regclass, distribution_column text,
  distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default', shard_count int DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET shard_planner.enabled = off SET client_min_messages = warning AS $$
DECLARE
  shards int := shard_count;
  columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = table_name AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
  s record;
BEGIN
  IF colocate_with <> 'default' THEN
    shards := (SELECT count(*) FROM citus_test.shards(colocate_with::regclass));
  END IF;
  INSERT INTO pg_dist_partition VALUES (table_name, 'h', distribution_column, 1, 's');
  WITH made AS (INSERT INTO pg_dist_shard
    SELECT table_name, nextval('pg_dist_shardid_seq'), 't', -2147483648 + n * (4294967296 / shards),
      -2147483648 + (n + 1) * (4294967296 / shards) - 1
    FROM generate_series(0, shards - 1) n RETURNING shardid)
  INSERT INTO pg_dist_placement SELECT shardid, shardid, 1, 0, here FROM made, citus_test.place;
  FOR s IN SELECT * FROM citus_test.shards(table_name) LOOP
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING IDENTITY)', s.shard, table_name);
    INSERT INTO pg_depend VALUES ('pg_class'::regclass, s.shard::regclass, 0, 'pg_class'::regclass, table_name, 0, 'a');
    EXECUTE format('INSERT INTO %s (%s) SELECT %2$s FROM ONLY %s t '
      'WHERE get_shard_id_for_distribution_column(%L::regclass, t.%I) = %s ORDER BY ctid',
      s.shard, columns, table_name, table_name, distribution_column, s.id);
  END LOOP;
END $$;

-- The last step gives the shards the references between the tables, which are final now.
CREATE FUNCTION pg_catalog.truncate_local_data_after_distributing_table(function_name regclass) RETURNS void
LANGUAGE plpgsql SET shard_planner.enabled = off AS $$
DECLARE
  r record;
BEGIN
  FOR r IN
    SELECT s.shard, regexp_replace(pg_get_constraintdef(k.oid), 'REFERENCES [^(]+', 'REFERENCES ' || t.shard) AS said
      FROM pg_constraint k, citus_test.shards(k.conrelid) s JOIN LATERAL citus_test.shards(k.confrelid) t
        ON t.least_hash = s.least_hash
     WHERE k.conrelid = function_name AND k.contype = 'f'
  LOOP
    EXECUTE format('ALTER TABLE %s ADD %s', r.shard, r.said);
  END LOOP;
  EXECUTE format('DELETE FROM ONLY %s', function_name);
END $$;

CREATE FUNCTION pg_catalog.citus_table_size(logicalrelid regclass) RETURNS bigint LANGUAGE sql STABLE
AS 'SELECT sum(pg_table_size(shard::regclass))::bigint FROM citus_test.shards(logicalrelid)';
CREATE FUNCTION pg_catalog.citus_total_relation_size(logicalrelid regclass, fail_on_error boolean DEFAULT true)
RETURNS bigint LANGUAGE sql STABLE
AS 'SELECT sum(pg_total_relation_size(shard::regclass))::bigint FROM citus_test.shards(logicalrelid)';

-- For each table the number of its own rows, of the rows in its shards, and of the rows that are in another shard than
-- their memory.
CREATE FUNCTION citus_test.misplaced(OUT distributed text, OUT own bigint, OUT in_shards bigint, OUT elsewhere bigint)
RETURNS SETOF record LANGUAGE plpgsql SET shard_planner.enabled = off AS $$
DECLARE
  s record;
  rows bigint;
  wrong bigint;
BEGIN
  FOR distributed IN SELECT logicalrelid::regclass FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
    ORDER BY 1
  LOOP
    EXECUTE format('SELECT count(*) FROM ONLY %s', distributed) INTO own;
    in_shards := 0; elsewhere := 0;
    FOR s IN SELECT * FROM citus_test.shards(distributed::regclass) LOOP
      EXECUTE format('SELECT count(*), count(*) FILTER (WHERE '
        'get_shard_id_for_distribution_column(%L::regclass, memory_id) <> %s) FROM %s', distributed, s.id, s.shard)
        INTO rows, wrong;
      in_shards := in_shards + rows; elsewhere := elsewhere + wrong;
    END LOOP;
    RETURN NEXT;
  END LOOP;
END $$;
RESET allow_system_table_mods;
