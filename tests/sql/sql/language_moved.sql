-- An adopted store follows its text search configuration when this gets another name or schema. Without it, the doctor
-- says what is missing, and the store can be dropped.
CREATE SCHEMA lm;
CREATE SCHEMA lm_other;
CREATE TEXT SEARCH CONFIGURATION lm.mine (COPY = pg_catalog.german);
CREATE TABLE lm.notes (id int PRIMARY KEY, topic text, body text);
INSERT INTO lm.notes VALUES (1, 't', 'Die Züge fahren'), (2, 't', 'Ein Haus');
SELECT memory_adopt_table('lm_store', 'lm.notes', '{"memory_id": "topic", "entry_id": "id", "raw_entry": "body"}',
  'lm.mine');
CREATE FUNCTION lm.found(OUT found bigint[], OUT path text) LANGUAGE sql AS $$
  SELECT test.found(a), a #>> '{diagnostics,reads,0,path}' FROM memory_search('t', 'Zug', store => 'lm_store',
    options => '{"strategy": "keyword", "fallback": false, "diagnostics": true}') a $$;
SELECT * FROM lm.found();
ALTER TEXT SEARCH CONFIGURATION lm.mine RENAME TO "it's mine";
SELECT * FROM lm.found();
ALTER TEXT SEARCH CONFIGURATION lm."it's mine" SET SCHEMA lm_other;
SELECT * FROM lm.found();
SELECT name, status, fix FROM memory_doctor('lm_store') WHERE status <> 'ok';
SELECT fix FROM memory_doctor('lm_store') WHERE status <> 'ok' AND name = 'index of searches' \gset
SELECT unnest(string_to_array(:'fix', E'\n')) \gexec
SELECT name, status, fix FROM memory_doctor('lm_store') WHERE status <> 'ok';
SELECT * FROM lm.found();

-- Without any.
SELECT test.error($$DROP TEXT SEARCH CONFIGURATION lm_other."it's mine"$$);
DROP TEXT SEARCH CONFIGURATION lm_other."it's mine" CASCADE;
SELECT test.error($$SELECT lm.found()$$);
SELECT test.error($$SELECT memory_get('t', '{1}', store => 'lm_store')$$);
SELECT name, status, detail, fix FROM memory_doctor('lm_store');
CREATE TEXT SEARCH CONFIGURATION lm.mine (COPY = pg_catalog.german);
SELECT * FROM lm.found();
DROP TEXT SEARCH CONFIGURATION lm.mine;
-- PostgreSQL's own configurations never stand in for one that a replaced view names.
SELECT memory_drop_store('lm_store', force => true);
SELECT memory_adopt_table('lm_store', 'lm.notes', '{"memory_id": "topic", "entry_id": "id", "raw_entry": "body"}',
  'english', with_index => false) IS NOT NULL AS adopted;
SELECT replace(pg_get_viewdef('lm_store.entries'::regclass), 'pg_catalog.english', 'lm.mine') AS moved \gset
CREATE OR REPLACE VIEW lm_store.entries AS :moved
SELECT test.error($$SELECT lm.found()$$);
SELECT memory_drop_store('lm_store', force => true);
DROP SCHEMA lm CASCADE;
DROP SCHEMA lm_other;
