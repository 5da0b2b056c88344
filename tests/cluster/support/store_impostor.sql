-- A schema "x" that looks like a store, with one column of another type or without a value, once for each column and
-- type; and each function called on it. Prints the internal errors: the changed column, the error, and the call. The
-- columns are those of a store that memory_create_store makes. So a new column needs no line here, and functions answer
-- from a store without a changed column. (They refuse a store that lacks a column before they read it.)
SET client_min_messages = error;
CREATE SCHEMA impostor;
CREATE DOMAIN impostor.number AS int;
CREATE TYPE impostor.pair AS (a int, b text);
DO $$ BEGIN PERFORM memory_create_store('pattern', 3); END $$;
-- Each column of a store with its default, and with a value of its own type if null does not do; and values of other
-- types.
CREATE TABLE impostor.columns AS
SELECT c.relname AS relation, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
  coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') AS more,
  coalesce(v.value, 'NULL') AS value
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
LEFT JOIN (VALUES
  ('memory_id', '''m'''), ('entry_id', 'gen_random_uuid()'), ('context_id', 'gen_random_uuid()'),
  ('user_id', '''u'''), ('agent_id', '''a'''), ('session_id', '''s'''), ('raw_entry', '''green tea'''),
  ('summary', '''tea'''), ('context', '''c'''), ('tags', '''{a}'''), ('entities', '''{tea}'''),
  ('metadata', '''{}'''), ('source_type', '''chat'''), ('importance', '50'), ('creation_time', 'now()'),
  ('embedding', '''[1,2,3]'''), ('embedding_model', '''x'''), ('entry_order', '1'), ('access_count', '1'),
  ('helpful', '1'), ('unhelpful', '1'), ('from_entry', 'gen_random_uuid()'), ('to_entry', 'gen_random_uuid()'),
  ('kind', '''related'''), ('weight', '1'), ('alias', '''a'''), ('entity', '''b''')) v (name, value)
  ON v.name = a.attname AND (c.relname, a.attname) <> ('contexts', 'entry_id')
WHERE c.relnamespace = 'pattern'::regnamespace AND c.relkind = 'r';
DO $$ BEGIN PERFORM memory_drop_store('pattern', force => true); END $$;
CREATE TABLE impostor.others (type text, value text);
INSERT INTO impostor.others VALUES
  ('boolean', 'true'), ('bigint', '7'), ('double precision', '1.5'), ('"char"', '''t'''), ('name', '''tea'''),
  ('text', '''tea'''), ('timestamptz', 'now()'), ('jsonb', '''{"a": 1}'''), ('int[]', '''{1}'''),
  ('impostor.number', '7'), ('impostor.pair', 'ROW(1, ''b'')'), ('vector', '''[1,2]'''), ('none', 'NULL');
