-- A word that no entry holds finds words that differ from it in one letter, if the search asks for it.
SELECT memory_create_store('ty', 4);
CREATE FUNCTION asked(query text, how jsonb DEFAULT '{}', filters jsonb DEFAULT '{}', memory text DEFAULT 'm')
RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search(memory, query, filters => filters, store => 'ty', options => '{"strategy": "keyword",
    "fallback": false, "typos": true, "boosts": {"length": 0, "recency": 0},
    "asOf": "2026-01-01T00:00:00Z"}' || how) $$;
CREATE FUNCTION found(query text, how jsonb DEFAULT '{}', filters jsonb DEFAULT '{}', memory text DEFAULT 'm')
RETURNS bigint[] LANGUAGE sql AS $$ SELECT test.found(asked(query, how, filters, memory)) $$;
INSERT INTO ty.entries (memory_id, entry_id, user_id, raw_entry, creation_time, deletion_scheduled_time)
SELECT 'm', test.id(n), CASE WHEN n = 3 THEN 'ann' END, t, timestamptz '2025-01-01Z' + n * interval '1 hour',
  CASE WHEN n = 6 THEN timestamptz '2025-02-01Z' END
FROM unnest(ARRAY['the kubernetes cluster was upgraded', 'coffee beans', 'the weather in Łódź', 'Москва зимой',
  'a graphite pencil', 'a deleted xylophone', 'tests and texts', 'kubernetes again, in short'])
  WITH ORDINALITY h (t, n);
-- A letter is missing, added, replaced, or exchanged with its neighbour, in the word as written, before the stemmer.
SELECT query, found(query)
FROM (VALUES ('kuberntes'), ('kubernnetes'), ('kubernites'), ('kuberentes'), ('Kuberntes!'), ('graphitte'),
  ('grpahite'),
  ('моссква'), ('wether'), ('kubrntes')) q (query);
-- Typos are not corrected in short words, words with digits, parts of compounds, excluded or quoted words, and words
-- that some entry has.
SELECT query, found(query)
FROM (VALUES ('bens'), ('kubernetes1'), ('src/kuberntes'), ('coffee -kuberntes'), ('"kuberntes"'), ('"cofee beans"'),
  ('texts')) q (query);
-- typos off: by the option, by the setting, and by default.
SELECT found('kuberntes', '{"typos": false}') AS off;
CREATE FUNCTION by_setting() RETURNS bigint[] LANGUAGE sql RETURN
  test.found(memory_search('m', 'kuberntes', store => 'ty', options => '{"strategy": "keyword", "fallback": false}'));
SET memory_search.typos = on;
SELECT by_setting();
SET memory_search.typos = off;
SELECT by_setting();
RESET memory_search.typos;
SELECT by_setting();
SELECT test.error($$SELECT asked('x', '{"typos": 1}')$$);
SELECT test.error($$SELECT asked('x', '{"typo": true}')$$);
-- A corrected word counts less than a word as it is written, and with match "all" it counts as that word of the query.
SELECT query, found(query), found(query, '{"match": "all"}') AS all_words
FROM (VALUES ('coffee kuberntes'), ('kuberntes cluster'), ('kuberntes cofee')) q (query);
-- A word of a deleted entry is no correction. A word of an entry that a filter leaves out is one, but finds no entry.
SELECT found('xylophne') AS deleted, found('wether', filters => '{"userId": "bob"}') AS others,
  found('wether', filters => '{"userId": "ann"}') AS own;
-- The diagnostics and memory_explain show each corrected word.
SELECT asked('kuberntes wether coffee', '{"diagnostics": true}') #> '{diagnostics,typos}' AS typos,
  asked('kubernetes', '{"diagnostics": true}') #> '{diagnostics,typos}' IS NULL AS none;
SELECT query, details -> 'typos' AS typos
FROM unnest('{kuberntes,kubernetes}'::text[]) query, memory_explain('m', query, store => 'ty',
  options => '{"strategy": "keyword", "typos": true, "fallback": false}');
-- Snippets mark the corrected word.
SELECT asked('kuberntes', '{"snippets": true}') #>> '{entries,0,snippet,text}' AS snippet;
-- Searches by the rows give the same as those by the memory index, of few entries and of sealed ones.
INSERT INTO ty.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'many', test.id(n), 'word' || chr(97 + n % 26) || chr(97 + n / 26 % 26) || ' common ' || repeat('more ', n % 7),
  timestamptz '2025-01-01Z' + n * interval '1 minute' FROM generate_series(1, 3000) n;
CREATE TABLE by_index AS SELECT query, asked(query, memory => 'many') AS answer, asked(query) AS of_few
FROM unnest('{worddx,wordqqz,wodra more,comon,comon worddx,kuberntes comon}'::text[]) query;
SELECT query, jsonb_array_length(answer -> 'entries') AS found FROM by_index;
DROP INDEX ty.entries_memory;
SELECT count(*) AS compared, count(*) FILTER (WHERE answer = asked(query, memory => 'many')) AS alike,
  count(*) FILTER (WHERE of_few = asked(query)) AS alike_of_few FROM by_index;
-- A word that only rows of other users have is no correction.
CREATE ROLE ty_bob;
SELECT memory_grant('ty', 'ty_bob', 'reader');
UPDATE ty.entries SET user_id = 'bob' WHERE entry_id = test.id(2);
SELECT memory_enable_row_security('ty');
SET ROLE ty_bob;
SET memory_search.user_id = 'bob';
SELECT query, test.found(answer) AS found, answer #> '{diagnostics,typos}' AS typos
FROM unnest('{cofee,wether}'::text[]) query, LATERAL (SELECT memory_search('m', query, store => 'ty',
  options => '{"strategy": "keyword", "typos": true, "fallback": false, "diagnostics": true}') AS answer) a;
RESET memory_search.user_id;
RESET ROLE;
DROP TABLE by_index;
DROP FUNCTION found, asked, by_setting;
SELECT memory_drop_store('ty', true);
DROP ROLE ty_bob;
