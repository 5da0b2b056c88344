-- The response: always the same five fields, the same fields of an entry, RFC 3339 instants.
SELECT memory_create_store('sr', 4);
-- Nothing is found: an unknown memory, and one whose only entry is deleted.
SELECT memory_search('unknown', 'anything', store => 'sr');
SELECT memory_add('m', 'the old lighthouse', entry_id => test.id(1), creation_time => '2025-01-01Z', store => 'sr');
SELECT memory_delete('m', ARRAY[test.id(1)], store => 'sr');
SELECT memory_search('m', 'lighthouse', store => 'sr');

-- Only a context; a search for contexts only.
SELECT memory_put_context('m', 'Sailing', creation_time => '2025-03-01 10:00:00.5+01', store => 'sr') IS NOT NULL;
SELECT memory_search('m', 'lighthouse', store => 'sr');
SELECT memory_add('m', 'a new lighthouse', entry_id => test.id(2), creation_time => '2025-01-02Z',
    embedding => '[1,0,0,0]', store => 'sr');
SELECT memory_search('m', 'lighthouse', 0, store => 'sr');

-- The fields are the same for all results: those of the response, of an entry, of its scores, of a context.
SELECT memory_put_context('m', 'Lighthouses', creation_time => '2025-02-01Z', store => 'sr') IS NOT NULL;
SELECT memory_search('m', 'lighthouse', embedding => '[1,1,0,0]', options => '{"asOf": "2025-04-01T00:00:00Z"}',
    store => 'sr') AS r \gset
SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(:'r'::jsonb) key;
SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(:'r'::jsonb->'entries'->0) key;
SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(:'r'::jsonb->'entries'->0->'scores') key;
SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(:'r'::jsonb->'contexts'->0) key;
SELECT r->'count' AS count, r->'latestContext' AS latest, r->'latestContextTimestamp' AS stamp,
  r->'contexts'->0->'context' AS context, r->'contexts'->0->'creationTime' AS context_time,
  r->'entries'->0->'creationTime' AS entry_time
FROM (SELECT :'r'::jsonb) s(r);
-- The session's time zone and date style change nothing.
SET timezone = 'Asia/Kathmandu';
SET datestyle = 'German';
SET extra_float_digits = -10;
SELECT memory_search('m', 'lighthouse', embedding => '[1,1,0,0]', options => '{"asOf": "2025-04-01T00:00:00Z"}',
      store => 'sr') = :'r'::jsonb AS same;
RESET ALL;

-- count is the number of entries, and a signal that a row lacks is null.
INSERT INTO sr.entries (memory_id, entry_id, raw_entry, embedding, creation_time) VALUES
  ('n', test.id(1), 'both words and meaning', '[1,0,0,0]', '2025-01-01Z'),
  ('n', test.id(2), 'meaning only', '[0,1,0,0]', '2025-01-01Z'),
  ('n', test.id(3), 'words only', NULL, '2025-01-01Z');
SELECT test.n(e->>'entryId') AS n, e->'scores'->>'semantic' IS NULL AS no_meaning,
  e->'scores'->>'keyword' IS NULL AS no_words, e->>'strategy' AS strategy
FROM jsonb_array_elements(memory_search('n', 'words', embedding => '[1,1,0,0]', store => 'sr')->'entries') e
ORDER BY n;
SELECT r->'count' = to_jsonb(jsonb_array_length(r->'entries')) AS count_is_true
FROM (SELECT memory_search('n', 'words', k, store => 'sr') r FROM generate_series(0, 4) k) t;

-- A text is returned as it is.
SELECT memory_add('t',
    E'quote " backslash \\ tab \t newline \n bell \x07 delete \x7f '
    'emoji 🧠 ideograph 記 combining e\u0301 bidi \u202e end',
    E'</script>&amp;', tags => ARRAY['"', '\', '{', ','],
    metadata => '{"\"": "\\", "number": 1.00000000000000000000001, "huge": 1e400, "esc": "\u001f"}',
    entry_id => test.id(1), store => 'sr');
SELECT e->>'rawEntry' = raw_entry AS raw, e->>'summary' = summary AS summary, e->'tags' = to_jsonb(tags) AS tags,
  e->'metadata' = metadata AS metadata
FROM sr.entries, LATERAL jsonb_array_elements(memory_search('t', '', store => 'sr')->'entries') e
WHERE memory_id = 't';
-- Metadata as deeply nested as jsonb accepts it.
INSERT INTO sr.entries (memory_id, raw_entry, metadata)
VALUES ('deep', 'x', (repeat('{"a":', 500) || '1' || repeat('}', 500))::jsonb);
SELECT memory_search('deep', '', store => 'sr')->'entries'->0->'metadata'
  = (SELECT metadata FROM sr.entries WHERE memory_id = 'deep') AS same;
DROP SCHEMA sr CASCADE;
