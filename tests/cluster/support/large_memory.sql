-- Store "s": memory "m" with 100,000 entries of 15 words and 64 dimensions, 100,000 access counts and 30,000 contexts.
-- The commonest of 2,500 words, qb, is in nine entries of ten, the tenth commonest in one of ten.
SELECT memory_create_store('s', dimensions => 64);
SELECT setseed(0.5);
-- Word 0 is "qb", word 12 "qcd": letters that no stemmer changes.
CREATE FUNCTION pg_temp.phrase() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT string_agg('q' || translate(floor(2500 * random() ^ 4)::text, '0123456789', 'bcdfghjklm'), ' ')
  FROM generate_series(1, 5) $$;
CREATE FUNCTION pg_temp.direction(dimensions int) RETURNS halfvec LANGUAGE sql VOLATILE AS $$
  SELECT array_agg(random() - 0.5)::real[]::halfvec FROM generate_series(1, dimensions) $$;

-- Entries are combined from a few phrases and directions, because making them word by word would take minutes.
INSERT INTO s.entries (
    memory_id, entry_id, raw_entry, tags, metadata, importance, user_id, source_type, creation_time, embedding)
  SELECT 'm', lpad(n::text, 32, '0')::uuid,
    phrases[1 + n % 2000] || ' ' || phrases[1 + (n * 7 + n / 2000) % 2000] || ' ' || phrases[1 + (n - 1) / 50],
    ARRAY['t' || n % 7], jsonb_build_object('n', n), n % 101, 'u' || n % 5, 'chat',
    timestamptz '2025-01-01Z' + n * interval '1 minute', directions[1 + n % 1000] + directions[1 + (n - 1) / 100]
  FROM (SELECT array_agg(pg_temp.phrase()) AS phrases FROM generate_series(1, 2000)) p,
       (SELECT array_agg(pg_temp.direction(64)) AS directions FROM generate_series(1, 1000)) d,
       generate_series(1, 100000) n;
INSERT INTO s.contexts (memory_id, context, creation_time, embedding)
  SELECT memory_id, raw_entry, creation_time, embedding FROM s.entries ORDER BY entry_id LIMIT 30000;
-- The test does not need 100,000 look-ups of foreign keys.
SET session_replication_role = replica;
INSERT INTO s.entry_access SELECT memory_id, entry_id, 1 + importance, '2025-06-01Z' FROM s.entries;
RESET session_replication_role;
VACUUM (ANALYZE) s.entries, s.contexts, s.entry_access;
