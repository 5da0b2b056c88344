-- A store may have any name that a schema may have, and no word in the name is taken for SQL.
CREATE TABLE odd_names (n int, name text);
INSERT INTO odd_names VALUES
  (1, 'My Store'),
  (2, 'quote''d'),
  (3, 'double"quoted'),
  (4, 'select'),
  (5, 'semi;colon--'),
  (6, '$1'),
  (7, 'Gedächtnis 记忆'),
  (8, 'back\slash'),
  (9, repeat('x', 63)),
  (10, '{schema}'),
  (11, 'with.dot'),
  (12, ' blanks ');
SELECT n, memory_create_store(name, 4) FROM odd_names ORDER BY n;
SELECT n, count(c.oid) AS tables FROM odd_names JOIN pg_namespace s ON s.nspname = name
LEFT JOIN pg_class c ON c.relnamespace = s.oid AND c.relkind = 'r' GROUP BY n ORDER BY n;

-- Every function works on every one of them.
SELECT n,
  test.n(memory_add('m', 'the red kite', context => 'kites', embedding => '[1,0,0,0]', entry_id => test.id(n),
        store => name)) = n AS added,
  memory_put_context('m', 'later', store => name) IS NOT NULL AS put
FROM odd_names ORDER BY n;
SELECT n, test.found(memory_search('m', 'kites', embedding => '[1,0,0,0]', store => name,
                                   filters => '{"accessCount": 0, "metadata": {}}')) AS found,
       memory_search(jsonb_build_object('memoryId', 'm', 'query', 'kites', 'store', name))->'count' AS by_json,
       (SELECT count(*) FROM memory_search_entries('m', 'kites', store => name)) AS rows
FROM odd_names ORDER BY n;
SELECT n, memory_delete('m', ARRAY[test.id(n)], store => name) FROM odd_names ORDER BY n;

-- The setting can also name a store with an odd name.
SET memory_search.store = 'My Store';
SELECT memory_add('m', 'the blue kite', entry_id => test.id(99), embedding => '[0,1,0,0]');
SELECT test.found(memory_search('m', 'kite'));
RESET memory_search.store;

-- A name that differs in case is another store.
SELECT test.error($$SELECT memory_search('m', 'kite', store => 'my store')$$);
SELECT test.error($$SELECT memory_search('m', 'kite', store => 'My Store" UNION SELECT')$$);
-- A second store of the same name is refused, for each of these names.
SELECT n, test.error(format('SELECT memory_create_store(%L, 4)', name)) FROM odd_names ORDER BY n;

SELECT n, memory_drop_store(name, force => true) FROM odd_names ORDER BY n;
SELECT count(*) AS left_over FROM odd_names JOIN pg_namespace ON nspname = name;
DROP TABLE odd_names;
