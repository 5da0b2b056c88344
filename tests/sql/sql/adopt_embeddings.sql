-- Embeddings of an adopted table, of either type, any dimension, mixed, or none; the store's own contexts are of the
-- same type. Distances are pgvector's.
CREATE SCHEMA at_app;
CREATE DOMAIN at_app.meaning AS vector(4);
CREATE TABLE at_app.vectors (
  id int PRIMARY KEY, line text, v vector, v4 vector(4), v3 vector(3), h halfvec, h4 halfvec(4), d at_app.meaning,
  r real[], payload jsonb
);
INSERT INTO at_app.vectors
SELECT n, test.words(n, 3),
  CASE WHEN n % 2 = 0 THEN test.vector(n)::vector ELSE test.vector(n)::vector::real[]::vector(4)::vector END,
  test.vector(n)::vector(4), (test.vector(n))[1:3]::vector(3), test.vector(n)::halfvec, test.vector(n)::halfvec(4),
  test.vector(n)::vector(4), test.vector(n), jsonb_build_object('e', test.vector(n))
FROM generate_series(1, 20) n;
INSERT INTO at_app.vectors (id, line, v, h)
VALUES (21, 'of another dimension', '[1,2,3]', '[1,2,3]'), (22, 'without', NULL, NULL);
CREATE TABLE shapes AS
  SELECT *
  FROM (VALUES
    (1, 'v', 4),
    (2, 'v4', 4),
    (3, 'v3', 3),
    (4, 'h', 4),
    (5, 'h4', 4),
    (6, 'd', 4),
    (7, 'v4::public.halfvec(4)', 4),
    (8, 'r::public.vector(4)', 4),
    (9, '(payload->>''e'')::public.vector(4)', 4),
    (10, 'v::public.halfvec', 4)
  ) s(i, shape, dimensions);
SELECT count(memory_adopt_table('at_shape' || i, 'at_app.vectors',
    jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', 'line', 'embedding', shape))) AS stores
FROM shapes;
SELECT shape,
  (SELECT format_type(atttypid, atttypmod)
   FROM pg_attribute
   WHERE attrelid = format('at_shape%s.contexts', i)::regclass AND attname = 'embedding') AS of_contexts,
  (SELECT count(*)
   FROM memory_search_entries('all', '', 10, (test.vector(50))[1:dimensions]::vector::memory_embedding,
       options => '{"strategy": "semantic", "fallback": false}', store => 'at_shape' || i)) AS found,
  (SELECT bool_and(abs(f.semantic
             - (1 - ((x.v::real[])[1:dimensions]::vector <=> (test.vector(50))[1:dimensions]::vector))) < 2e-3)
     AND max(f.semantic) = (array_agg(f.semantic ORDER BY f.rank))[1]
   FROM memory_search_entries('all', '', 10, (test.vector(50))[1:dimensions]::vector::memory_embedding,
       options => '{"strategy": "semantic"}', store => 'at_shape' || i) f
   JOIN at_app.vectors x ON x.id = f.entry_id::int) AS right_distances,
  test.error(format($$SELECT memory_search('all', '', 3, embedding => '[1,0]', store => 'at_shape%s')$$,
      i)) AS two_dimensions
FROM shapes ORDER BY i;
-- Among mixed dimensions each query finds those of its own; contexts are found by meaning too.
SELECT (SELECT array_agg(entry_id)
        FROM memory_search_entries('all', '', 10, '[1,2,3]', options => '{"strategy": "semantic", "fallback": false}',
            store => 'at_shape1')) AS of_three,
  memory_put_context('all', 'first', '[1,0,0,0]', creation_time => '2025-01-01Z', store => 'at_shape2') IS NOT NULL
    AND memory_put_context('all', 'second', '[0,1,0,0]', creation_time => '2025-01-02Z',
        store => 'at_shape2') IS NOT NULL
    AND memory_put_context('all', 'third', '[0,0,1,0]', creation_time => '2025-01-03Z',
        store => 'at_shape2') IS NOT NULL AS put;
SELECT answer->>'latestContext' AS latest, jsonb_path_query_array(answer, '$.contexts[*].context') AS older
FROM memory_search('all', '', 0, 1, '[1,0.1,0,0]', store => 'at_shape2') answer;

DROP TABLE shapes;
SELECT count(memory_drop_store(nspname, force => true)) AS dropped
FROM pg_namespace WHERE nspname LIKE 'at\_%' AND nspname <> 'at_app';
SELECT count(*) AS tables
FROM pg_class WHERE relnamespace = 'at_app'::regnamespace AND relkind = 'r';
DROP SCHEMA at_app CASCADE;
