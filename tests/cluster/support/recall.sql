-- What recall.sh asks of the stores d64, d128, ...: the ten nearest by each way of searching, beside what plain SQL says.
SET client_min_messages = warning;
CREATE SCHEMA recall;

-- Up to 5,000 it is the vector of the entry of that number, above it is a new one.
CREATE TABLE recall.questions (
  distribution text, dimensions int, n int, embedding halfvec, PRIMARY KEY (distribution, dimensions, n));

-- By ORDER BY <=>: the tenth distance, how many of ten there are; of an entry's own vector the distance, and how many
-- are as near as that.
CREATE TABLE recall.exact (
  distribution text, dimensions int, n int, tenth float8, wanted int, own float8, twins int,
  PRIMARY KEY (distribution, dimensions, n));

-- What a search gave: how many entries, and how many of them are no further than the tenth; which came first, and its
-- distance; the paths of its reads, how many distances the first computed and how many all did; a hash of the answer.
CREATE TABLE recall.found (
  distribution text, dimensions int, n int, way text, given int, near int, first uuid, first_distance float8,
  paths text[], computed_first int, computed int, hash text,
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
    SELECT q.distribution, q.dimensions, q.n, max(e.distance), count(*),
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

-- By a search, of which the caller's transaction and the filter say the way: no index answers the one of metadata,
-- which lets all entries pass.
CREATE FUNCTION recall.by_search(dimensions int, way text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    INSERT INTO recall.found
    SELECT x.distribution, x.dimensions, x.n, $1, f.given, f.near, f.first, f.first_distance,
      ARRAY(SELECT r->>'path' FROM jsonb_array_elements(s.reads) r),
      (SELECT (s.reads->0->>'distances')::int),
      (SELECT sum(coalesce(r->>'distances', r->>'rows')::int) FROM jsonb_array_elements(s.reads) r),
      md5(s.answer::text || f.rows)
    FROM recall.exact x JOIN recall.questions q USING (distribution, dimensions, n)
    CROSS JOIN LATERAL (
      SELECT answer #> '{diagnostics,reads}' AS reads, answer - 'diagnostics' AS answer
      FROM (SELECT memory_search(q.distribution, '', 10, 1, q.embedding, $2, $3 || '{"diagnostics": true}',
        'd%1$s') AS answer OFFSET 0) a) s
    CROSS JOIN LATERAL (
      SELECT count(*) AS given, count(*) FILTER (WHERE recall.is_within(e.embedding <=> q.embedding, x.tenth)) AS near,
        (array_agg(e.entry_id ORDER BY rank))[1] AS first,
        min(e.embedding <=> q.embedding) FILTER (WHERE rank = 1) AS first_distance,
        string_agg(f::text, ' ' ORDER BY rank) AS rows
      FROM memory_search_entries(q.distribution, '', 10, q.embedding, $2, $3, 'd%1$s') f
      JOIN d%1$s.entries e ON e.memory_id = f.memory_id AND e.entry_id = f.entry_id::uuid) f
    WHERE x.dimensions = %1$s$sql$, dimensions)
  USING way, CASE way WHEN 'table' THEN '{"metadata": {}}' ELSE '{}' END::jsonb,
    '{"strategy": "semantic", "boosts": {"recency": 0, "importance": 0}, "asOf": "2026-01-01T00:00:00Z"}'::jsonb;
END $$;

-- A line for each distribution and number of dimensions.
CREATE VIEW recall.cases AS
  SELECT distribution, dimensions,
    avg(near::float8 / wanted) FILTER (WHERE way = 'pages') AS by_pages,
    avg(near::float8 / wanted) FILTER (WHERE way = 'index') AS by_index,
    avg(near::float8 / wanted) FILTER (WHERE way = 'table') AS by_table,
    count(*) FILTER (WHERE way = 'pages' AND cardinality(paths) > 1) AS read_again,
    avg(computed_first) FILTER (WHERE way = 'pages') AS computed_first,
    avg(computed) FILTER (WHERE way = 'pages') AS computed
  FROM recall.found JOIN recall.exact USING (distribution, dimensions, n)
  GROUP BY distribution, dimensions;
