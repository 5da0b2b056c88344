-- By the snapshot of whoever asks, as rows are read.
SELECT s.id
  FROM pg_catalog.unnest({tables}::pg_catalog.oid[]) t (table_oid)
 CROSS JOIN LATERAL (
    SELECT pg_catalog.get_shard_id_for_distribution_column(t.table_oid::pg_catalog.regclass, {memory}) OFFSET 0) s (id)
 WHERE NOT EXISTS (
   SELECT FROM pg_catalog.pg_dist_placement p
     JOIN pg_catalog.pg_dist_local_group here ON here.groupid OPERATOR(pg_catalog.=) p.groupid
    WHERE p.shardid OPERATOR(pg_catalog.=) s.id)
