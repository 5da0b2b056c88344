-- The functions by which test_recall.py searches the stores d64, d128, ...: for the ten nearest, by plain SQL and by
-- each path.
SET client_min_messages = warning;
CREATE SCHEMA recall;

-- Up to 5,000 it is the vector of the entry of that number, above it is a new one.
CREATE TABLE recall.questions (
  distribution text, dimensions int, n int, embedding halfvec, PRIMARY KEY (distribution, dimensions, n));

-- By ORDER BY <=>: the tenth distance; for an entry's own vector its distance, and the number of entries as near as it.
CREATE TABLE recall.exact (
  distribution text, dimensions int, n int, tenth float8, own float8, twins int,
  PRIMARY KEY (distribution, dimensions, n));

-- By a search: the number of entries, the number of them that are no further than the tenth, the first entry and its
-- distance; the paths of its reads; the number of computed distances; the whole answer, and whether
-- memory_search_entries gives the same entries.
CREATE TABLE recall.found (
  distribution text, dimensions int, n int, way text, given int, near int, first uuid, first_distance float8,
  paths text[], distances int, answer text, agrees bool,
  PRIMARY KEY (distribution, dimensions, n, way));

CREATE FUNCTION recall.entry_id(n int) RETURNS uuid LANGUAGE sql IMMUTABLE
  RETURN lpad(to_hex(n), 32, '0')::uuid;

-- Ties are no misses.
CREATE FUNCTION recall.is_within(distance float8, most float8) RETURNS bool LANGUAGE sql IMMUTABLE
  RETURN distance <= most + 1e-6;

CREATE FUNCTION recall.by_sql(dimensions int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    INSERT INTO recall.exact
    SELECT q.distribution, q.dimensions, q.n, max(e.distance),
      own.distance, count(*) FILTER (WHERE recall.is_within(e.distance, own.distance))
    FROM recall.questions q
    LEFT JOIN LATERAL (
      SELECT e.embedding <=> q.embedding AS distance FROM d%1$s.entries e
      WHERE e.memory_id = q.distribution AND e.entry_id = recall.entry_id(q.n)) own ON true
    CROSS JOIN LATERAL (
      SELECT e.embedding <=> q.embedding AS distance FROM d%1$s.entries e
      WHERE e.memory_id = q.distribution AND e.embedding IS NOT NULL
      ORDER BY e.embedding <=> q.embedding LIMIT 10) e
    WHERE q.dimensions = %1$s
    GROUP BY q.distribution, q.dimensions, q.n, own.distance$sql$, dimensions);
END $$;

-- The caller chooses the way by settings of its transaction. "filtered" is the index with a filter of metadata, which
-- it checks in the rows, and which all entries pass.
CREATE FUNCTION recall.by_search(dimensions int, way text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    INSERT INTO recall.found
    SELECT x.distribution, x.dimensions, x.n, $1, e.given, e.near, e.ids[1], e.distances[1],
      r.paths, r.distances, (s.answer - 'diagnostics')::text,
      -- The search on one of the ways.
      CASE $1 WHEN 'index' THEN e.ids = ARRAY(
        SELECT f.entry_id::uuid FROM memory_search_entries(q.distribution, '', 10, q.embedding, $2, $3, 'd%1$s') f
        ORDER BY f.rank) END
    FROM recall.exact x JOIN recall.questions q USING (distribution, dimensions, n)
    CROSS JOIN LATERAL (
      SELECT memory_search(q.distribution, '', 10, 1, q.embedding, $2, $3 || '{"diagnostics": true}', 'd%1$s')
        AS answer OFFSET 0) s
    CROSS JOIN LATERAL (
      SELECT array_agg(r->>'path' ORDER BY place) AS paths,
        sum(coalesce(r->>'distances', r->>'rows')::int) AS distances
      FROM jsonb_array_elements(s.answer #> '{diagnostics,reads}') WITH ORDINALITY r(r, place)) r
    CROSS JOIN LATERAL (
      SELECT count(DISTINCT f.id) AS given, count(*) FILTER (WHERE recall.is_within(f.distance, x.tenth)) AS near,
        array_agg(f.id ORDER BY f.place) AS ids, array_agg(f.distance ORDER BY f.place) AS distances
      FROM (
        SELECT e.entry_id AS id, e.embedding <=> q.embedding AS distance, found.place
        FROM jsonb_array_elements(s.answer->'entries') WITH ORDINALITY found(entry, place)
        JOIN d%1$s.entries e ON e.memory_id = q.distribution AND e.entry_id = (found.entry->>'entryId')::uuid) f) e
    WHERE x.dimensions = %1$s$sql$, dimensions)
  USING way, CASE way WHEN 'filtered' THEN '{"metadata": {}}' ELSE '{}' END::jsonb,
    '{"strategy": "semantic", "boosts": {"recency": 0, "importance": 0, "length": 0},
      "asOf": "2026-01-01T00:00:00Z"}'::jsonb;
END $$;

-- Each distribution and number of dimensions on each way.
CREATE VIEW recall.cases AS
  SELECT distribution, dimensions, way, count(*) AS questions, avg(near) / 10 AS recall,
    avg(distances) AS distances,
    format('%s of %s dimensions, %s: %s', distribution, dimensions, way, round(avg(near) / 10, 3)) AS said
  FROM recall.found
  GROUP BY distribution, dimensions, way;
