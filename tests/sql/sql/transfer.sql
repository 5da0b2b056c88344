-- memory_export gives all stored data of a memory as lines of JSON, and memory_import restores it as it was.
SET timezone = 'UTC';
SELECT memory_create_store('tr', 256), memory_create_store('tr_back', 256);
-- All fields that a memory may have, with unusual values.
SELECT count(memory_add('m', 'entry ' || n || ' of ' || test.words(n, 8), entry_id => test.id(n), store => 'tr',
    creation_time => timestamptz '2025-01-01Z' + n / 7 * interval '1.000001 seconds', user_id => 'u' || n % 3,
    context => CASE WHEN n % 50 = 0 THEN 'context ' || n END)) AS added
FROM generate_series(1, 450) n;
SELECT memory_add('m', E'quotes '' " \\ and\nlines 🧠 記憶', 'a summary', 'At dinner.', '{a,"two words",""}',
    '{"n": 123456789012345678901234567890, "x": [1.50, null, {"y": "\u00e9"}]}', 100, NULL, 'ana', 'bot', 'chat',
    '1970-01-01 00:00:00.000001Z', test.id(1001), 'tr', 'infinity') IS NOT NULL AS odd,
  memory_add('m', 'with a vector of the caller', embedding => (SELECT array_agg(sin(i)::real * 1e-4 ORDER BY i)
    FROM generate_series(1, 256) i),
    entry_id => test.id(1002), importance => 0, store => 'tr') IS NOT NULL AS given,
  memory_put_context('m', 'by itself', user_id => 'ana', creation_time => '2025-03-01Z',
    store => 'tr') IS NOT NULL AS put;
SET memory_search.embed_on_write = off;
SELECT memory_add('m', 'not embedded', entry_id => test.id(1003), store => 'tr') IS NOT NULL AS waiting;
RESET memory_search.embed_on_write;
SELECT memory_touch('m', ARRAY[test.id(3), test.id(4)], 'tr'), memory_touch('m', ARRAY[test.id(4)], 'tr'),
  memory_delete('m', ARRAY[test.id(50), test.id(7)], store => 'tr') AS deleted,
  memory_supersede('m', test.id(8), test.id(9), 'tr') AS corrected,
  memory_update('m', test.id(10), expires_at => '2025-01-03Z', store => 'tr') AS expired;
SELECT memory_delete_contexts('m', ARRAY(SELECT context_id FROM tr.contexts WHERE context = 'context 100'), 'tr')
  AS context_deleted;
SELECT memory_add('other', 'of another memory', store => 'tr') IS NOT NULL AS added;
-- Links of visible and of hidden entries, more than a page of them; aliases.
SELECT count(memory_link('m', test.id(n), test.id(n + 1), 'next ' || n % 2, 0.1 * (n % 10), '-infinity',
    metadata => jsonb_build_object('n', n), store => 'tr')) AS linked
FROM generate_series(100, 349) n;
SELECT memory_link('m', test.id(11), test.id(12), 'odd "kind"\', 1, valid_until => '2999-01-01 00:00:00.000001Z',
    metadata => '{"n": 123456789012345678901234567890}', store => 'tr') AS odd,
  memory_alias('m', 'Mum', 'Anna "Weber"', 'tr') AS alias;
UPDATE tr.links SET creation_time = '2025-01-01 00:00:00.000001Z' WHERE kind LIKE 'odd%';
INSERT INTO tr.links (memory_id, from_entry, to_entry, kind) VALUES ('m', test.id(7), test.id(8), 'of hidden ones');
-- Lines: entries from the oldest on, then contexts.
SELECT jsonb_pretty(line - 'embedding') FROM memory_export('m', store => 'tr') line LIMIT 1;
SELECT jsonb_pretty(line - 'contextId') FROM memory_export('m', false, 'tr') line
  WHERE line->>'context' = 'context 50' AND line->>'kind' = 'context';
SELECT line - 'creationTime' FROM memory_export('m', false, 'tr') line
  WHERE line->>'kind' = 'alias' OR line->>'linkKind' LIKE 'o%';
