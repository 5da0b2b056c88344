-- Filters by metadata find the same by the index as by the rows: for documents of every shape, also for those without
-- terms (too long, too many values, numbers beyond double precision), in the tail and in segments.
SELECT memory_create_store('mt', 4);
CREATE TEMPORARY TABLE documents (n bigint GENERATED ALWAYS AS IDENTITY, metadata jsonb);
INSERT INTO documents (metadata) VALUES
  ('{}'), ('{"a": 1}'), ('{"a": 1.0, "b": "x"}'), ('{"a": [1, 2], "b": ["x", {"c": null}]}'),
  ('{"a": "1"}'), ('{"a": {"a": 1}}'), ('{"a": true}'), ('{"b": {"c": [true]}}'), ('{"a": 0.300000000000000040}'),
  ('{"a": 1e400}'), ('[1, "x", {"a": 1}]'), ('"x"'), ('{"": {"": ""}}'), ('{"a": -0.0}'), ('{"a": 9007199254740993}');
INSERT INTO documents (metadata) SELECT jsonb_build_object('a', 1, 'long', repeat('y', 1500000));
INSERT INTO documents (metadata) SELECT jsonb_build_object('a', 1, 'many', jsonb_agg(i))
FROM generate_series(1, 1500) i;
INSERT INTO mt.entries (memory_id, entry_id, raw_entry, metadata, creation_time, embedding)
SELECT 'm', test.id(n), 'tea', metadata, timestamptz '2025-01-01Z' + n * interval '1 hour', test.vector(n)::halfvec
FROM documents;
CREATE TEMPORARY TABLE filters (part jsonb);
INSERT INTO filters
SELECT metadata FROM documents WHERE jsonb_typeof(metadata) = 'object' AND length(metadata::text) < 300;
INSERT INTO filters VALUES ('{"b": "x"}'), ('{"b": ["x"]}'), ('{"b": [{"c": null}]}'), ('{"a": []}'), ('{"a": {}}'),
  ('{"a": [1]}'), ('{"a": 1, "b": "x"}'), ('{"a": 2}'), ('{"many": [1500]}'), ('{"many": [1501]}'), ('{"a": 0}'),
  ('{"a": 9007199254740992}'), ('{"a": 0.3}'), ('{"a": 1e0}');
CREATE FUNCTION found(filter jsonb) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(n ORDER BY n) FROM unnest(test.found(memory_search('m', 'tea', 10, store => 'mt',
    filters => jsonb_build_object('metadata', filter), options => '{"candidates": 100, "strategy": "keyword"}'))) n $$;
CREATE FUNCTION compared() RETURNS TABLE (filters bigint, find_some bigint, as_the_rows bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE found(part) IS NOT NULL), count(*) FILTER (
    WHERE found(part) IS NOT DISTINCT FROM (SELECT array_agg(n ORDER BY n) FROM documents WHERE metadata @> part))
  FROM filters WHERE (SELECT count(*) FROM documents WHERE metadata @> part) <= 10 $$;
SELECT * FROM compared();
REINDEX INDEX mt.entries_memory;
SELECT * FROM compared();
INSERT INTO mt.entries (memory_id, raw_entry, metadata)
SELECT 'm', 'nothing of the kind', jsonb_build_object('other', i) FROM generate_series(1, 1500) i;
SELECT (SELECT value > 500 FROM memory_index_check('mt.entries_memory') WHERE name = 'documents in segments') AS sealed;
SELECT * FROM compared();

DROP FUNCTION found, compared;
DROP TABLE documents, filters;
SELECT memory_drop_store('mt', force => true);
