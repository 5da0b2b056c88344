-- The judgement of users by memory_feedback, and the time of the last use, in the ranking: they agree with the
-- formulas, and count only if an option asks for them.
SET memory_search.embed_on_write = off;
SELECT memory_create_store('fb', 4, 'simple');
INSERT INTO fb.entries (memory_id, entry_id, raw_entry, embedding, importance, creation_time)
SELECT 'm', test.id(n), test.words(n, 4 + n % 5), test.vector(n), n % 101,
  timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 200) n;
CREATE FUNCTION ranked(options jsonb) RETURNS TABLE (n bigint, score float8, scores jsonb, bytes text)
LANGUAGE sql AS $$
  SELECT test.n(e->>'entryId'), (e->>'score')::float8, e->'scores', (e - 'accessCount')::text
  FROM jsonb_array_elements(memory_search('m', 'tea lisbon museum', 10, embedding => test.vector(7),
    options => '{"asOf": "2025-06-01T00:00:00Z", "candidates": 1000}' || options, store => 'fb')->'entries') e $$;
CREATE TABLE before AS SELECT * FROM ranked('{}');
-- Each call counts each entry once; unknown entries, and entries of another memory, are not counted.
SELECT memory_feedback('m', ARRAY[test.id(1), test.id(1), test.id(2), test.id(999)], 1, 'fb') AS helpful,
  memory_feedback('m', ARRAY[test.id(2)], -1, store => 'fb') AS unhelpful,
  memory_feedback('other', ARRAY[test.id(1)], 1, 'fb') AS of_another;
SELECT test.n(entry_id), access_count, last_accessed_at, helpful, unhelpful FROM fb.entry_access ORDER BY 1;
UPDATE fb.entries SET deletion_scheduled_time = now() WHERE entry_id = test.id(200);
UPDATE fb.entries SET expires_at = now() WHERE entry_id = test.id(199);
SELECT memory_feedback('m', ARRAY[test.id(199), test.id(200)], 1, 'fb') AS hidden;
TRUNCATE fb.entry_access;
-- Without a weight, the answers are the same bytes as before the feedback.
INSERT INTO fb.entry_access (memory_id, entry_id, access_count, last_accessed_at, helpful, unhelpful)
SELECT 'm', test.id(n), n % 7, CASE WHEN n % 4 > 0 THEN timestamptz '2025-06-01Z' - n * interval '3 hours' END, n % 6,
  n % 11 / 2
FROM generate_series(1, 200) n WHERE n % 3 > 0;
SELECT count(*) AS same FROM before JOIN ranked('{}') USING (n, bytes);
-- With one: score = relevance * lift * factor of feedback * (1 - w + ...), each factor by its formula.
CREATE TABLE explained AS
SELECT w, test.n(x.entry_id) AS n, score, details, u.helpful, u.unhelpful, u.last_accessed_at
FROM (VALUES (0.25, 0.2), (1, 0), (0, 0.5)) v (w, used),
  LATERAL memory_explain('m', 'tea lisbon museum', 1, embedding => test.vector(7), store => 'fb',
    options => jsonb_build_object('asOf', '2025-06-01T00:00:00Z', 'candidates', 1000,
      'boosts', jsonb_build_object('feedback', w, 'usedRecency', used))) x
  LEFT JOIN fb.entry_access u ON u.memory_id = 'm' AND u.entry_id = x.entry_id::uuid
