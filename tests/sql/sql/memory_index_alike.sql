-- Among equal or nearly equal embeddings, searches by the index and by the rows find the same ones. Rows are compared
-- with the query in half precision, as the column holds it.
SELECT memory_create_store(store, 8) FROM unnest(ARRAY['al_equal', 'al_near', 'al_single']) store;
ALTER TABLE al_single.entries ALTER COLUMN embedding TYPE vector(8);
CREATE FUNCTION fill(store text, alike boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    INSERT INTO %I.entries (memory_id, entry_id, raw_entry, creation_time, embedding)
    SELECT 'm', test.id(n), 'apple', timestamptz '2026-01-01Z' + n * 37 %% 200 * interval '1 hour',
      ARRAY[0.67285156, -0.95996094, -0.23205566, 0.1, 0.2, -0.3, 0.5,
        CASE WHEN $1 THEN 0.4 ELSE 0.4 + n / 20000.0 END]::real[]::vector
    FROM generate_series(1, 200) n $sql$, store) USING alike;
  EXECUTE format('REINDEX INDEX %I.entries_memory', store);
END $$;
SELECT fill('al_equal', true), fill('al_near', false), fill('al_single', true);
CREATE FUNCTION found(store text) RETURNS TABLE (n int, answer text) LANGUAGE sql AS $$
  SELECT n, memory_search('m', '', 3, embedding => (test.vector(n) || test.vector(n + 1000))::vector, store => store,
    options => '{"strategy": "semantic", "candidates": 10, "asOf": "2027-01-01T00:00:00Z"}')::text
  FROM generate_series(1, 60) n $$;
CREATE TEMPORARY TABLE by_index AS
  SELECT store, f.* FROM unnest(ARRAY['al_equal', 'al_near', 'al_single']) store, found(store) f;
DROP INDEX al_equal.entries_memory, al_near.entries_memory, al_single.entries_memory;
SELECT store, count(*) AS searches, count(*) FILTER (WHERE i.answer = r.answer) AS same
FROM by_index i, found(store) r WHERE r.n = i.n GROUP BY 1 ORDER BY 1;

DROP TABLE by_index;
DROP FUNCTION fill, found;
SELECT memory_drop_store(store, force => true) FROM unnest(ARRAY['al_equal', 'al_near', 'al_single']) store;
