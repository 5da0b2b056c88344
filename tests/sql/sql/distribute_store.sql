-- memory_distribute_store without Citus: after the checks of its arguments it fails because Citus is missing, and
-- changes nothing.
SELECT memory_create_store('dst', 4);
SELECT memory_add('m', 'green tea', embedding => '[1,0,0,0]', context => 'at tea', store => 'dst') IS NOT NULL AS added;
CREATE TABLE dst_notes (id int PRIMARY KEY, body text);
SELECT memory_adopt_table('dst_adopted', 'dst_notes', '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}');
CREATE FUNCTION dst_state() RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)), ';' ORDER BY conname))
  FROM pg_constraint WHERE connamespace = 'dst'::regnamespace $$;
SELECT dst_state() AS before \gset
SELECT call, test.error('SELECT ' || call) AS outcome
FROM unnest(ARRAY[
  $$memory_distribute_store('dst')$$, $$memory_distribute_store('dst', 4)$$, $$memory_distribute_store('dst', 0)$$,
  $$memory_distribute_store('dst', 64001)$$, $$memory_distribute_store('dst', -4)$$,
  $$memory_distribute_store('dst', NULL)$$, $$memory_distribute_store('dst', 4, NULL)$$,
  $$memory_distribute_store('dst', 4, true)$$,
  $$memory_distribute_store(NULL)$$, $$memory_distribute_store('')$$, $$memory_distribute_store('nowhere')$$,
  $$memory_distribute_store('public')$$, $$memory_distribute_store('dst_adopted')$$,
  $$memory_distribute_store('dst', 4::bigint)$$, $$memory_distribute_store('dst', 1e20::numeric)$$]) call;
SELECT dst_state() = :'before' AS as_it_was,
  memory_search('m', 'tea', store => 'dst') -> 'count' AS found;
SELECT name, status, detail FROM memory_doctor('dst') WHERE name = 'shards';
SET client_min_messages = warning;
SELECT memory_drop_store('dst', true), memory_drop_store('dst_adopted', true);
DROP FUNCTION dst_state;
DROP TABLE dst_notes;
