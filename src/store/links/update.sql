UPDATE {links} l
   SET weight = {weight}::pg_catalog.float4, valid_from = {valid_from}, valid_until = {valid_until},
       metadata = {metadata}::pg_catalog.jsonb
 WHERE l.memory_id OPERATOR(pg_catalog.=) {memory}
   AND l.from_entry OPERATOR(pg_catalog.=) {from}::pg_catalog.{id_type}
   AND l.to_entry OPERATOR(pg_catalog.=) {to}::pg_catalog.{id_type} AND l.kind OPERATOR(pg_catalog.=) {kind}
