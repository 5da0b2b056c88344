-- A context with a later time than now does not count yet. An empty query gets the newest of the older ones.
SELECT memory_create_store('nc', 4);
INSERT INTO nc.contexts (memory_id, context_id, user_id, context, embedding, creation_time) VALUES
  ('m', test.id(1), 'ann', 'harbour', '[1,0,0,0]', '2025-01-01Z'),
  ('m', test.id(2), 'bob', 'museum', '[0,1,0,0]', '2025-01-02Z'),
  ('m', test.id(3), 'ann', 'garden', NULL, '2025-01-03Z'),
  ('m', test.id(4), NULL, 'castle', '[0,0,1,0]', '2025-01-04Z'),
  ('m', test.id(5), 'bob', 'tower', '[0,0,0,1]', '2025-01-05Z'),
  ('m', test.id(6), 'ann', 'a plan for later', '[1,1,1,1]', '2200-01-01Z');
CREATE FUNCTION shown(query text, how jsonb DEFAULT '{}', filters jsonb DEFAULT '{}', memory text DEFAULT 'm',
  vector memory_embedding DEFAULT NULL, k int DEFAULT 0, kc int DEFAULT 3) RETURNS text LANGUAGE sql AS $$
  SELECT concat(r->>'latestContext', ' <', (
    SELECT string_agg(format(' %s %s', c->>'context', c->>'score'), ',' ORDER BY place)
    FROM jsonb_array_elements(r->'contexts') WITH ORDINALITY c(c, place)))
  FROM memory_search(memory, query, k, kc, vector, filters, how, 'nc') r $$;
-- An empty query returns the newest, in equal steps from 1, with every strategy, with entries and without.
SELECT i, shown(query) FROM unnest(ARRAY['', '*', '  ', ' * ']) WITH ORDINALITY q(query, i) ORDER BY i;
SELECT shown('', '{"strategy": "recent"}') AS recent, shown('', k => 5) AS with_entries,
  shown('', '{"strategy": "keyword"}') AS keyword;
SELECT kc, shown('', kc => kc) FROM generate_series(1, 3) kc;
-- A query that matches no context returns none. A vector alone is a query.
SELECT shown('zebra') AS no_word, shown('museum') AS a_word, shown('', vector => '[1,0,0,0]', kc => 1) AS a_vector;
-- The newest contexts of a user, and as of an instant.
SELECT who, shown('', filters => jsonb_build_object('userId', who)) FROM unnest('{ann,bob,eve}'::text[]) who ORDER BY 1;
SELECT as_of, shown('', jsonb_build_object('asOf', as_of || 'T00:00:00Z'))
FROM unnest('{2024-12-31,2025-01-01,2025-01-04,2025-01-05,2199-12-31,2200-01-01}'::text[]) as_of ORDER BY 1;
-- By words and by meaning, a context that is dated later is not found either, until its time.
SELECT shown('plan') AS now, shown('plan', vector => '[1,1,1,1]', kc => 1) AS by_both,
  shown('harbour', '{"asOf": "2200-01-02T00:00:00Z"}') AS then_it_is_the_latest;
SELECT memory_build_context('m', '', store => 'nc') LIKE '%plan%' AS in_the_prompt;
-- The clock and not the start of the transaction decides: a context that was just stored is the latest.
BEGIN;
SELECT memory_put_context('m', 'right now', store => 'nc') IS NOT NULL AS put;
SELECT shown('', kc => 1);
ROLLBACK;
-- A text is shown once, however often it was stored.
INSERT INTO nc.contexts (memory_id, context_id, context, creation_time)
SELECT 'often', test.id(n), CASE WHEN n % 20 = 0 THEN 'n ' || n ELSE 'again' END,
  timestamptz '2025-01-01Z' + n * interval '1 hour' FROM generate_series(1, 59) n;
SELECT regexp_replace(shown('', memory => 'often'), ' [0-9.]+(,|$)', '\1', 'g') AS often;
-- Two of the same instant: the smaller id first.
INSERT INTO nc.contexts (memory_id, context_id, context, creation_time)
SELECT 'tie', test.id(n), 'tied ' || n, '2025-01-01Z' FROM (VALUES (3), (1), (2)) t(n);
SELECT shown('', memory => 'tie');
-- A single context is the latest; a deleted one is not returned; a memory without contexts returns none.
INSERT INTO nc.contexts (memory_id, context_id, context, creation_time)
VALUES ('one', test.id(1), 'alone', '2025-01-01Z');
SELECT memory_delete_contexts('m', ARRAY[test.id(4), test.id(2)], 'nc') AS hidden;
SELECT shown('', memory => 'one') AS one, shown('', memory => 'nowhere') AS nowhere, shown('') AS without_two;

-- The same for contexts that are on the entries.
INSERT INTO nc.entries (memory_id, entry_id, user_id, raw_entry, context, creation_time) VALUES
  ('e', test.id(1), 'ann', 'a', 'harbour', '2025-01-01Z'), ('e', test.id(2), 'bob', 'b', 'museum', '2025-01-02Z'),
  ('e', test.id(3), 'ann', 'c', 'garden', '2025-01-03Z'),
  ('e', test.id(4), 'ann', 'd', 'a plan for later', '2200-01-01Z');
SELECT shown('', memory => 'e') AS newest, shown('', memory => 'e', k => 5) AS with_entries,
  shown('plan', memory => 'e') AS by_words;
SELECT shown('', '{"asOf": "2025-01-02T00:00:00Z"}', memory => 'e') AS as_of,
  shown('', filters => '{"userId": "ann"}', memory => 'e') AS ann;
DROP FUNCTION shown;
DROP SCHEMA nc CASCADE;
