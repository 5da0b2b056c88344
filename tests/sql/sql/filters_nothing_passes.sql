-- If the memory index knows that no entry passes the filters, no fallback looks for one: the newest are not read by
-- time.
SELECT memory_create_store('fn', 4);
INSERT INTO fn.entries (memory_id, entry_id, user_id, raw_entry, metadata, importance, creation_time)
SELECT 'm', test.id(n), 'ann', test.words(n, 5), jsonb_build_object('n', n), 70,
  timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 2000) n;
VACUUM ANALYZE fn.entries;
-- The paths by which entries were read, the number of entries found, and the number of rows that were read.
CREATE FUNCTION fn.asked(query text, filters jsonb, OUT ways text, OUT entries int, OUT few_rows boolean)
LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
  looked_at bigint;
BEGIN
  SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) INTO looked_at
  FROM pg_stat_xact_user_tables WHERE relid = 'fn.entries'::regclass;
  answer := memory_search('m', query, 5, filters => filters, store => 'fn', options => '{"diagnostics": true}');
  SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) - looked_at < 100 INTO few_rows
  FROM pg_stat_xact_user_tables WHERE relid = 'fn.entries'::regclass;
  ways := (SELECT string_agg(read->>'path', ', ' ORDER BY place)
    FROM jsonb_array_elements(answer #> '{diagnostics,reads}') WITH ORDINALITY r(read, place)
    WHERE read->>'relation' = 'entries');
  entries := (answer->'count')::int;
END $$;
SELECT a.* FROM fn.asked('tea', '{"userId": "bob"}') a;
SELECT a.* FROM fn.asked('tea', '{"createdAfter": "2030-01-01T00:00:00Z"}') a;
SELECT a.* FROM fn.asked('nosuchword', '{"userId": "bob"}') a;
SELECT a.* FROM fn.asked('nosuchword', '{"metadata": {"n": -1}}') a;
-- If some entries pass the filters but none has the words, the newest of them answer.
SELECT a.ways, a.entries FROM fn.asked('nosuchword', '{"userId": "ann"}') a;
SELECT a.ways, a.entries FROM fn.asked('nosuchword', '{"metadata": {"n": 5}}') a;
SELECT a.ways, a.entries FROM fn.asked('nosuchword', '{}') a;
-- The strategy "recent" reads the newest by time.
SELECT who, memory_search('m', '', filters => jsonb_build_object('userId', who), store => 'fn',
  options => '{"strategy": "recent"}')->'count' AS newest
FROM unnest('{ann,bob}'::text[]) who;
DROP FUNCTION fn.asked;
SELECT memory_drop_store('fn', true);
