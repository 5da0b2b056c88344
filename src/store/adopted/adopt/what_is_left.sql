SELECT m.typname::pg_catalog.text, e.typname::pg_catalog.text,
       pg_catalog.format_type(embedding.atttypid, embedding.atttypmod),
       (pg_catalog.regexp_match(
          pg_catalog.pg_get_expr(words.conbin, words.conrelid), '''((?:[^'']|'''')+)''::regconfig'))[1]
         ::pg_catalog.regconfig OPERATOR(pg_catalog.=) {language}::pg_catalog.regconfig,
       -- Another role that may create in the schema could have put tables of the names there.
       (SELECT pg_catalog.bool_and(c.relowner OPERATOR(pg_catalog.=) n.nspowner
                 OR pg_catalog.pg_get_userbyid(c.relowner) OPERATOR(pg_catalog.=) CURRENT_USER)
          FROM pg_catalog.pg_class c
          JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
         WHERE c.oid OPERATOR(pg_catalog.=) ANY (ARRAY[memory_id.attrelid, embedding.attrelid]))
  FROM pg_catalog.pg_attribute memory_id
  JOIN pg_catalog.pg_type m ON m.oid OPERATOR(pg_catalog.=) memory_id.atttypid
  JOIN pg_catalog.pg_attribute entry_id
    ON entry_id.attrelid OPERATOR(pg_catalog.=) memory_id.attrelid
   AND entry_id.attname OPERATOR(pg_catalog.=) 'entry_id'
  JOIN pg_catalog.pg_type e ON e.oid OPERATOR(pg_catalog.=) entry_id.atttypid
  JOIN pg_catalog.pg_attribute embedding
    ON embedding.attrelid OPERATOR(pg_catalog.=) {contexts}::pg_catalog.regclass
   AND embedding.attname OPERATOR(pg_catalog.=) 'embedding'
  JOIN pg_catalog.pg_constraint words
    ON words.conrelid OPERATOR(pg_catalog.=) embedding.attrelid
   AND words.conname OPERATOR(pg_catalog.=) 'contexts_language'
 WHERE memory_id.attrelid OPERATOR(pg_catalog.=) {access}::pg_catalog.regclass
   AND memory_id.attname OPERATOR(pg_catalog.=) 'memory_id'
