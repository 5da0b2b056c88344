-- The tables and functions of the scripts of test_concurrent_load.py. Memory "kept" loses no entry, so its counts add
-- up exactly; entries of memory "changing" are deleted, restored and purged.
SELECT memory_create_store('s');
SELECT count(memory_add(memory, 'note ' || n || ': ' || (ARRAY['a small hotel by the sea', 'the train to Lisbon',
    'green tea with milk', 'allergic to peanuts'])[1 + n % 4], store => 's'))
  FROM unnest(ARRAY['kept', 'changing']) memory, generate_series(1, 200) n;

-- The writes that the server acknowledged: a client inserts a row after its call has returned.
CREATE TABLE acknowledged (what text, memory text, n bigint);

-- Ids of random entries of a memory, also of deleted ones, and sometimes none.
CREATE FUNCTION ids(memory text, how_many int) RETURNS uuid[] LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(array_agg(entry_id), '{}') FROM (
    SELECT entry_id FROM s.entries WHERE memory_id = memory AND entry_id > gen_random_uuid()
    ORDER BY entry_id LIMIT how_many) e $$;

-- One of four entries corrects another, by their numbers; 0 if the other one corrects it already.
CREATE FUNCTION superseded(memory text, old int, new int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  four uuid[] := ARRAY(SELECT entry_id FROM s.entries WHERE memory_id = memory ORDER BY entry_order LIMIT 4);
BEGIN
  RETURN memory_supersede(memory, four[old], four[new]);
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN 0;
END $$;

-- A row that an application inserted by itself: it has no embedding.
CREATE FUNCTION plain_row(memory text) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  WITH inserted AS (INSERT INTO s.entries (memory_id, raw_entry) VALUES (memory, 'a plain row') RETURNING 1)
  SELECT count(*) FROM inserted $$;

-- Fails unless a response is complete: the five fields, the stated number of entries, all of this memory, none twice,
-- by descending score.
CREATE FUNCTION well_formed(response jsonb, memory text, top_ke int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  wrong text;
BEGIN
  SELECT CASE
      WHEN (SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(response) key)
        <> '{contexts,count,entries,latestContext,latestContextTimestamp}' THEN 'its fields'
      WHEN (response->>'count')::int <> count(*) OR count(*) > top_ke THEN 'the count'
      WHEN count(DISTINCT e->>'entryId') <> count(*) THEN 'an entry twice'
      WHEN bool_or(e->>'memoryId' <> memory) THEN 'another memory'
      WHEN bool_or(score > before) THEN 'the order'
      WHEN bool_or(e->>'rawEntry' = '' OR e->>'creationTime' IS NULL OR e->>'strategy' IS NULL) THEN 'an entry'
      WHEN (response->>'latestContext' = '') <> (response->>'latestContextTimestamp' IS NULL) THEN 'the latest context'
      WHEN EXISTS (SELECT FROM jsonb_array_elements(response->'contexts') c
        WHERE c->>'context' = response->>'latestContext') THEN 'the latest context twice'
    END INTO wrong
    FROM (SELECT e, (e->>'score')::float8 AS score, lag((e->>'score')::float8) OVER (ORDER BY place) AS before
          FROM jsonb_array_elements(response->'entries') WITH ORDINALITY AS entries(e, place)) e;
  IF wrong IS NOT NULL THEN RAISE EXCEPTION 'a response is wrong in %: %', wrong, response; END IF;
  RETURN (response->>'count')::bigint;
END $$;
