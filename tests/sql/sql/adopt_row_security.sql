-- Policies of an adopted table hold in every answer: a role learns nothing of the rows that it does not see.
CREATE SCHEMA ao_app;
SET memory_search.embedding_function = 'test.embed';
SELECT test.make_facts();
SELECT test.adopt_facts('ao_facts', 'ao_hind.memory_units');
SELECT fix FROM memory_doctor('ao_facts') WHERE fix IS NOT NULL \gexec
CREATE ROLE ao_ana;
CREATE ROLE ao_ana_too;
CREATE ROLE ao_bo;
SELECT memory_grant('ao_facts', 'ao_ana'), memory_grant('ao_facts', 'ao_ana_too'), memory_grant('ao_facts', 'ao_bo');

-- Row-level security of the application's table. Each tenant sees his rows; both of ana's roles see the same.
INSERT INTO ao_facts.entry_access
SELECT bank_id, id, test.n(id) % 7, '2025-02-01Z'
FROM ao_hind.memory_units
WHERE tenant = 'ana' AND test.n(id) % 2 = 0;
ALTER TABLE ao_hind.memory_units ENABLE ROW LEVEL SECURITY;
ALTER TABLE ao_hind.memory_units FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON ao_hind.memory_units USING (tenant = split_part(current_user, '_', 2));
-- All that a role can learn from a store: searches, rows, contexts, explanations, prompts; and what the doctor says.
-- (Not what the server's own statistics say, which everybody may read.)
CREATE FUNCTION learnt(store text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(line, E'\n' ORDER BY i, line)
  FROM (SELECT 1,
          memory_search('bank', query, 10, 3, vector::vector::memory_embedding, filters,
              options || '{"asOf": "2026-01-01T00:00:00Z"}', store)::text
        FROM (VALUES
          ('tea train quartz', NULL),
          ('lisbon "hotel"', '[1,0.5,0,0]'),
          ('', '[0,1,0,0]'),
          ('', NULL)
        ) q(query, vector),
          (VALUES ('{}'::jsonb), ('{"accessCount": {"$lte": 3}}'), ('{"userId": "bo"}')) f(filters),
          (VALUES
            ('{}'::jsonb), ('{"strategy": "keyword"}'), ('{"boosts": {"popularity": 0.5}}'),
            ('{"fusion": "rrf", "dedupThreshold": 0.9}'), ('{"preset": "cortex_boost"}'),
            ('{"expand": true, "candidates": 5}')
          ) o(options)
        UNION ALL
        SELECT 2, f::text
        FROM memory_search_entries('bank', 'tea train quartz', 10, '[1,0.5,0,0]',
            options => '{"asOf": "2026-01-01T00:00:00Z"}', store => store) f
        UNION ALL
        SELECT 3, x::text
        FROM memory_explain('bank', 'tea train quartz', 3, '[1,0.5,0,0]',
            options => '{"asOf": "2026-01-01T00:00:00Z", "candidates": 10}', store => store) x
        UNION ALL
        SELECT 4, n || x::text
        FROM generate_series(1, 70) n,
          LATERAL memory_explain('bank', 'tea', options => '{"asOf": "2026-01-01T00:00:00Z", "strategy": "keyword"}',
              entry_id => test.id(n)::text, store => store) x
        UNION ALL
        SELECT 5, x::text
        FROM memory_explain('bank', 'nothingofthekind', options => '{"strategy": "keyword", "fallback": false}',
            store => store) x
        UNION ALL
        SELECT 6, x::text FROM memory_explain('bank', 'tea', filters => '{"minImportance": 100}', store => store) x
        UNION ALL
        SELECT 7,
          memory_build_context('bank', 'tea train', '[1,0.5,0,0]', options => '{"asOf": "2026-01-01T00:00:00Z"}',
              store => store)) t(i, line) $$;
CREATE FUNCTION examined(store text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(replace(d::text, store, ''), E'\n')
  FROM memory_doctor(store) d
  WHERE name NOT LIKE 'index %' AND name NOT IN ('bloat of access counts', 'statistics', 'row security') $$;
SET ROLE ao_ana;
SELECT md5(learnt('ao_facts')) AS ana, md5(examined('ao_facts')) AS ana_examined \gset
SELECT length(learnt('ao_facts')) > 100000 AS much, learnt('ao_facts') LIKE '%secret%' AS secret,
  (SELECT count(*)
   FROM memory_search_entries('bank', 'tea', 10, store => 'ao_facts')
   WHERE user_id <> 'ana') AS of_others;
SELECT name, detail
FROM memory_doctor('ao_facts')
WHERE name IN ('entries without embedding', 'access counts without entry')
ORDER BY 1;
SET ROLE ao_ana_too;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_for_both_roles, md5(examined('ao_facts')) = :'ana_examined' AS examined;
SET ROLE ao_bo;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_for_another_tenant,
  (SELECT count(*) FROM memory_search_entries('bank', '', 10, store => 'ao_facts') WHERE user_id <> 'bo') AS of_others,
  (SELECT count(*) FROM ao_facts.entries) AS rows;
RESET ROLE;
-- A table with only ana's rows gives her the same answers.
CREATE TABLE ao_app.alone (LIKE ao_hind.memory_units INCLUDING GENERATED);
INSERT INTO ao_app.alone (id, bank_id, text, embedding, context, event_date, occurred_start, fact_type, confidence,
  metadata, tags, tenant)
SELECT id, bank_id, text, embedding, context, event_date, occurred_start, fact_type, confidence, metadata, tags, tenant
FROM ao_hind.memory_units
WHERE tenant = 'ana';
SELECT test.adopt_facts('ao_alone', 'ao_app.alone');
INSERT INTO ao_alone.entry_access SELECT * FROM ao_facts.entry_access;
SELECT memory_grant('ao_alone', 'ao_ana');
SET ROLE ao_ana;
SELECT md5(learnt('ao_alone')) = :'ana' AS same_as_alone, md5(examined('ao_alone')) = :'ana_examined' AS examined;
RESET ROLE;
-- The answers to ana stay the same when the table gets other rows: with her rare words, without and with embeddings,
-- with newer contexts, with more uses, deleted or not; also after plans were made, and after ANALYZE.
INSERT INTO ao_hind.memory_units (id, bank_id, text, embedding, context, event_date, fact_type, confidence, tags,
  tenant)
SELECT test.id(1000 + n), 'bank', 'quartz tea train hotel ' || test.words(n, 3),
  CASE WHEN n % 3 > 0 THEN '[1,0.5,0,0]'::vector END,
  CASE WHEN n % 2 = 0 THEN 'a context of bo' END, '2025-12-31Z', 'opinion', 1, '{tea}', 'bo'
FROM generate_series(1, 150) n;
INSERT INTO ao_facts.entry_access SELECT bank_id, id, 1000, '2025-06-01Z' FROM ao_hind.memory_units WHERE tenant = 'bo';
SET ROLE ao_ana;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_with_more_of_others,
  md5(examined('ao_facts')) = :'ana_examined' AS examined;
RESET ROLE;
ANALYZE ao_hind.memory_units;
SET ROLE ao_ana;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_analyzed, md5(examined('ao_facts')) = :'ana_examined' AS examined;
SET plan_cache_mode = force_generic_plan;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_with_generic_plans,
  md5(examined('ao_facts')) = :'ana_examined' AS examined;
RESET plan_cache_mode;
RESET ROLE;
DELETE FROM ao_hind.memory_units WHERE tenant = 'bo' AND test.n(id) % 2 = 0;
SET ROLE ao_ana;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_with_fewer, md5(examined('ao_facts')) = :'ana_examined' AS examined;
-- To every function, a hidden row is as if it did not exist.
SELECT (SELECT outcome FROM memory_explain('bank', 'tea', entry_id => test.id(3)::text, store => 'ao_facts'))
  = (SELECT outcome
     FROM memory_explain('bank', 'tea', entry_id => test.id(99999)::text, store => 'ao_facts')) AS explained_alike;
SET row_security = off;
SELECT test.error($$SELECT memory_search('bank', 'tea', store => 'ao_facts')$$);
RESET row_security;
-- The doctor does not ask a tenant for existing indexes.
SELECT name, status FROM memory_doctor('ao_facts') WHERE name LIKE 'index %' AND status <> 'ok';
RESET ROLE;
GRANT INSERT, UPDATE ON ao_facts.entry_access TO ao_ana;
SET ROLE ao_ana;
SELECT memory_touch('bank', ARRAY[test.id(1), test.id(3), test.id(1001)], 'ao_facts') AS touched_of_three;
RESET ROLE;
DROP FUNCTION learnt, examined;
RESET memory_search.embedding_function;
DROP SCHEMA ao_app, ao_hind, ao_facts, ao_alone CASCADE;
DROP OWNED BY ao_ana, ao_ana_too, ao_bo;
DROP ROLE ao_ana, ao_ana_too, ao_bo;
