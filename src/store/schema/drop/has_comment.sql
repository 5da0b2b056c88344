SELECT EXISTS (
  SELECT FROM pg_catalog.pg_description d
   WHERE d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
     AND d.objoid OPERATOR(pg_catalog.=) ANY (ARRAY[{entries}, {contexts}]::pg_catalog.regclass[]::pg_catalog.oid[])
     AND d.objsubid OPERATOR(pg_catalog.=) 0 AND pg_catalog.starts_with(d.description, 'memory_search: '))
