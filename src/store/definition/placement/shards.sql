SELECT pg_catalog.format('%I.%I', n.nspname, shard.relname)
  FROM pg_catalog.unnest({tables}) WITH ORDINALITY t (name, place)
  JOIN pg_catalog.pg_class own ON own.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(t.name)::pg_catalog.oid
  JOIN pg_catalog.pg_dist_partition d ON d.logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) own.oid
 CROSS JOIN LATERAL (
    SELECT pg_catalog.get_shard_id_for_distribution_column(d.logicalrelid, {memory}) OFFSET 0) s (id)
  JOIN pg_catalog.pg_dist_placement p ON p.shardid OPERATOR(pg_catalog.=) s.id
  JOIN pg_catalog.pg_dist_local_group here ON here.groupid OPERATOR(pg_catalog.=) p.groupid
  JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) own.relnamespace
  JOIN pg_catalog.pg_class shard
    ON shard.relnamespace OPERATOR(pg_catalog.=) n.oid
   AND shard.relname OPERATOR(pg_catalog.=) pg_catalog.concat(own.relname, '_', s.id)::pg_catalog.name
 WHERE pg_catalog.has_table_privilege(own.oid, 'SELECT') AND pg_catalog.has_table_privilege(shard.oid, 'SELECT')
   AND NOT pg_catalog.row_security_active(own.oid) AND NOT pg_catalog.row_security_active(shard.oid)
 ORDER BY t.place
