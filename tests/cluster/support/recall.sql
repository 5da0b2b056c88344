-- What recall.sh asks: the ten nearest by a search, beside what plain SQL says.
SET client_min_messages = warning;
CREATE SCHEMA recall;

CREATE TABLE recall.questions (
  distribution text, dimensions int, n int, is_own bool, embedding halfvec, PRIMARY KEY (distribution, dimensions, n));
-- The tenth least distance, by ORDER BY <=>.
CREATE TABLE recall.exact (distribution text, dimensions int, n int, tenth float8, asked int);
CREATE TABLE recall.found (
  distribution text, dimensions int, n int, way text, near int, answers int, first uuid, first_distance float8,
  paths text[], distances bigint, hash text);

CREATE FUNCTION recall.compute_exact(distribution text, dimensions int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    INSERT INTO recall.exact
    SELECT q.distribution, q.dimensions, q.n, max(distance), count(*)
    FROM recall.questions q, LATERAL (
      SELECT e.embedding <=> q.embedding AS distance FROM d%s.entries e
      WHERE e.memory_id = q.distribution AND e.embedding IS NOT NULL
      ORDER BY e.embedding <=> q.embedding LIMIT 10) e
    WHERE q.distribution = $1 AND q.dimensions = $2
    GROUP BY q.distribution, q.dimensions, q.n$sql$, dimensions) USING distribution, dimensions;
END $$;

CREATE FUNCTION recall.compute_found(distribution text, dimensions int, way text, k int DEFAULT 10) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    INSERT INTO recall.found
    SELECT x.distribution, x.dimensions, x.n, $3,
      f.near, f.answers, f.first, f.first_distance,
      ARRAY(SELECT r->>'path' FROM jsonb_array_elements(answer #> '{diagnostics,reads}') r),
      (SELECT sum(coalesce((r->>'distances')::bigint, (r->>'rows')::bigint)) FROM jsonb_array_elements(answer #> '{diagnostics,reads}') r),
      md5((answer - 'diagnostics')::text || f.all)
    FROM recall.exact x JOIN recall.questions q USING (distribution, dimensions, n),
    LATERAL (SELECT CASE $3 WHEN 'table' THEN '{"metadata": {}}' ELSE '{}' END::jsonb AS filters,
      '{"strategy": "semantic", "boosts": {"recency": 0, "importance": 0}, "asOf": "2026-01-01T00:00:00Z"}'::jsonb AS options OFFSET 0) o,
    LATERAL (SELECT memory_search(q.distribution, '', 10, embedding => q.embedding, filters => o.filters, options => o.options || '{"diagnostics": true}', store => 'd%1$s') AS answer OFFSET 0) s,
    LATERAL (
      SELECT count(*) FILTER (WHERE e.embedding <=> q.embedding <= x.tenth + 1e-6) AS near, count(*) AS answers,
        min(e.entry_id::text) FILTER (WHERE rank = 1)::uuid AS first, min(e.embedding <=> q.embedding) FILTER (WHERE rank = 1) AS first_distance,
        md5(string_agg(f::text, ' ' ORDER BY rank)) AS all
      FROM memory_search_entries(q.distribution, '', 10, embedding => q.embedding, filters => o.filters, options => o.options, store => 'd%1$s') f
      JOIN d%1$s.entries e ON e.memory_id = f.memory_id AND e.entry_id = f.entry_id::uuid) f
    WHERE x.distribution = $1 AND x.dimensions = $2$sql$, dimensions) USING distribution, dimensions, way;
END $$;
