-- What recall.sh asks of the stores d64, d128, ...: the ten nearest by each way of searching, beside what plain SQL says.
SET client_min_messages = warning;
CREATE SCHEMA recall;

-- Up to 5,000 it is the vector of the entry of that number, above it is a new one.
CREATE TABLE recall.questions (
  distribution text, dimensions int, n int, embedding halfvec, PRIMARY KEY (distribution, dimensions, n));

-- By ORDER BY <=>: the tenth distance, how many of ten there are, and of an entry's own vector its distance and how
-- many entries are as near as that.
CREATE TABLE recall.exact (
  distribution text, dimensions int, n int, tenth float8, wanted int, own float8, twins int,
  PRIMARY KEY (distribution, dimensions, n));

-- What a search gave: its entries, how many of them are not further than the tenth, whether the first is the entry
-- whose vector it was, and how far that is; the paths of its reads, how many distances were computed first and in all;
-- a hash of the whole answer.
CREATE TABLE recall.found (
  distribution text, dimensions int, n int, way text, given int, near int, is_own_first bool, first float8,
  paths text[], computed_first int, computed int, hash text);

CREATE FUNCTION recall.entry_id(n int) RETURNS uuid LANGUAGE sql IMMUTABLE
  RETURN lpad(to_hex(n), 32, '0')::uuid;

-- A distance that is greater by less counts as the same: floats are added in another order.
CREATE FUNCTION recall.tolerance() RETURNS float8 LANGUAGE sql IMMUTABLE
  RETURN 1e-6;

CREATE FUNCTION recall.compute_exact(dimensions int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    INSERT INTO recall.exact
    SELECT q.distribution, q.dimensions, q.n, max(distance) FILTER (WHERE place <= 10), count(*) FILTER (WHERE place <= 10),
      max(distance) FILTER (WHERE e.entry_id = recall.entry_id(q.n)), NULL
    FROM recall.questions q, LATERAL (
      SELECT e.entry_id, e.embedding <=> q.embedding AS distance,
        row_number() OVER (ORDER BY e.embedding <=> q.embedding) AS place
      FROM d%1$s.entries e WHERE e.memory_id = q.distribution AND e.embedding IS NOT NULL) e
    WHERE q.dimensions = %1$s
    GROUP BY q.distribution, q.dimensions, q.n$sql$, dimensions);
END $$;