WHERE x.score IS NOT NULL;
SELECT w, count(*) AS candidates, count(DISTINCT factor) AS factors, round(min(factor)::numeric, 4) AS least,
  round(max(factor)::numeric, 4) AS most,
  count(*) FILTER (WHERE abs(factor - coalesce((details #>> '{feedback,factor}')::float8, 1)) < 1e-9) AS by_formula,
  count(*) FILTER (WHERE abs(used - coalesce((details #>> '{usedRecency,factor}')::float8, used)) < 1e-9) AS of_use,
  count(*) FILTER (WHERE abs(score
    - relevance * factor * (1 - share + 0.1 * recency + 0.05 * importance + u * used)) < 1e-9) AS scores
FROM explained, LATERAL (SELECT
  CASE WHEN helpful IS NULL THEN 1 ELSE power(1 + w, (helpful - unhelpful)::float8 / (helpful + unhelpful + 2)) END
    AS said,
  coalesce(power(2, -extract(epoch FROM timestamptz '2025-06-01Z' - last_accessed_at)::float8 / 86400 / 7), 0) AS used,
  (details->>'relevance')::float8 * (details->>'lift')::float8 AS relevance,
  (details #>> '{recency,factor}')::float8 AS recency, (details #>> '{importance,factor}')::float8 AS importance,
  coalesce((details #>> '{usedRecency,weight}')::float8, 0) AS u) a,
  LATERAL (SELECT 0.15 + u AS share, CASE WHEN said > 1 THEN least(said, 1 / relevance) ELSE said END AS factor) b
GROUP BY w ORDER BY w;
-- With a weight, the parts of a score include it, and entries without feedback keep their scores.
SELECT n, scores->'feedback' AS feedback, scores->'usedRecency' AS used
FROM ranked('{"boosts": {"feedback": 0.25, "usedRecency": 0.1}}') ORDER BY scores->'usedRecency' DESC, n LIMIT 3;
SELECT count(*) FILTER (WHERE a.score = b.score) AS same, count(*) AS without_feedback
FROM (SELECT test.n(entry_id) AS n, score FROM memory_explain('m', 'tea lisbon museum', 1, embedding => test.vector(7),
    store => 'fb', options => '{"asOf": "2025-06-01T00:00:00Z", "candidates": 1000}')) a
  JOIN (SELECT test.n(entry_id) AS n, score
  FROM memory_explain('m', 'tea lisbon museum', 1, embedding => test.vector(7),
    store => 'fb',
    options => '{"asOf": "2025-06-01T00:00:00Z", "candidates": 1000, "boosts": {"feedback": 1}}')) b USING (n)
WHERE n % 3 = 0;
-- Feedback that is frequent enough decides between entries of much the same relevance, but not against relevance.
INSERT INTO fb.entries (memory_id, entry_id, raw_entry, creation_time)
VALUES ('f', test.id(1), 'tea from Assam', '2025-01-01Z'), ('f', test.id(2), 'tea from Nepal', '2025-01-01Z'),
  ('f', test.id(3), 'nothing', '2025-01-01Z');
SELECT memory_feedback('f', ARRAY[test.id(2), test.id(3)], 1, 'fb') FROM generate_series(1, 5);
SELECT test.found(memory_search('f', 'tea', options => '{"strategy": "keyword"}', store => 'fb')) AS without,
  test.found(memory_search('f', 'tea', options => '{"strategy": "keyword", "boosts": {"feedback": 0.25}}',
    store => 'fb')) AS heeded;
-- Presets use it in the same way, and an export has it.
SELECT preset, count(*) AS rows,
  count(*) FILTER (WHERE abs(score - (semantic + keyword + recency + importance + popularity)) < 1e-6) AS adding_up
FROM unnest('{default,cortex,alfred}'::text[]) preset, memory_explain('m', 'tea', 5, embedding => test.vector(7),
  store => 'fb', options => jsonb_build_object('preset', preset, 'minSimilarity', -1, 'asOf', '2025-06-01T00:00:00Z',
    'boosts', '{"usedRecency": 0.2, "feedback": 0.5, "popularity": 0.1}'::jsonb))
WHERE score IS NOT NULL GROUP BY preset ORDER BY preset;
SELECT memory_import('g', jsonb_agg(line), 'fb') FROM memory_export('f', store => 'fb') line;
SELECT memory_id, test.n(entry_id), access_count, helpful, unhelpful FROM fb.entry_access WHERE memory_id IN ('f', 'g')
ORDER BY 1, 2;
-- Refused.
SELECT n, test.error('SELECT ' || call) FROM (VALUES
  (1, $$memory_feedback('m', ARRAY[test.id(1)], 2, 'fb')$$), (2, $$memory_feedback('m', ARRAY[test.id(1)], 0, 'fb')$$),
  (3, $$memory_feedback('m', ARRAY[test.id(1)], NULL, 'fb')$$), (4, $$memory_feedback('m', NULL::uuid[], 1, 'fb')$$),
  (5, $$memory_search('m', 'tea', options => '{"boosts": {"usedRecency": 0.9}}', store => 'fb')$$),
  (6, $$memory_search('m', 'tea', options => '{"boosts": {"feedback": 2}}', store => 'fb')$$),
  (7, $$memory_search('m', 'tea', options => '{"usedRecency": {"days": 0}}', store => 'fb')$$)) t(n, call) ORDER BY n;
-- A role may give feedback only on entries that it sees.
CREATE ROLE regress_fb;
SELECT memory_grant('fb', 'regress_fb', 'writer'), memory_enable_row_security('fb', 'regress.fb_user');
UPDATE fb.entries SET user_id = CASE test.n(entry_id) WHEN 1 THEN 'ann' ELSE 'bob' END WHERE memory_id = 'f';
SET ROLE regress_fb;
SET regress.fb_user = 'ann';
SELECT memory_feedback('f', ARRAY[test.id(1), test.id(2)], -1, 'fb') AS of_her_own;
RESET ROLE;
SELECT test.n(entry_id), helpful, unhelpful FROM fb.entry_access WHERE memory_id = 'f' ORDER BY 1;
DROP OWNED BY regress_fb;
DROP ROLE regress_fb;
-- Feedback on an adopted table's entries is counted, too.
CREATE TABLE fb_log (no int PRIMARY KEY, said text);
INSERT INTO fb_log VALUES (1, 'tea'), (2, 'tea');
SELECT memory_adopt_table('fb_adopted', 'fb_log', '{"memory_id": "''m''", "entry_id": "no", "raw_entry": "said"}');
SELECT memory_feedback('m', '{2}', 1, 'fb_adopted') AS counted;
SELECT entry_id, helpful FROM fb_adopted.entry_access;
DROP SCHEMA fb_adopted CASCADE;
DROP TABLE fb_log, before, explained;
DROP FUNCTION ranked;
DROP SCHEMA fb CASCADE;
