IF pg_catalog.strpos({text}, '++') OPERATOR(pg_catalog.>) 0 THEN
  {text} := pg_catalog.regexp_replace({text}, '([[:alpha:]]+)[+][+]', E'\\1 \\1plusplus', 'g');
END IF;
IF pg_catalog.strpos({text}, '#') OPERATOR(pg_catalog.>) 0 THEN
  {text} := pg_catalog.regexp_replace({text}, '([[:alpha:]]+)#', E'\\1 \\1sharp', 'g');
END IF;
IF pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) pg_catalog.length({text}) THEN
  {text} := pg_catalog.regexp_replace(
    {text}, E'([\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff])', E' \\1 ', 'g');
END IF;
