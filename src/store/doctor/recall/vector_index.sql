SELECT i.indexrelid::pg_catalog.regclass::pg_catalog.text, am.amname::pg_catalog.text
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
  JOIN pg_catalog.pg_am am ON am.oid OPERATOR(pg_catalog.=) c.relam
  JOIN pg_catalog.pg_opclass o ON o.oid OPERATOR(pg_catalog.=) i.indclass[0]
 WHERE i.indrelid OPERATOR(pg_catalog.=) ANY ({tables}::pg_catalog.oid[]) AND i.indisvalid
   AND pg_catalog.strpos(o.opcname::pg_catalog.text, 'cosine') OPERATOR(pg_catalog.>) 0
   AND am.amname OPERATOR(pg_catalog.=) ANY (ARRAY['hnsw', 'ivfflat']::pg_catalog.name[])
 ORDER BY 1 LIMIT 1
