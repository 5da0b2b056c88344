-- Calls of every kind of the store of fill_store.sql, by number: six kinds of twenty fail on purpose. $1 is the number,
-- which makes them differ.
CREATE FUNCTION no_embedding(text) RETURNS vector LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'no embedding today';
END $$;
CREATE TABLE call (n serial, kind text, statement text);
INSERT INTO call (kind, statement) VALUES
('hybrid', $$SELECT memory_search('m', 'a hotel at the ocean ' || $1)$$),
('words', $$SELECT memory_search('m', 'tea ' || $1 % 200, options => '{"strategy": "keyword"}')$$),
('meaning', $$SELECT memory_search('m', 'peanuts ' || $1 % 70, 10, 3,
  options => '{"strategy": "semantic", "dedupThreshold": 0.9}')$$),
('recent', $$SELECT memory_search('m', '', filters => '{"tags": "t1"}')$$),
('filters', $$SELECT memory_search('m', 'the train', filters => jsonb_build_object(
  'userId', 'u1', 'minImportance', $1 % 90, 'metadata', jsonb_build_object('n', $1 % 200)))$$),
('boosts', $$SELECT memory_search('m', 'line five',
  options => '{"boosts": {"popularity": 0.2}, "fusion": "rrf", "asOf": "2025-06-01T00:00:00Z"}')$$),
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
('error: while embedding', $$SELECT memory_search('m',
  set_config('memory_search.embedding_function', 'public.no_embedding', true))$$),
('error: in the middle', $$SELECT jsonb_agg(1 / (e.rank - 1)) FROM memory_search_entries('m', 'sea', 5) e$$);

CREATE FUNCTION call(number int) RETURNS text LANGUAGE sql AS $$
  SELECT replace(statement, '$1', number::text) FROM call WHERE n = 1 + number % 20 $$;

-- Makes calls in one transaction; returns the number that failed.
CREATE FUNCTION failing(first int, last int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  errors int := 0;
BEGIN
  FOR number IN first .. last LOOP
    BEGIN
      EXECUTE call(number);
    EXCEPTION WHEN OTHERS THEN
      errors := errors + 1;
    END;
  END LOOP;
  RETURN errors;
END $$;

-- The private memory of a session, in kB: memory that no file and no other process shares, and the memory of its memory
-- contexts.
CREATE VIEW memory AS SELECT
  substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+) kB')::bigint AS private,
  (SELECT sum(total_bytes) / 1024 FROM pg_backend_memory_contexts)::bigint AS contexts;