CREATE TABLE impostor.calls (call text);
INSERT INTO impostor.calls VALUES
  ($$memory_feedback('m', ARRAY(SELECT entry_id FROM x.entries), 1, store => 'x')$$),
  ($$memory_search('m', 'tea', options => '{"validAt": "2025-01-01T00:00:00Z", "boosts": {"feedback": 0.5}}',
    store => 'x')$$),
  ($$memory_search('m', 'tea', store => 'x')$$),
  ($$memory_search('m', '', 10, 3, store => 'x')$$),
  ($$memory_search('m', 'tea', 3::bigint, embedding => ARRAY[1, 0.5, 0], filters => '{}'::json, store => 'x')$$),
  ($$memory_update('m', gen_random_uuid()::text, importance => 7::bigint, store => 'x')$$),
  ($$memory_search_entries('m', 'tea', embedding => '[1,2,3]', filters => '{"accessCount": {"$gte": 0},
    "metadata": {}}', options => '{"dedupThreshold": 0.9}', store => 'x')$$),
  ($$memory_search('{m,n}'::text[], 'tea', 3, embedding => '[1,0.5,0]', store => 'x', prefixes => '{m}')$$),
  ($$memory_explain('m', 'tea', store => 'x')$$),
  ($$memory_recall('m', 'tea', store => 'x')$$),
  ($$memory_get('m', ARRAY(SELECT entry_id FROM x.entries), '{"includeSuperseded": true}', 'x')$$),
  ($$memory_list('m', store => 'x')$$),
  ($$memory_link('m', '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002', store => 'x')$$),
  ($$memory_unlink('m', '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002',
    store => 'x')$$),
  ($$memory_links('m', '00000000-0000-0000-0000-000000000001', store => 'x')$$),
  ($$memory_related('m', '00000000-0000-0000-0000-000000000001', store => 'x')$$),
  ($$memory_alias('m', 'a', 'b', 'x')$$),
  ($$memory_unalias('m', 'a', 'x')$$),
  ($$memory_aliases('m', 'x')$$),
  ($$memory_keep_history('x')$$),
  ($$memory_notify('x')$$),
  ($$memory_history('m', gen_random_uuid(), store => 'x')$$),
  ($$memory_import_table('x', 'x.contexts', '{"memory_id": "memory_id", "entry_id": "context_id",
    "raw_entry": "''x''"}')$$),
  ($$memory_list('m', '{"accessCount": {"$gte": 0}}', 'importance', store => 'x')$$),
  ($$memory_count('m', '{"tags": ["a"]}', 'x')$$),
  ($$memory_list_memories('m', store => 'x')$$),
  ($$memory_stats('x')$$),
  ($$memory_entities('m', store => 'x')$$),
  ($$memory_about('m', 'b', store => 'x')$$),
  ($$memory_facets('m', store => 'x')$$),
  ($$memory_learn('[{"request": {"memoryId": "m", "query": "tea"}, "helpful": ["a"]}]', 'x')$$),
  ($$memory_delete_contexts('m', ARRAY(SELECT context_id FROM x.contexts), 'x')$$),
  ($$memory_restore_contexts('m', ARRAY(SELECT context_id FROM x.contexts), 'x')$$),
  ($$memory_add('m', 'tea', context => 'c', store => 'x')$$),
  ($$memory_add_many('m', '[{"rawEntry": "tea", "context": "d", "embedding": [1, 2, 3]}]', 'x')$$),
  ($$memory_delete_where('m', '{"rawEntry": {"$contains": "tea"}}', store => 'x')$$),
  ($$memory_delete_where('m', '{"tags": ["a"]}', false, 'x')$$),
  ($$memory_export('m', store => 'x')$$),
  ($$memory_import('m', '[{"kind": "entry", "rawEntry": "tea", "embedding": [1, 2, 3], "embeddingModel": "y",
    "accessCount": 2, "deletionScheduledTime": "2025-01-01T00:00:00Z"}, {"kind": "context", "context": "c"}]', 'x')$$),
  ($$memory_put_context('m', 'c', store => 'x')$$),
  ($$memory_update('m', (SELECT gen_random_uuid()), 'new', store => 'x')$$),
  ($$memory_reembed(everything => true, store => 'x')$$),
  ($$memory_embed_pending(store => 'x')$$),
  ($$memory_delete('m', whole_memory => true, store => 'x')$$),
  ($$memory_doctor('x')$$),
  ($$memory_purge('infinity', store => 'x')$$),
  ($$memory_forget_user('u', 'x')$$),
  ($$memory_distribute_store('x')$$),
  ($$memory_drop_store('x', true)$$);
CREATE FUNCTION impostor.outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RAISE EXCEPTION USING ERRCODE = 'UNDO0';
EXCEPTION
  WHEN SQLSTATE 'UNDO0' THEN RETURN 'ok';
  WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION impostor.make(odd_relation text, odd_name text, odd_type text, odd_value text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  one record;
BEGIN
  DROP SCHEMA IF EXISTS x CASCADE;
  CREATE SCHEMA x;
  FOR one IN
    SELECT relation,
      string_agg(format('%I %s', name, CASE WHEN odd AND odd_type <> 'none' THEN odd_type ELSE type || more END), ', '
        ORDER BY name) AS columns, string_agg(format('%I', name), ', ' ORDER BY name) AS names,
      string_agg(CASE WHEN odd THEN odd_value ELSE value END, ', ' ORDER BY name) AS row
    FROM (SELECT *, (relation, name) = (odd_relation, odd_name) AS odd FROM impostor.columns) c GROUP BY relation
  LOOP
    EXECUTE format(
      'CREATE TABLE x.%1$I (%2$s, CONSTRAINT %1$s_language CHECK (''english''::regconfig IS NOT NULL));
       INSERT INTO x.%1$I (%4$s) VALUES (%3$s)', one.relation, one.columns, one.row, one.names);
  END LOOP;
END $$;
-- Calls that a store without a changed column answers. This shows that the other calls reach the rows.
CREATE FUNCTION impostor.answered() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM impostor.make('', '', '', '');
  RETURN (SELECT count(*) FROM impostor.calls WHERE impostor.outcome('SELECT * FROM ' || call) = 'ok');
END $$;
-- Of the columns and types one of each "every" pairs is made.
CREATE TABLE impostor.pairs AS
SELECT relation, name, type, value
FROM (SELECT c.relation, c.name, c.type AS own, o.type, o.value,
    dense_rank() OVER (ORDER BY relation, name) + dense_rank() OVER (ORDER BY o.type) AS pair
  FROM impostor.columns c, impostor.others o) p
WHERE own <> type AND pair % :every = 0;
-- make gives an empty line.
SELECT format('SELECT impostor.make(%L, %L, %L, %L);
    SELECT %L || outcome || ''; from '' || call
    FROM impostor.calls, LATERAL (SELECT impostor.outcome(''SELECT * FROM '' || call) AS outcome) o
    WHERE outcome ~ ''^XX'';',
    relation, name, type, value, relation || '.' || name || ' of type ' || type || ': ')
  FROM impostor.pairs ORDER BY relation, name, type \gexec