SELECT line->>'kind' AS kind, count(*), count(*) FILTER (WHERE line ? 'embedding') AS with_embedding
FROM memory_export('m', store => 'tr') line GROUP BY 1 ORDER BY 1;
SELECT count(*) FILTER (WHERE line ? 'embedding') AS with_embedding FROM memory_export('m', false, 'tr') line;
SELECT count(*) AS of_nobody FROM memory_export('nobody', store => 'tr') line;
-- All of it at once, or a line at a time: the tables are the same, to the last digit; so are the answers.
SELECT memory_import('m', (SELECT jsonb_agg(line) FROM memory_export('m', store => 'tr') line), 'tr_back') AS rows;
CREATE FUNCTION rows_of(store text, memory text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT (to_jsonb(e) - ARRAY['entry_order', 'memory_id'] || jsonb_build_object('place',
      row_number() OVER (ORDER BY creation_time, entry_order)))::text
      FROM %1$I.entries e WHERE memory_id = %2$L
    UNION ALL SELECT (to_jsonb(c) - 'memory_id')::text FROM %1$I.contexts c WHERE memory_id = %2$L
    UNION ALL SELECT (to_jsonb(l) - 'memory_id')::text FROM %1$I.links l WHERE memory_id = %2$L
    UNION ALL SELECT (to_jsonb(n) - 'memory_id')::text FROM %1$I.aliases n WHERE memory_id = %2$L
    UNION ALL SELECT (to_jsonb(a) - 'memory_id')::text FROM %1$I.entry_access a WHERE memory_id = %2$L$q$, store,
      memory);
END $$;
CREATE FUNCTION same_rows(store text, memory text) RETURNS text LANGUAGE sql
  RETURN (SELECT concat(count(*), ' rows, different: ', count(*) FILTER (WHERE a.r IS NULL OR b.r IS NULL))
          FROM rows_of('tr', 'm') a(r) FULL JOIN rows_of(store, memory) b(r) ON a.r = b.r);
