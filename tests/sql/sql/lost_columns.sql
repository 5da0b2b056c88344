-- A store that lost a column, or whose column has got another type, is refused with the name of the column, because its
-- answers might lack fields, be of another session, or count wrongly. memory_doctor has the statement that adds it.
CREATE VIEW definition AS
  SELECT format('%s.%s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull) AS line
    FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = to_regnamespace('lc') AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'lc'
  UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = to_regnamespace('lc') AND contype <> 'n';
CREATE FUNCTION add_kite(store text) RETURNS void LANGUAGE sql AS $$
  SELECT memory_add('m', 'kite', embedding => '[1,2,3]', session_id => 's', entry_key => 'k', context => 'flying',
    store => store) $$;
-- Changes the store, and returns its refusals and the doctor's report; then runs the doctor's fix, and searches again.
CREATE FUNCTION damaged(change text)
RETURNS TABLE (refused text, doctor text, differs bigint, answered text) LANGUAGE plpgsql AS $$
DECLARE
  fix text;
  lines text[];
BEGIN
  PERFORM memory_create_store('lc', 3), add_kite('lc');
  lines := ARRAY(SELECT line FROM definition);
  EXECUTE change;
  refused := test.error($q$SELECT memory_search('m', 'kite', store => 'lc')$q$);
  SELECT string_agg(concat_ws('|', d.name, d.status, d.detail), ';'), max(d.fix) INTO doctor, fix
    FROM memory_doctor('lc') d;
  IF fix IS NOT NULL THEN
    EXECUTE fix;
    SELECT d.fix INTO fix FROM memory_doctor('lc') d WHERE d.name = 'index of searches';
    EXECUTE COALESCE(fix, 'SELECT');
    differs := (SELECT count(*) FROM unnest(lines) l (line) FULL JOIN definition d USING (line)
      WHERE l.line IS NULL OR d.line IS NULL);
    PERFORM add_kite('lc'), memory_feedback('m', ARRAY(SELECT entry_id::text FROM lc.entries), 1, 'lc');
    answered := memory_search('m', 'kite', store => 'lc')->'count';
  END IF;
  PERFORM memory_drop_store('lc', force => true);
  -- If a function that the store made lost the column, nobody owns this function.
  DROP SCHEMA IF EXISTS lc CASCADE;
  RETURN NEXT;
END $$;
SELECT d.doctor, d.differs, d.answered, split_part(d.refused, ' HINT', 1) AS refused
FROM (VALUES (1, 'entries', 'session_id'), (2, 'entries', 'entry_key'), (3, 'entries', 'valid_from'),
    (4, 'entries', 'valid_until'), (5, 'entries', 'time_to_live'), (6, 'entries', 'embedding_model'),
    (7, 'contexts', 'embedding_model'), (8, 'contexts', 'entry_id'), (9, 'entry_access', 'helpful'),
    (10, 'entry_access', 'unhelpful'), (11, 'entries', 'embedding_error'),
    (12, 'contexts', 'embedding_error'), (13, 'entries', 'passage_embeddings')) c (n, relation, name),
  LATERAL damaged(format('ALTER TABLE lc.%I DROP COLUMN %I', relation, name)) d ORDER BY n;
-- Several at once; and a store does not guess the meaning of a value of another type.
SELECT * FROM damaged('ALTER TABLE lc.entries DROP COLUMN valid_from, DROP COLUMN session_id;
  ALTER TABLE lc.entry_access DROP COLUMN helpful') \gx
SELECT * FROM damaged('DROP INDEX lc.entries_memory; ALTER TABLE lc.entries ALTER valid_from TYPE timestamp') \gx
-- Columns with lost values are named, too, for each function that reads them; no statement brings the values back.
SELECT relation, string_agg(name, ' ' ORDER BY name) FILTER (WHERE d.refused LIKE format(
    '55000: store "lc" cannot be used, because its definition was changed: '
    'the column %s of %s is missing%%', name, relation)
    AND d.doctor LIKE format('columns|error|the column %s of %s is missing%%', name, relation)) AS named,
  string_agg(name || ': ' || d.refused, ' ' ORDER BY name) FILTER (WHERE d.refused NOT LIKE '55000%') AS not_named
FROM (VALUES
  ('entries',
    '{user_id,agent_id,raw_entry,summary,context,tags,metadata,source_type,importance,creation_time}'::text[]),
  ('entries', '{deletion_scheduled_time,expires_at,superseded_by,superseded_time,embedding,entry_order}'),
  ('contexts', '{memory_id,context_id,user_id,context,creation_time,deletion_scheduled_time,embedding}'),
  ('entry_access', '{memory_id,entry_id,access_count,last_accessed_at}')
) c (relation, names), unnest(names) name,
  LATERAL damaged(format('ALTER TABLE lc.%I DROP COLUMN %I CASCADE', relation, name)) d
GROUP BY relation ORDER BY relation;
-- No function works on such a store, except memory_doctor and memory_drop_store.
SELECT memory_create_store('lc', 3);
ALTER TABLE lc.entries DROP COLUMN time_to_live;
SELECT n, split_part(test.error('SELECT ' || call), ' HINT', 1) AS refused FROM (VALUES
  (1, $$memory_get('m', ARRAY[test.id(1)], store => 'lc')$$), (2, $$memory_add('m', 'x', store => 'lc')$$),
  (3, $$count(*) FROM memory_export('m', store => 'lc')$$), (4, $$memory_touch('m', ARRAY[test.id(1)], 'lc')$$),
  (5, $$memory_count('m', store => 'lc')$$), (6, $$memory_purge(store => 'lc')$$)) t (n, call) ORDER BY n;
SELECT memory_drop_store('lc', force => true);
-- A view that memory_adopt_table() did not make may also lack columns; the counts of an adopted table's store can be
-- repaired.
CREATE TABLE lc_log (no int PRIMARY KEY, said text);
INSERT INTO lc_log VALUES (1, 'kite');
SELECT memory_adopt_table('lc', 'lc_log', '{"memory_id": "''m''", "entry_id": "no", "raw_entry": "said"}');
ALTER TABLE lc.entry_access DROP COLUMN unhelpful;
SELECT test.error($$SELECT memory_feedback('m', '{1}', 1, 'lc')$$);
SELECT fix FROM memory_doctor('lc') \gexec
SELECT memory_feedback('m', '{1}', 1, 'lc') AS counted;
ALTER VIEW lc.entries RENAME COLUMN session_id TO session;
SELECT name, status, detail, fix FROM memory_doctor('lc');
SELECT test.error($$SELECT memory_search('m', 'kite', store => 'lc')$$);
DROP SCHEMA lc CASCADE;
DROP TABLE lc_log;
DROP FUNCTION damaged, add_kite;
DROP VIEW definition;
