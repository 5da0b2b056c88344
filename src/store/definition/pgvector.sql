SELECT pg_catalog.quote_ident(n.nspname), o.oprcode::pg_catalog.oid, k.castfunc, p.oid
  FROM pg_catalog.pg_extension x
  JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.extnamespace
  LEFT JOIN pg_catalog.pg_operator o
    ON o.oprnamespace OPERATOR(pg_catalog.=) x.extnamespace AND o.oprname OPERATOR(pg_catalog.=) '<=>'
   AND o.oprleft OPERATOR(pg_catalog.=) {type}::pg_catalog.oid
   AND o.oprright OPERATOR(pg_catalog.=) {type}::pg_catalog.oid
  LEFT JOIN pg_catalog.pg_cast k
    ON k.castsource OPERATOR(pg_catalog.=) 'pg_catalog.float4[]'::pg_catalog.regtype
   AND k.casttarget OPERATOR(pg_catalog.=) {type}::pg_catalog.oid
  LEFT JOIN pg_catalog.pg_proc p
    ON p.pronamespace OPERATOR(pg_catalog.=) x.extnamespace AND p.proname OPERATOR(pg_catalog.=) 'vector_dims'
   AND p.pronargs OPERATOR(pg_catalog.=) 1 AND p.proargtypes[0] OPERATOR(pg_catalog.=) {type}::pg_catalog.oid
 WHERE x.extname OPERATOR(pg_catalog.=) 'vector'