SELECT same_rows('tr_back', 'm');
CREATE FUNCTION answers(store text, memory text) RETURNS text LANGUAGE sql
  RETURN (SELECT md5(string_agg(replace(memory_search(memory, test.words(q, 3), 10, 3, options => o,
    store => store)::text,
              to_json(memory)::text, '"m"'), '' ORDER BY q, o))
          FROM generate_series(1, 20) q, unnest(ARRAY['{"asOf": "2025-06-01T00:00:00Z"}',
            '{"asOf": "2026-01-01T00:00:00Z", "boosts": {"popularity": 0.3}, "includeSuperseded": true}',
            '{"strategy": "semantic", "asOf": "2025-06-01T00:00:00Z"}', '{"strategy": "keyword",
              "asOf": "2025-06-01T00:00:00Z"}']::jsonb[]) o);
SELECT answers('tr', 'm') = answers('tr_back', 'm') AS same_answers;
SELECT sum(memory_import('copy', line, 'tr')) AS rows FROM memory_export('m', store => 'tr') line;
SELECT same_rows('tr', 'copy'), answers('tr', 'm') = answers('tr', 'copy') AS same_answers;
SELECT (SELECT jsonb_agg(line - 'memoryId') FROM memory_export('m', store => 'tr') line)
  = (SELECT jsonb_agg(line - 'memoryId') FROM memory_export('copy', store => 'tr') line) AS same_lines;
-- Rows of a plain INSERT: null tags, and metadata that are no object.
INSERT INTO tr.entries (memory_id, entry_id, raw_entry, tags, metadata) VALUES
  ('plain', test.id(1), 'a', '{x,NULL,"NULL",""}', '[1.0, {"a": null}]'), ('plain', test.id(2), 'b', '{NULL}', 'null'),
  ('plain', test.id(3), 'c', '{}', '"text"'), ('plain', test.id(4), 'd', '{}', '1e400'),
  ('plain', test.id(5), 'e', '{}', '{"n": [1e400, 1e-400]}');
SELECT memory_import('plain', (SELECT jsonb_agg(line) FROM memory_export('plain', store => 'tr') line), 'tr_back')
  AS rows;
SELECT test.n(entry_id) AS n, a.tags, b.tags = a.tags AS same_tags, b.metadata = a.metadata AS same_metadata
FROM tr.entries a JOIN tr_back.entries b USING (memory_id, entry_id) WHERE memory_id = 'plain' ORDER BY 1;
-- Without embeddings in the lines, the import makes them anew; then the embedder has made those of the caller, too.
SELECT memory_import('again', (SELECT jsonb_agg(line) FROM memory_export('m', false, 'tr') line), 'tr_back') AS rows;
SELECT count(*) AS entries, count(b.embedding) AS embedded, count(*) FILTER (WHERE b.embedding = a.embedding) AS same
FROM tr.entries a JOIN tr_back.entries b USING (entry_id) WHERE a.memory_id = 'm' AND b.memory_id = 'again';
-- A line with an existing id is refused together with all other lines of the call; so is a value that is no line.
\set VERBOSITY terse
SELECT memory_import('m', (SELECT jsonb_agg(line) FROM memory_export('m', store => 'tr') line), 'tr_back');
\set VERBOSITY default
CREATE FUNCTION outcome(lines jsonb, store text DEFAULT 'tr_back') RETURNS text LANGUAGE sql
  RETURN test.error(format('SELECT memory_import(%L, %L, %L)', 'bad', lines, store));
SELECT outcome(lines) FROM (VALUES ('[{"kind": "entry", "rawEntry": "a"}, {"rawEntry": "b"}]'::jsonb), ('"line"'),
  ('null'),
  ('{"kind": "entry"}'), ('{"kind": "entri", "rawEntry": "a"}'), ('{"kind": "entry", "rawEntry": "a", "raw": 1}'),
  ('{"kind": "entry", "rawEntry": "a", "embedding": [1]}'), ('{"kind": "entry", "rawEntry": "a", "accessCount": -1}'),
  ('{"kind": "entry", "rawEntry": "a", "supersededTime": "2025-01-01T00:00:00Z"}'),
  ('{"kind": "context", "context": "a", "entryId": "00000000-0000-0000-0000-000000009999"}'),
  ('[{"kind": "context", "context": "a"}, {"kind": "context", "context": "b",
    "entryId": "00000000-0000-0000-0000-000000009998"}]'),
  ('{"kind": "context", "context": "a", "rawEntry": "b"}'), ('[]')) l(lines);
SELECT test.error('SELECT ' || call)
FROM (VALUES ($$memory_export(NULL, store => 'tr')$$), ($$memory_export('m', NULL, 'tr')$$), ($$memory_export('m',
  store => 'no_such_store')$$),
  ($$memory_import('m', NULL, 'tr')$$), ($$memory_import('', '[]', 'tr')$$), ($$memory_import('m', '[]',
    'no_such_store')$$)) c(call);
-- Adopted tables can be exported, and imported into an own store.
CREATE TABLE tr_notes (id bigint PRIMARY KEY, body text, labels text[], extra jsonb, at timestamptz, v vector(256));
INSERT INTO tr_notes SELECT n, 'note ' || n,
  CASE WHEN n = 2 THEN '{{even,NULL},{x,y}}' WHEN n % 2 = 0 THEN ARRAY['even'] END,
  CASE WHEN n = 4 THEN '[1]'::jsonb END,
  CASE WHEN n % 5 > 0 THEN timestamptz '2025-01-01Z' + n % 3 * interval '1 day' END, memory_embed('note ' || n)
FROM generate_series(1, 405) n;
SELECT memory_adopt_table('tr_adopted', 'tr_notes',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "body", "tags": "labels", "metadata": "extra",
      "creation_time": "at", "embedding": "v"}');
SELECT memory_put_context('all', 'a context', store => 'tr_adopted') IS NOT NULL AS put, memory_touch('all', ARRAY[3],
  'tr_adopted') AS touched;
SELECT count(*) AS lines, count(DISTINCT line->>'entryId') AS ids, count(line->'embedding') AS embeddings
FROM memory_export('all', store => 'tr_adopted') line;
SELECT memory_import('all', (SELECT jsonb_agg(line - 'entryId') FROM memory_export('all',
  store => 'tr_adopted') line), 'tr_back') AS rows;
SELECT raw_entry, tags, metadata FROM tr_back.entries
WHERE memory_id = 'all' AND raw_entry IN ('note 1', 'note 2', 'note 4') ORDER BY raw_entry;
SELECT outcome('{"kind": "entry", "rawEntry": "a"}', 'tr_adopted');
-- Corrections in a circle are refused, with the line.
SELECT outcome(jsonb_agg(jsonb_build_object('kind', 'entry', 'rawEntry', 'r', 'entryId', test.id(n),
  'supersededBy', test.id(by), 'supersededTime', '2025-01-01T00:00:00Z') ORDER BY n, by))
FROM (VALUES (1, 1, 1), (2, 1, 2), (2, 2, 1), (3, 5, 6), (3, 6, 7), (3, 7, 6)) t(circle, n, by)
GROUP BY circle ORDER BY circle;
INSERT INTO tr_back.entries (memory_id, entry_id, raw_entry, superseded_by, superseded_time)
VALUES ('bad', test.id(8), 'r', test.id(9), '2025-01-01Z');
SELECT outcome(jsonb_agg(jsonb_build_object('kind', 'entry', 'rawEntry', 'r', 'entryId', test.id(n),
  'supersededBy', test.id(by), 'supersededTime', '2025-01-01T00:00:00Z') ORDER BY n))
FROM (VALUES (9, 10), (10, 8), (11, 8)) t(n, by);
DELETE FROM tr_back.entries WHERE memory_id = 'bad';
-- Names that memory_add refuses and plain SQL stores are restored, and so is the last day of the calendar.
INSERT INTO tr.entries (memory_id, raw_entry, user_id, agent_id, session_id, source_type, entry_key, expires_at)
VALUES ('odd', 'odd', '', '', '', '', repeat('k', 1500), '9999-12-31 23:59:59.999999Z');
SELECT memory_import('odd', (SELECT jsonb_agg(line - 'entryId') FROM memory_export('odd', store => 'tr') line),
  'tr_back') AS rows;
SELECT concat(user_id, agent_id, session_id, source_type) = '' AS names, length(entry_key) AS key,
  expires_at = '9999-12-31 23:59:59.999999Z' AS last_day
FROM tr_back.entries WHERE memory_id = 'odd';
-- The refusal of an embedder is left out: in the copy it tries the text again.
INSERT INTO tr.entries (memory_id, raw_entry, embedding_error) VALUES ('refused', 'r', 'too long');
SELECT line ? 'embeddingError' AS exported, line->'embedding' AS embedding FROM memory_export('refused',
  store => 'tr') line;
SELECT memory_import('refused', line - 'entryId', 'tr_back') AS rows FROM memory_export('refused', store => 'tr') line;
SELECT embedding IS NULL AS waits, embedding_error FROM tr_back.entries WHERE memory_id = 'refused';
-- Plain SQL stores an embedding without a direction: it is restored like any other.
INSERT INTO tr.entries (memory_id, raw_entry, embedding) SELECT 'zero', 'z', array_fill(0::real, ARRAY[256])::vector;
SELECT memory_import('zero', line, 'tr_back') AS rows FROM memory_export('zero', store => 'tr') line;
SELECT a.embedding = b.embedding AS same
FROM tr.entries a JOIN tr_back.entries b USING (entry_id) WHERE a.memory_id = 'zero';
-- Row-level security and privileges are the caller's.
SET client_min_messages = error;
CREATE ROLE tr_writer;
SELECT memory_enable_row_security('tr'), memory_grant('tr', 'tr_writer', 'writer');
RESET client_min_messages;
SET ROLE tr_writer;
SET memory_search.user_id = 'u1';
SELECT line->>'kind' AS kind, array_agg(DISTINCT line->>'userId') AS users FROM memory_export('m',
  store => 'tr') line GROUP BY 1 ORDER BY 1;
SELECT outcome('{"kind": "entry", "rawEntry": "a", "userId": "u2"}', 'tr'), outcome('{"kind": "entry",
  "rawEntry": "a", "userId": "u1"}', 'tr');
RESET ROLE;
DROP FUNCTION outcome, rows_of, same_rows, answers;
SELECT memory_drop_store('tr', true), memory_drop_store('tr_back', true), memory_drop_store('tr_adopted', true);
DROP TABLE tr_notes;
DROP ROLE tr_writer;
