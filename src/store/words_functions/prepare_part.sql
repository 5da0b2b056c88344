IF pg_catalog.strpos(part, '++') OPERATOR(pg_catalog.>) 0 THEN
  part := pg_catalog.regexp_replace(part, '([[:alpha:]]+)[+][+]', E'\\1 \\1plusplus', 'g');
END IF;
IF pg_catalog.strpos(part, '#') OPERATOR(pg_catalog.>) 0 THEN
  part := pg_catalog.regexp_replace(part, '([[:alpha:]]+)#', E'\\1 \\1sharp', 'g');
END IF;
IF pg_catalog.octet_length(part) OPERATOR(pg_catalog.>) pg_catalog.length(part) THEN
  part := pg_catalog.regexp_replace(
    part, E'([\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff])', E' \\1 ', 'g');
END IF;
