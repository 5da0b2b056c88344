-- Shards are looked up by their names: Citus hides them from readers of pg_class. Policies are compared by words.
SELECT shard.oid::pg_catalog.int8,
       (SELECT pg_catalog.min(i.indexrelid::pg_catalog.int8)
          FROM pg_catalog.pg_index i
         WHERE i.indrelid OPERATOR(pg_catalog.=) shard.oid AND i.indisvalid
           AND pg_catalog.substring(pg_catalog.pg_get_indexdef(i.indexrelid), ' USING .*')
               OPERATOR(pg_catalog.=) pg_catalog.substring(pg_catalog.pg_get_indexdef(t.index), ' USING .*')),
       (SELECT pg_catalog.count(*) FROM pg_catalog.pg_dist_shard every
         WHERE every.logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) own.oid),
       policies.are_alike,
       -- The transaction by which the shard came here; of one that every snapshot has, none.
       CASE WHEN pg_catalog.age(p.xmin) OPERATOR(pg_catalog.<) 1000000000
            THEN p.xmin::pg_catalog.text::pg_catalog.int8 ELSE 0 END
  FROM ROWS FROM (pg_catalog.unnest({tables}::pg_catalog.oid[]), pg_catalog.unnest({indexes}::pg_catalog.oid[]))
         WITH ORDINALITY t (table_oid, index, place)
  JOIN pg_catalog.pg_class own ON own.oid OPERATOR(pg_catalog.=) t.table_oid
  JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) own.relnamespace
  JOIN pg_catalog.pg_dist_partition d ON d.logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) own.oid
 CROSS JOIN LATERAL (
    SELECT pg_catalog.get_shard_id_for_distribution_column(d.logicalrelid, {memory}) OFFSET 0) s (id)
  JOIN pg_catalog.pg_dist_placement p
    ON p.shardid OPERATOR(pg_catalog.=) s.id AND p.shardstate OPERATOR(pg_catalog.=) 1
  JOIN pg_catalog.pg_dist_local_group here ON here.groupid OPERATOR(pg_catalog.=) p.groupid
 CROSS JOIN LATERAL (
    SELECT pg_catalog.to_regclass(pg_catalog.format('%I.%I', n.nspname, pg_catalog.concat(own.relname, '_', s.id)))
           ::pg_catalog.oid OFFSET 0) shard (oid)
 CROSS JOIN LATERAL (
    SELECT coalesce(pg_catalog.string_agg(said.policy, ';' ORDER BY said.policy) FILTER (WHERE said.is_own), '')
           OPERATOR(pg_catalog.=)
           coalesce(pg_catalog.string_agg(said.policy, ';' ORDER BY said.policy) FILTER (WHERE NOT said.is_own), '')
      FROM (SELECT pg_catalog.concat_ws(',', pg_catalog.quote_ident(r.polname), r.polcmd, r.polpermissive, r.polroles,
                     pg_catalog.quote_nullable(pg_catalog.pg_get_expr(r.polqual, r.polrelid)),
                     pg_catalog.quote_nullable(pg_catalog.pg_get_expr(r.polwithcheck, r.polrelid))) AS policy,
                   r.polrelid OPERATOR(pg_catalog.=) own.oid AS is_own
              FROM pg_catalog.pg_policy r
             WHERE r.polrelid OPERATOR(pg_catalog.=) ANY (ARRAY[own.oid, shard.oid])) said) policies (are_alike)
 WHERE shard.oid IS NOT NULL
 ORDER BY t.place
