-- A function of the caller ranks the best entries again.
SELECT memory_create_store('rr', 4);
INSERT INTO rr.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'm', test.id(n), 'kite ' || n, test.vector(n), timestamptz '2025-01-01Z' + n * interval '1 day'
FROM generate_series(1, 80) n;
CREATE SCHEMA "Mine";
-- The higher the number in the text, the higher the score. The function reports each call.
CREATE FUNCTION "Mine".by_number(query text, entries text[]) RETURNS real[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RAISE WARNING 'asked "%" about % entries', query, cardinality(entries);
  RETURN array(SELECT regexp_replace(entry, '\D', '', 'g')::real / 100 FROM unnest(entries) entry);
END $$;
CREATE FUNCTION shown(options jsonb, k int DEFAULT 6) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT raw_entry FROM memory_search_entries('m', 'kite', k, test.vector(3), options => options, store => 'rr')
  ORDER BY rank $$;
-- Alone: of the fifty best entries, those with the highest numbers; one call.
SELECT array(SELECT shown('{"rerank": "\"Mine\".by_number", "candidates": 1000}')) = (
  SELECT array_agg(raw_entry ORDER BY n DESC) FROM (
    SELECT raw_entry, substr(raw_entry, 6)::int AS n FROM memory_search_entries('m', 'kite', 50, test.vector(3),
        options => '{"candidates": 1000}', store => 'rr') ORDER BY n DESC LIMIT 6) t) AS by_number;
-- Blended: the score combines the function's score and its own.
CREATE TABLE own AS
SELECT rank, entry_id, score, substr(raw_entry, 6)::float8 / 100 AS said
FROM memory_search_entries('m', 'kite', 80, test.vector(3), options => '{"candidates": 1000}', store => 'rr');
SELECT weight, best, array_agg(r.entry_id ORDER BY r.rank) = (
    SELECT array_agg(entry_id ORDER BY rank > best, CASE WHEN rank <= best THEN weight * said + (1 - weight) * score END
          DESC, rank) FROM own) AS in_order,
  max(abs(r.score - CASE WHEN o.rank <= best THEN weight * said + (1 - weight) * o.score ELSE o.score END)) < 1e-6
    AS blended
FROM (VALUES (1.0, 10), (0.5, 80), (0.3, 20), (0.0, 80)) t(weight, best),
  LATERAL jsonb_build_object('function', '"Mine".by_number', 'weight', weight, 'best', best) rerank,
  LATERAL memory_search_entries('m', 'kite', 80, test.vector(3), store => 'rr',
      options => jsonb_build_object('candidates', 1000, 'rerank', rerank)) r
  JOIN own o USING (entry_id)
GROUP BY weight, best ORDER BY weight, best;
-- It is called once, also if the search continues because of near duplicates, and before mmr chooses.
SELECT count(*) FROM shown('{"rerank": "\"Mine\".by_number", "dedupThreshold": 0.9, "candidates": 5}');
-- With mmr the entries that the function got still come first, however low their scores are.
CREATE FUNCTION "Mine".low(query text, entries text[]) RETURNS real[] LANGUAGE sql STABLE AS $$
  SELECT array(SELECT CASE WHEN place > 1 THEN 0.01 / place END FROM generate_subscripts(entries, 1) place) $$;
SELECT mmr, array(SELECT entry_id FROM own WHERE rank <= 4 ORDER BY rank) = array_agg(r.entry_id ORDER BY o.rank)
    FILTER (WHERE r.rank <= 4) AS those_first, count(*), max(o.rank) > 7 AS others_by_difference
FROM unnest('{1,0.5,0}'::float8[]) mmr,
  LATERAL memory_search_entries('m', 'kite', 7, test.vector(3), store => 'rr', options => jsonb_build_object('mmr', mmr,
      'candidates', 1000, 'rerank', '{"function": "\"Mine\".low", "best": 4}'::jsonb)) r JOIN own o USING (entry_id)
GROUP BY mmr ORDER BY mmr DESC;
-- The answer and memory_explain show the score by the function.
SELECT e->'rawEntry' AS entry, e->'scores'->'rerank' AS said, e->'score' AS score
FROM jsonb_array_elements(memory_search('m', 'kite', 2, embedding => test.vector(3), store => 'rr',
      options => '{"rerank": "\"Mine\".by_number", "candidates": 1000}')->'entries') e;
SELECT outcome, details::jsonb->'rerank'->'score' AS said, details::jsonb->'rerank'->'weight' AS weight,
  abs(semantic + keyword + recency + importance + popularity - (details::jsonb->'rerank'->'ownScore')::float8) < 1e-6
    AS own_score_adds_up
FROM memory_explain('m', 'kite', embedding => test.vector(3), store => 'rr', top_ke => 1,
    options => '{"rerank": {"function": "\"Mine\".by_number", "weight": 0.25}}') LIMIT 1;
-- The setting names a function for every search; a request may switch it off, or set its own weight.
SET memory_search.rerank_function = '"Mine".by_number';
SELECT shown('{}', 1), shown('{"rerank": false}', 1), shown('{"rerank": {"weight": 0}}', 1);
-- A search for the newest entries has no query, so the function is not called.
SELECT count(*) FROM memory_search_entries('m', '', store => 'rr');
SELECT left(memory_build_context('m', 'kite 4', store => 'rr', options => '{"rerank": {"best": 3}}'), 21);
-- A reranker that searches is not called for its own searches.
CREATE FUNCTION "Mine".searching(query text, entries text[]) RETURNS real[] LANGUAGE sql STABLE AS $$
  SELECT array(SELECT (entry = (SELECT raw_entry FROM public.memory_search_entries('m', 'kite 77', 1, store => 'rr',
      options => '{"strategy": "keyword"}')))::int::real FROM unnest(entries) entry) $$;
SET memory_search.rerank_function = '"Mine".searching';
SELECT shown('{"candidates": 1000}', 1);
SET memory_search.rerank_function = '';

-- Wrong results of the function are refused.
CREATE FUNCTION "Mine".too_few(query text, entries text[]) RETURNS real[] LANGUAGE sql AS $$ SELECT '{0.5}'::real[] $$;
CREATE FUNCTION "Mine".logits(query text, entries text[]) RETURNS real[] LANGUAGE sql
AS $$ SELECT array_fill(-7.5::real, ARRAY[cardinality(entries)]) $$;
CREATE FUNCTION "Mine".not_numbers(query text, entries text[]) RETURNS float8[] LANGUAGE sql
AS $$ SELECT array_fill('NaN'::float8, ARRAY[cardinality(entries)]) $$;
CREATE FUNCTION "Mine".nothing(query text, entries text[]) RETURNS real[] LANGUAGE sql AS $$ SELECT NULL::real[] $$;
CREATE FUNCTION "Mine".silent(query text, entries text[]) RETURNS numeric[] LANGUAGE sql
AS $$ SELECT array_fill(NULL::numeric, ARRAY[cardinality(entries)]) $$;
CREATE FUNCTION "Mine".of_lists(query text, entries text[]) RETURNS real[] LANGUAGE sql
AS $$ SELECT array_fill(0.5::real, ARRAY[cardinality(entries) / 2, 2]) $$;
CREATE FUNCTION "Mine".failing(query text, entries text[]) RETURNS real[] LANGUAGE plpgsql AS $$
BEGIN RAISE 'the model is away' USING ERRCODE = '58000'; END $$;
CREATE FUNCTION "Mine".slow(query text, entries text[]) RETURNS real[] LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_sleep(60); RETURN '{}'; END $$;
SELECT rerank, test.error(format('SELECT memory_search(''m'', ''kite'', options => %L, store => ''rr'')',
      jsonb_build_object('rerank', rerank)))
FROM (VALUES ('"\"Mine\".too_few"'::jsonb), ('"\"Mine\".logits"'), ('"\"Mine\".not_numbers"'), ('"\"Mine\".nothing"'),
    ('"\"Mine\".of_lists"'), ('"\"Mine\".failing"'), ('"Mine.too_few"'), ('"f(x)"'), ('{"weight": 2}'),
    ('{"best": 5}'), ('{"n": 5}'), ('true'),
    ('{"function": "\"Mine\".by_number", "onError": "ignore"}'),
    ('{"model": "../wordllama"}'), ('{"model": "a", "function": "\"Mine\".by_number"}')) t(rerank);
SELECT shown('{"rerank": "\"Mine\".silent"}', 1) = shown('{}', 1) AS null_keeps_the_own_score;
-- An error falls back if the caller asked for it, with all other steps; a cancelled search ends.
BEGIN;
SELECT name, array(SELECT shown(jsonb_build_object('rerank',
          jsonb_build_object('function', name, 'onError', 'keep')))) = array(SELECT shown('{}')) AS as_without
FROM (VALUES ('"Mine".failing'), ('"Mine".logits'), ('"Mine".gone')) t(name);
SELECT memory_add('m', 'written after it', embedding => '[1,0,0,0]', store => 'rr') IS NOT NULL AS added;
COMMIT;
SELECT count(*) FROM rr.entries WHERE raw_entry = 'written after it';
SET statement_timeout = '200ms';
SELECT test.error($$SELECT shown('{"rerank": {"function": "\"Mine\".slow", "onError": "keep"}}')$$);
RESET statement_timeout;
-- The function runs as the caller, who needs the privilege to call it.
CREATE ROLE rr_reader;
GRANT USAGE ON SCHEMA rr, "Mine" TO rr_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA rr TO rr_reader;
REVOKE EXECUTE ON FUNCTION "Mine".by_number FROM PUBLIC;
SET ROLE rr_reader;
SELECT test.error($$SELECT memory_search('m', 'kite', store => 'rr', options => '{"rerank": "\"Mine\".by_number"}')$$);
RESET ROLE;
DROP SCHEMA rr, "Mine" CASCADE;
DROP FUNCTION shown;
DROP TABLE own;
DROP OWNED BY rr_reader;
DROP ROLE rr_reader;
