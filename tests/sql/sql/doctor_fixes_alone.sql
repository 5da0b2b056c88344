-- Each fix of the doctor is one statement, so that it runs by every protocol, and it leaves the transaction's
-- settings as they were.
SELECT memory_create_store('dfa', 2);
SELECT count(memory_add('m', 'tea ' || n, embedding => '[1,0]', store => 'dfa')) AS added FROM generate_series(1, 3) n;
SELECT memory_enable_row_security('dfa');
ALTER TABLE dfa.entries NO FORCE ROW LEVEL SECURITY;
ALTER TABLE dfa.contexts NO FORCE ROW LEVEL SECURITY;
DROP INDEX dfa.entries_to_embed, dfa.contexts_to_embed;
ALTER TABLE dfa.links ALTER COLUMN weight DROP DEFAULT;
ALTER TABLE dfa.entry_access DROP CONSTRAINT entry_access_memory_id_entry_id_fkey;
CREATE VIEW fixes AS
  SELECT name, fix, fix ~ '^DO [$]fix[$].*[$]fix[$];$' OR strpos(rtrim(fix, ';'), ';') = 0 AS is_one_statement
  FROM memory_doctor('dfa')
  WHERE fix IS NOT NULL
    AND name IN ('row security', 'index of missing embeddings', 'columns', 'foreign keys', 'defaults');
SELECT name, is_one_statement FROM fixes ORDER BY name COLLATE "C";
BEGIN;
SELECT fix FROM fixes ORDER BY name COLLATE "C" \gexec
SELECT current_setting('row_security') AS afterwards;
COMMIT;
SELECT count(*) AS left_to_fix FROM fixes;
ALTER TABLE dfa.entries DROP COLUMN session_id;
SELECT name, is_one_statement FROM fixes;
BEGIN;
SELECT fix FROM fixes \gexec
SELECT current_setting('row_security') AS afterwards;
COMMIT;
SELECT count(*) AS left_to_fix FROM fixes;
DROP VIEW fixes;
DROP SCHEMA dfa CASCADE;
