-- The functions that distribute a table, as Citus has them: they note what they were called with, and refuse what Citus
-- refuses of a store: triggers, references that change the distribution column or to tables that are not distributed,
-- and policies with subqueries. Nothing is moved.
SET allow_system_table_mods = on;
INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  VALUES (999999, 'citus', 10, 'pg_catalog'::regnamespace, false, '13.0');
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text,
  colocationid int NOT NULL, repmodel "char" NOT NULL);
CREATE TABLE pg_catalog.pg_dist_placement (placementid bigint PRIMARY KEY, shardid bigint NOT NULL,
  shardstate int NOT NULL, shardlength bigint NOT NULL, groupid int NOT NULL);
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int PRIMARY KEY);
CREATE FUNCTION pg_catalog.get_shard_id_for_distribution_column(table_name regclass, distribution_value anyelement)
RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 1::bigint';
CREATE FUNCTION pg_catalog.get_current_transaction_id(OUT database_id oid, OUT process_id int,
  OUT initiator_node_identifier int, OUT transaction_number bigint, OUT transaction_stamp timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT 0::oid, 0, 0, coalesce(nullif(pg_catalog.current_setting('citus_test.transaction', true), ''), '0')::bigint,
    NULL::timestamptz $$;
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass NOT NULL, shardid bigint PRIMARY KEY,
  shardstorage "char" NOT NULL, shardminvalue text, shardmaxvalue text);
GRANT SELECT, INSERT ON pg_catalog.pg_dist_partition TO PUBLIC;
GRANT SELECT ON pg_catalog.pg_dist_placement, pg_catalog.pg_dist_shard,
  pg_catalog.pg_dist_local_group TO PUBLIC;
CREATE TABLE public.calls (number int GENERATED ALWAYS AS IDENTITY, call text);
GRANT ALL ON public.calls TO PUBLIC;

CREATE FUNCTION pg_catalog.refuse_what_citus_refuses() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  found text;
BEGIN
  SELECT tgname INTO found FROM pg_trigger t JOIN pg_dist_partition d ON d.logicalrelid = t.tgrelid
   WHERE NOT t.tgisinternal;
  IF FOUND THEN
    RAISE 'triggers are not supported on distributed tables: %', found;
  END IF;
  SELECT conname INTO found FROM pg_constraint k JOIN pg_dist_partition d ON d.logicalrelid = k.confrelid
   WHERE k.contype = 'f' AND (k.confupdtype <> 'a' OR k.conrelid NOT IN (SELECT logicalrelid FROM pg_dist_partition));
  IF FOUND THEN
    RAISE 'cannot create foreign key constraint: %', found;
  END IF;
  SELECT polname INTO found FROM pg_policy p JOIN pg_dist_partition d ON d.logicalrelid = p.polrelid
   WHERE p.polqual::text ~ 'SUBLINK' OR p.polwithcheck::text ~ 'SUBLINK';
  IF FOUND THEN
    RAISE 'Subqueries are not supported in policies on distributed tables: %', found;
  END IF;
END $$;
CREATE FUNCTION pg_catalog.create_distributed_table(table_name regclass, distribution_column text,
  distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default', shard_count int DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('row_security') <> 'off' THEN
    RAISE 'a policy may hide rows from the copy';
  END IF;
  IF colocate_with <> 'default' AND colocate_with::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
    RAISE 'relation % is not distributed', colocate_with;
  END IF;
  INSERT INTO public.calls (call) SELECT concat_ws(' ', 'distribute', table_name, distribution_column, colocate_with,
    shard_count);
  INSERT INTO pg_dist_partition VALUES (table_name, 'h', distribution_column, 1, 's');
  PERFORM refuse_what_citus_refuses();
END $$;
CREATE FUNCTION pg_catalog.create_distributed_function(function_name regprocedure, distribution_arg_name text,
  colocate_with text DEFAULT 'default', force_delegation boolean DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM pg_proc WHERE oid = function_name AND distribution_arg_name = ANY (proargnames);
  IF NOT FOUND OR colocate_with::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
    RAISE 'cannot distribute the function %', function_name;
  END IF;
  INSERT INTO public.calls (call) VALUES (concat_ws(' ', 'function', function_name::oid::regproc));
END $$;
CREATE FUNCTION pg_catalog.truncate_local_data_after_distributing_table(function_name regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refuse_what_citus_refuses();
  INSERT INTO public.calls (call) VALUES (concat_ws(' ', 'truncate', function_name));
END $$;
