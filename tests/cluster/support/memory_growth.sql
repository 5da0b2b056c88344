-- Calls the extension's functions thousands of times in one session. Prints "what|kB of private memory|kB in
-- memory contexts", both as growth, and on stderr the errors of calls that fail on purpose. The store is
-- FILL_STORE of lib.sh.
SET memory_search.store = 's';
SET client_min_messages = error;

CREATE FUNCTION no_embedding(text) RETURNS vector LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no embedding today'; END $$;
-- Calls of every kind; $1 is a number that makes them differ.
CREATE TABLE call (n serial, kind text, statement text);
INSERT INTO call (kind, statement) VALUES
('hybrid', $$SELECT memory_search('m', 'a hotel at the ocean ' || $1)$$),
('words', $$SELECT memory_search('m', 'tea ' || $1 % 200, options => '{"strategy": "keyword"}')$$),
('meaning', $$SELECT memory_search('m', 'peanuts ' || $1 % 70, 10, 3, options => '{"strategy": "semantic", "dedupThreshold": 0.9}')$$),
('recent', $$SELECT memory_search('m', '', filters => '{"tags": "t1"}')$$),
('filters', $$SELECT memory_search('m', 'the train', filters => jsonb_build_object('userId', 'u1', 'minImportance', $1 % 90, 'metadata', jsonb_build_object('n', $1 % 200)))$$),
('boosts', $$SELECT memory_search('m', 'line five', options => '{"boosts": {"popularity": 0.2}, "fusion": "rrf", "asOf": "2025-06-01T00:00:00Z"}')$$),
('preset', $$SELECT memory_search('m', 'milk', options => '{"preset": "cortex"}')$$),
('phrases', $$SELECT memory_search('m', '"green tea" -milk ' || $1 % 200)$$),
('request', $$SELECT memory_search(jsonb_build_object('memoryId', 'm', 'query', 'hotel ' || $1 % 10))$$),
('contexts', $$SELECT memory_search('m', 'part 3', 0, 3)$$),
('rows', $$SELECT jsonb_agg(e) FROM memory_search_entries('m', 'sea ' || $1, 10) e$$),
('explanation', $$SELECT jsonb_agg(e) FROM memory_explain('m', 'train ' || $1 % 9) e$$),
('prompt', $$SELECT to_jsonb(memory_build_context('m', 'Lisbon ' || $1 % 9))$$),
('vector', $$SELECT to_jsonb(memory_embed('text ' || $1)::text)$$),
('error: range', $$SELECT memory_search('m', 'tea', 1000)$$),
('error: option', $$SELECT memory_search('m', 'tea', options => jsonb_build_object('stratgy' || $1 % 20, 1))$$),
('error: dimensions', $$SELECT memory_search('m', 'tea', embedding => '[1,2,3]')$$),
('error: store', $$SELECT memory_search('m', 'tea', store => 'none' || $1 % 20)$$),
('error: while embedding', $$SELECT memory_search('m', set_config('memory_search.embedding_function', 'public.no_embedding', true))$$),
('error: in the middle', $$SELECT jsonb_agg(1 / (e.rank - 1)) FROM memory_search_entries('m', 'sea', 5) e$$);

CREATE FUNCTION call(number int) RETURNS text LANGUAGE sql AS $$ SELECT replace(statement, '$1', number::text) FROM call WHERE n = 1 + number % 20 $$;

CREATE PROCEDURE many(first int, last int, INOUT errors int DEFAULT 0) LANGUAGE plpgsql AS $$
BEGIN
  FOR number IN first .. last LOOP
    BEGIN
      EXECUTE call(number);
    EXCEPTION WHEN OTHERS THEN
      errors := errors + 1;
    END;
  END LOOP;
END $$;

-- What this session has to itself: memory that no file and no other process shares.
CREATE TEMP VIEW memory AS SELECT
  substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+) kB')::bigint AS private,
  (SELECT sum(total_bytes) / 1024 FROM pg_backend_memory_contexts)::bigint AS contexts;

-- Warm: the model is loaded, plans are made, caches are full.
CALL many(1, 2000) \gset warm_
SELECT private, contexts FROM memory \gset
CALL many(1, 10000) \gset
SELECT '10,000 searches in one transaction', private - :private, contexts - :contexts FROM memory;
SELECT 'errors among them', :errors, 0;

SELECT private, contexts FROM memory \gset
\set ON_ERROR_STOP off
\o /dev/null
SELECT call(number) FROM generate_series(10001, 20000) number \gexec
\o
\set ON_ERROR_STOP on
SELECT '10,000 searches in as many transactions', private - :private, contexts - :contexts FROM memory;

\o /dev/null
SELECT count(memory_add('warm', 'note ' || n, context => 'part ' || n)) FROM generate_series(1, 200) n;
\o
SELECT private, contexts FROM memory \gset
\o /dev/null
SELECT count(memory_add('m', 'note ' || n, tags => ARRAY['t' || n], metadata => jsonb_build_object('n', n), context => 'part ' || n / 10)) FROM generate_series(1, 2000) n;
\o
SELECT '2,000 entries added in one transaction', private - :private, contexts - :contexts FROM memory;
SELECT private, contexts FROM memory \gset
\o /dev/null
SELECT format('SELECT memory_add(%L, %L)', 'many', 'note ' || n) FROM generate_series(1, 2000) n \gexec
\o
SELECT '2,000 entries added in as many transactions', private - :private, contexts - :contexts FROM memory;
SELECT 'entries added', (SELECT count(*) FROM s.entries WHERE memory_id = 'm') - 200, (SELECT count(*) FROM s.entries WHERE memory_id = 'many');
