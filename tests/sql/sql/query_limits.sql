-- The longest query: 65,536 bytes. A longer text is refused at once, not after minutes.
SELECT memory_create_store('ql', 4), memory_create_store('ql_model');
SELECT memory_add('m', 'a kite', entry_id => test.id(1), store => store) FROM (VALUES ('ql'), ('ql_model')) t(store);
SELECT kind, octet_length(query) AS bytes,
  test.error(format('SELECT memory_search(''m'', %L, store => ''ql_model'')', query))
FROM (VALUES
  ('longest', 'kite ' || repeat('x', 65531)),
  ('one more', 'kite ' || repeat('x', 65532)),
  ('letters of three bytes', 'kite ' || repeat('記', 21843)),
  ('one more', 'kite ' || repeat('記', 21844)),
  ('10 MB', repeat('kite ', 2000000)),
  ('10 MB of blanks', repeat(' ', 10000000)),
  ('10 MB of quotes', repeat('"', 10000000))
) t(kind, query);
SELECT test.error(format('SELECT memory_search(%L::jsonb)',
    jsonb_build_object('memoryId', 'm', 'query', repeat('kite ', 2000000), 'store', 'ql')));
SELECT test.error(format('SELECT * FROM memory_search_entries(''m'', %L, store => ''ql'')', repeat('kite ', 20000)));
-- The longest query is answered, in the worst forms too, within seconds.
SELECT kind, test.found(memory_search('m', query, store => 'ql_model')) AS found
FROM (VALUES
  ('words', left('kite ' || (SELECT string_agg(md5(g::text), ' ') FROM generate_series(1, 2000) g), 65536)),
  ('short words', left('kite ' || (SELECT string_agg(to_hex(g), ' ') FROM generate_series(1, 20000) g), 65536)),
  ('exclusions', left('kite ' || (SELECT string_agg('-' || to_hex(g), ' ') FROM generate_series(1, 20000) g), 65536)),
  ('one word', 'kite ' || repeat('x', 65000)),
  ('emoji', 'kite ' || repeat('🧠', 16000))
) t(kind, query);
-- A query of more than 256 words searches the first 256.
INSERT INTO ql.entries (memory_id, entry_id, raw_entry)
SELECT 'first', test.id(n), 'word' || n
FROM generate_series(1, 300) n;
SET memory_search.max_top_ke = 1000;
SELECT count(*), min(test.n(entry_id)), max(test.n(entry_id))
FROM memory_search_entries('first', (SELECT string_agg('word' || g, ' ' ORDER BY g) FROM generate_series(1, 300) g),
    1000, store => 'ql', options => '{"strategy": "keyword", "candidates": 10000}');
-- A character and its pair with the one before are two lexemes: of a query in Chinese the first 128 different
-- characters are searched, with "match": "all", which demands no pairs, the first 256.
INSERT INTO ql.entries (memory_id, entry_id, raw_entry)
SELECT 'han', test.id(n), chr(19968 + n) FROM generate_series(1, 300) n;
INSERT INTO ql.entries (memory_id, entry_id, raw_entry)
SELECT 'han runs', test.id(m), string_agg(chr(19968 + n), '' ORDER BY n)
FROM unnest('{255,256,300}'::int[]) m, generate_series(1, m) n GROUP BY m;
SELECT count(*), min(test.n(entry_id)), max(test.n(entry_id))
FROM memory_search_entries('han', (SELECT string_agg(chr(19968 + n), '' ORDER BY n) FROM generate_series(1, 300) n),
    1000, store => 'ql', options => '{"strategy": "keyword", "candidates": 10000}');
SELECT test.found(memory_search('han runs', (SELECT string_agg(chr(19968 + n), '' ORDER BY n)
    FROM generate_series(1, 300) n), store => 'ql', options => '{"strategy": "keyword", "match": "all"}')) AS all_words,
  test.error(format('SELECT memory_search(''han runs'', %L, store => ''ql'', options => ''{"strategy": "keyword"}'')',
    (SELECT '"' || string_agg(chr(19968 + n), '' ORDER BY n) || '"' FROM generate_series(1, 300) n))) AS long_phrase;
-- Identifiers: 1,024 bytes.
SELECT test.error(format('SELECT memory_search(%L, '''', store => ''ql'')', repeat('m', 1025))),
  test.error(format('SELECT memory_search(%L, '''', store => ''ql'')', repeat('m', 1024)));
SELECT left(test.error(format('SELECT memory_search(%L, '''', store => ''ql'')', repeat('🧠', 10000000))), 100);
SELECT left(test.error(format('SELECT memory_search(''m'', '''', store => %L)', repeat('s', 1000000))), 100);
SELECT left(test.error(format('SELECT memory_search(''m'', '''', options => %L)',
        jsonb_build_object(repeat('o', 1000000), 1))),
    100);
DROP SCHEMA ql, ql_model CASCADE;
