-- The statements that are cancelled, and the memories that they search; cancel_latency.sql measures.

-- The values that the statements need besides memory "m" and pg_temp.direction of large_memory.sql.
SELECT setseed(0.25);
CREATE TABLE given AS SELECT
  pg_temp.direction(64) AS embedding,
  pg_temp.direction(1536) AS wide_embedding,
  -- The 256 commonest words, repeated until the query has the greatest permitted length.
  left((SELECT string_agg('q' || translate((n % 256)::text, '0123456789', 'bcdfghjklm'), ' ')
        FROM generate_series(0, 25599) n), 65536) AS many_words,
  left((SELECT string_agg(format('"qb q%s"', translate(n::text, '0123456789', 'bcdfghjklm')), ' ')
        FROM generate_series(0, 6553) n), 65528) || '"' AS phrases,
  repeat('Wohnzimmerteppichmuster', 2849) AS one_word,
  (SELECT left(string_agg(raw_entry, ' '), 5000000) FROM s.entries, generate_series(1, 2)) AS prose,
  -- A text that PostgreSQL does not try to compress.
  (SELECT left(string_agg(encode(sha256(n::text::bytea), 'base64'), ' '), 5000000)
   FROM generate_series(1, 115000) n) AS noise;
INSERT INTO s.entries (memory_id, raw_entry) VALUES ('small', 'green tea');
INSERT INTO s.entries (memory_id, raw_entry)
  SELECT 'long', 'tea number ' || n || ' ' || substr(prose, n * 100000, 1000000) FROM given, generate_series(1, 10) n;
INSERT INTO s.contexts (memory_id, context) SELECT 'long', prose FROM given;
CREATE TABLE plain (content text);
-- 10,000 entries with one of nine embeddings: each is compared with nine others before it counts as a duplicate.
SELECT memory_create_store('wide', dimensions => 1536);
INSERT INTO wide.entries (memory_id, raw_entry, embedding)
  SELECT 'm', 'entry ' || n, directions[1 + n % 9] + l2_normalize(directions[10 + n / 100])
  FROM generate_series(0, 9999) n,
    (SELECT array_agg(pg_temp.direction(1536)) AS directions FROM generate_series(1, 109)) d;

-- PostgreSQL makes lexemes of a text, compresses it, and reads a JSON document in one piece each: that time is not the
-- extension's. If a statement of the extension includes such work, a statement that does only this work is measured
-- beside it.
CREATE TABLE phases (n serial, phase text, statement text, servers_own text);
INSERT INTO phases (phase, statement) VALUES
('meaning',
  $$SELECT memory_search('m', '', embedding => embedding, options => '{"candidates": 10000}') IS NULL FROM given$$),
('words',
  $$SELECT memory_search('m', 'qb qc qd qf qg', options => '{"strategy": "keyword", "candidates": 10000}') IS NULL$$),
('meaning and words',
  $$SELECT memory_search('m', 'qb qc qd qf qg', embedding => embedding,
    options => '{"candidates": 10000}') IS NULL FROM given$$),
('a query of 64 KiB and 256 words',
  $$SELECT memory_search('m', many_words, embedding => embedding) IS NULL FROM given$$),
('a query of 64 KiB in phrases', $$SELECT memory_search('m', phrases, embedding => embedding) IS NULL FROM given$$),
-- Several of these, so that the statement runs long enough on any machine.
('a query of 64 KiB in one word',
  $$SELECT count(memory_search('m', one_word || n)) FROM given, generate_series(1, 5) n$$),
('embedding 64 KiB', $$SELECT count(memory_embed(left(many_words, -n))) FROM given, generate_series(1, 5) n$$),
('the most recent, filtered',
  $$SELECT count(memory_search('m', '', filters => '{"accessCount": {"$gte": 101}}'))
    FROM generate_series(1, 300)$$),
('contexts',
  $$SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 0, embedding => embedding,
    options => '{"candidates": 10000}') IS NULL FROM given$$),
('popularity',
  $$SELECT memory_search('m', '', embedding => embedding,
    options => '{"candidates": 10000, "boosts": {"popularity": 0.2}}') IS NULL FROM given$$),
('an explanation',
  $$SELECT count(details) FROM given, memory_explain('m', 'qb qc qd qf qg', embedding => embedding,
    options => '{"candidates": 10000}')$$),
('duplicates',
  $$SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 10, embedding => embedding,
    options => '{"candidates": 10000, "dedupThreshold": 0.1}') IS NULL FROM given$$),
('duplicates in 1,536 dimensions',
  $$SELECT memory_search('m', '', top_ke => 10, embedding => wide_embedding,
    options => '{"candidates": 10000, "dedupThreshold": 0.5}', store => 'wide') IS NULL FROM given$$),
('ten entries of 1 MB', $$SELECT memory_search('long', 'tea', top_ke => 10) IS NULL$$),
('a prompt',
  $$SELECT memory_build_context('m', 'qb qc qd qf qg', top_ke => 10, embedding => embedding,
    options => '{"candidates": 10000}') IS NULL FROM given$$),
('a prompt of entries of 1 MB and a context of 5 MB', $$SELECT memory_build_context('long', 'tea') IS NULL$$),
('the checks of memory_doctor', $$SELECT count(*) FROM memory_doctor()$$),
-- An administrator may allow 10,000 entries instead of 10.
('a prompt of 10,000 entries', $$SELECT memory_build_context('m', 'qb qc qd qf qg', top_ke => 10000,
  embedding => embedding, options => '{"candidates": 10000}') IS NULL FROM given$$);
INSERT INTO phases (phase, statement, servers_own) VALUES
('adding 5 MB', $$SELECT memory_add('added', noise) FROM given$$,
  $$INSERT INTO s.entries (memory_id, raw_entry) SELECT 'added', noise FROM given RETURNING 1$$),
('adding a context of 5 MB', $$SELECT memory_put_context('added', noise) FROM given$$,
  $$INSERT INTO s.contexts (memory_id, context) SELECT 'added', noise FROM given RETURNING 1$$),
('adding 5 MB of prose', $$SELECT memory_add('added', prose) FROM given$$,
  $$INSERT INTO plain SELECT prose || '' FROM given RETURNING 1$$),
('10,000 entries', $$SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 10000,
  embedding => embedding, options => '{"candidates": 10000}') IS NULL FROM given$$,
  $$SELECT document::jsonb IS NULL FROM answer$$),
('10,000 entries without duplicates', $$SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 10000,
  embedding => embedding, options => '{"candidates": 10000, "dedupThreshold": 0.99}') IS NULL FROM given$$,
  $$SELECT document::jsonb IS NULL FROM answer$$);
SET memory_search.max_top_ke = 10000;
SET memory_search.highest_top_ke = 10000;
CREATE TABLE answer AS
  SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 10000, store => 's', embedding => embedding,
    options => '{"candidates": 10000}')::text AS document
  FROM given;
SELECT format('CALL measure(%L, %L, %L)', phase, statement, servers_own) FROM phases ORDER BY n \gexec
