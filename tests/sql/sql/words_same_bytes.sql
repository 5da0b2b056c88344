-- A function makes the words of a store's rows. Where PL/pgSQL is not to be had, an expression makes the same ones, but
-- for words without their accents, which accents.sql looks at, for characters
-- that are composed, and for runs that are cut.
CREATE ROLE wsb;
GRANT CREATE ON DATABASE :"DBNAME" TO wsb;
SELECT memory_create_store('wsb_function_' || language, 4, language)
FROM unnest('{english,german}'::text[]) language;
BEGIN;
REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
SET ROLE wsb;
SELECT memory_create_store('wsb_expression_' || language, 4, language)
FROM unnest('{english,german}'::text[]) language;
RESET ROLE;
GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC;
COMMIT;
CREATE FUNCTION definition(of_table text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d JOIN pg_attribute a ON attrelid = adrelid AND attnum = adnum
   WHERE d.adrelid = of_table::regclass AND a.attname = 'search_vector' $$;
SELECT definition('wsb_function_german.entries');
SELECT definition('wsb_function_german.contexts');
SELECT store, length(definition(store || '.entries')) > 1000 AS expression_of_entries,
  length(definition(store || '.contexts')) > 200 AS of_contexts
FROM unnest('{wsb_function_english,wsb_expression_english}'::text[]) store;
-- Both are told apart from stores whose texts are not prepared, and give their language to queries.
SELECT memory_add('m', 'zwei Häuser mit C++', store => store, embedding => '[1,0,0,0]', entry_id => test.id(1))
FROM unnest('{wsb_function_german,wsb_expression_german}'::text[]) store;
SELECT store,
  test.found(memory_search('m', 'Haus', store => store, options => '{"strategy": "keyword"}')) AS by_stem,
  test.found(memory_search('m', 'c++', store => store, options => '{"strategy": "keyword"}')) AS prepared
FROM unnest('{wsb_function_german,wsb_expression_german}'::text[]) store;
-- Texts that the preparation concerns, texts at and beyond each bound, and texts that want to get out of a literal.
CREATE TABLE texts (i int GENERATED ALWAYS AS IDENTITY, t text);
INSERT INTO texts (t) VALUES (''), (' '), ('a plain sentence of nothing in particular'), ('C++ and C#, F# and c++17'),
  ('C++#'), ('++ # +#+'), ('é++ ß# Ö#é++'), ('C++C++C++'), ('C###'), ('+ +'), ('東京の天気'), ('a東b京c'), ('東C++京#'),
  ('カタカナ ひらがな 漢字 豈'), ('한국어는 그대로'), ('naïve café'), ('😀 C++ 😀'), ($$it's a \ back\\slash \1 '' "quoted"$$),
  ('line' || E'\n' || 'break' || E'\t' || 'tab'), ('mail@example.org http://example.org/a?b=c#d 1.5e10 -7'),
  ('{"json": ["like", 1]}'), (repeat('a ', 30000) || 'beyond'), (repeat('東', 59999) || 'C++'),
  (repeat('x', 15998) || 'C++'), (repeat(E'\u00e9' || 'word ', 20000)), (repeat('ab C# ', 3000)),
  ((SELECT string_agg('w' || n, ' ') FROM generate_series(1, 12000) n)), (repeat('same ', 300));
INSERT INTO texts (t) VALUES ('src/a/b/c.rs:12 and/or TNF/IL-6'), ('v3.2.10 PG18.1-rc1 gpt-3.5'), ('R&D; AT&T'),
  ('ORA-00942'), ('joe.doe@db-17.example.org:25'), ('finished.Then e.g. this'), ('a@b'), ('สวัสดี ເຂົ້າ បាយ ထမင်း'),
  ('x:1 -5 .5'), ('东/京.txt é/ü.rs'), (repeat('src/ab.cd ', 6100)), (repeat('x', 15990) || '/y.z/AT&T');
INSERT INTO texts (t) SELECT text FROM test.hostile_texts() h(text);
CREATE TABLE rows_to_add AS
  SELECT t AS raw_entry, NULL::text AS summary, '{}'::text[] AS tags, '{}'::jsonb AS metadata FROM texts
  UNION ALL SELECT 'a text', t, '{}', '{}' FROM texts
  UNION ALL SELECT 'a text', 'a summary', ARRAY[t, 'tag', NULL, t], '{}' FROM texts
  UNION ALL SELECT 'a text', '', ARRAY[NULL, left(t, 9000), 'C++'], '{}' FROM texts
  UNION ALL SELECT 'a text', 'a summary', '{tag,C#}', jsonb_build_object(left(t, 9000), t, 'n', 1.50, 'b', true)
    FROM texts
  UNION ALL SELECT t, left(t, 100), ARRAY[left(t, 50)], jsonb_build_array(t, NULL, t, '{"deep": [1, {"C++": "C#"}]}')
    FROM texts
  UNION ALL SELECT '', '', ARRAY[NULL]::text[], m FROM (VALUES
    (jsonb '[]'), ('""'), ('null'), ('0'), ('{"a": {}}'), ('{"a": null}'), ('{"": ""}'), ('"C++ 東京"')) metadata(m)
  -- Metadata of 15,999 to 16,001 bytes: of the last the beginning is text.
  UNION ALL SELECT 'a text', NULL, '{}', jsonb_build_object('key', repeat('東', 5) || repeat('word ', n / 5)
      || repeat('x', n % 5)) FROM generate_series(15973, 15975) n;
CREATE FUNCTION add_to(store text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  added bigint;
BEGIN
  EXECUTE format('INSERT INTO %I.entries (memory_id, entry_id, raw_entry, summary, tags, metadata)
    SELECT ''all'', test.id(row_number() OVER ()), raw_entry, summary, tags, metadata FROM rows_to_add', store);
  GET DIAGNOSTICS added = ROW_COUNT;
  EXECUTE format('INSERT INTO %I.contexts (memory_id, context_id, context)
    SELECT ''all'', test.id(i), t FROM texts', store);
  RETURN added;
END $$;
SELECT min(octet_length(metadata::text)), max(octet_length(metadata::text)) FROM rows_to_add
WHERE summary IS NULL AND metadata <> '{}';
SELECT count(add_to(way || language)) AS filled
FROM unnest('{wsb_function_,wsb_expression_}'::text[]) way, unnest('{english,german}'::text[]) language;
CREATE FUNCTION compare(language text, relation text, key text)
RETURNS TABLE (compared bigint, with_words bigint, unlike bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT count(*), count(*) FILTER (WHERE length(f.search_vector) > 0), count(*) FILTER (WHERE
       tsvectorsend(as_written) IS DISTINCT FROM tsvectorsend(e.search_vector)
       OR as_written IS NOT DISTINCT FROM f.search_vector
         AND pg_column_size(f.search_vector) IS DISTINCT FROM pg_column_size(e.search_vector))
     FROM %1$I.%3$I f FULL JOIN %2$I.%3$I e ON f.%4$I = e.%4$I AND f.memory_id = e.memory_id
     CROSS JOIN LATERAL (SELECT CASE WHEN to_jsonb(f)::text ~ ''[^\x01-\x7f]''
       THEN ts_delete(f.search_vector, ARRAY(SELECT unnest(tsvector_to_array(f.search_vector))
         EXCEPT SELECT unnest(tsvector_to_array(e.search_vector)))) ELSE f.search_vector END AS as_written) w
     WHERE ''all'' IN (f.memory_id, e.memory_id)
       AND (to_jsonb(f) - ''search_vector'')::text !~ ''[^[:space:]]{200}[/_]''
       AND (to_jsonb(f) - ''search_vector'')::text IS NFC NORMALIZED',
    'wsb_function_' || language, 'wsb_expression_' || language, relation, key);
END $$;
SELECT language, relation, c.*
FROM unnest('{english,german}'::text[]) language,
  (VALUES ('contexts', 'context_id'), ('entries', 'entry_id')) r (relation, key), compare(language, relation, key) c
ORDER BY 1, 2;
-- What is refused is refused by both; metadata may be null where somebody allowed it, and then there are no words.
SELECT i, store, split_part(test.error(format('INSERT INTO %I.entries (memory_id, raw_entry, tags) VALUES (''m'', %s)',
  store, given)), ' DETAIL', 1) AS error
FROM unnest('{wsb_function_english,wsb_expression_english}'::text[]) store,
  (VALUES (1, $$NULL, '{}'$$), (2, $$'a', NULL$$), (3, $$'a', '{{a,b}}'$$)) t (i, given)
ORDER BY i, store DESC;
ALTER TABLE wsb_function_english.entries ALTER metadata DROP NOT NULL;
ALTER TABLE wsb_expression_english.entries ALTER metadata DROP NOT NULL;
INSERT INTO wsb_function_english.entries (memory_id, raw_entry, metadata) VALUES ('null', 'a text', NULL)
RETURNING search_vector IS NULL AS is_null;
INSERT INTO wsb_expression_english.entries (memory_id, raw_entry, metadata) VALUES ('null', 'a text', NULL)
RETURNING search_vector IS NULL AS is_null;
-- No setting of the session reads the body in another way.
SET standard_conforming_strings = off;
SET search_path = pg_temp;
SET quote_all_identifiers = on;
SET plpgsql.extra_errors = 'all';
INSERT INTO wsb_function_english.entries (memory_id, raw_entry, summary, tags, metadata)
VALUES ('settings', 'C++ 東京', 'C#', '{C++}', '{"C#": "京"}') RETURNING search_vector;
RESET ALL;
DROP FUNCTION add_to, compare, definition;
DROP TABLE texts, rows_to_add;
SELECT count(memory_drop_store(way || language, true)) AS dropped
FROM unnest('{wsb_function_,wsb_expression_}'::text[]) way, unnest('{english,german}'::text[]) language;
REVOKE CREATE ON DATABASE :"DBNAME" FROM wsb;
DROP ROLE wsb;
