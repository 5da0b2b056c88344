-- memory_doctor: always the same checks in the same order. This test has those of embeddings and of row security, and
-- the rights to call it; doctor_indexes and doctor_rows have the others.
CREATE SCHEMA dr_embed;
CREATE FUNCTION dr_embed.other(text) RETURNS vector LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY[1, length($1), 1, 1]::real[]::public.vector $$;
CREATE FUNCTION dr_embed.three(text) RETURNS vector LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY[1, length($1), 1]::real[]::public.vector $$;
SET memory_search.embedding_function = 'test.embed';
SET memory_search.store = $$Dr's "store"$$;
SELECT memory_create_store(), test.by_hand($$Dr's "store"$$);
-- A store without a row, and one with some rows, get no complaint and no fix.
CREATE TABLE checks AS SELECT row_number() OVER () AS n, * FROM memory_doctor();
SELECT name, status, detail, fix FROM checks ORDER BY n;
SELECT * FROM test.thirty_entries();
SELECT name, status, detail, fix FROM memory_doctor() WHERE name NOT LIKE 'bloat%'
EXCEPT SELECT name, status, detail, fix FROM checks ORDER BY name;

-- Embeddings: missing, another embedder's, an embedder that does not fit, columns of which one was changed.
INSERT INTO "Dr's ""store""".entries (memory_id, raw_entry) VALUES ('m', 'not embedded'), ('n', 'neither');
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SET memory_search.embedding_function = 'dr_embed.other';
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT * FROM test.complaints();
SET memory_search.embedding_function = 'dr_embed.three';
SELECT name, status, detail FROM test.complaints();
-- A fix that the doctor proposes can be run, and then the complaint is gone.
\set ECHO none
SELECT fix FROM test.complaints() WHERE name = 'dimensions' \gexec
\set ECHO all
SELECT count(*) AS checks FROM memory_doctor();
SET memory_search.embedding_function = 'dr_embed.three';
-- Embeddings of the caller belong to no embedder: the doctor compares none with them, and no embedder can make missing
-- ones.
UPDATE "Dr's ""store""".entries SET embedding_model = NULL;
INSERT INTO "Dr's ""store""".entries (memory_id, raw_entry) VALUES ('m', 'not embedded');
SELECT name, status, detail FROM test.complaints();
SELECT name, fix FROM test.complaints() WHERE name = 'entries without embedding';
DELETE FROM "Dr's ""store""".entries WHERE embedding IS NULL;
SET memory_search.embedding_function = '';
SET memory_search.model = '';
SELECT * FROM test.complaints();
SELECT detail FROM memory_doctor() WHERE name = 'dimensions';
RESET memory_search.model;
SET memory_search.embedding_function = 'test.embed';
ALTER TABLE "Dr's ""store""".contexts ALTER COLUMN embedding TYPE halfvec(3) USING NULL;
UPDATE "Dr's ""store""".contexts SET embedding = '[1,2,3]';
INSERT INTO "Dr's ""store""".contexts (memory_id, context) VALUES ('m', 'newer');
SELECT test.error($$SELECT memory_search('m', 'x')$$) <> 'no error' AS searches_fail;
SELECT count(*) > 0 AS said FROM test.complaints();
ALTER TABLE "Dr's ""store""".contexts ALTER COLUMN embedding TYPE halfvec(4) USING NULL;
ALTER TABLE "Dr's ""store""".entries ALTER COLUMN embedding TYPE halfvec;
ALTER TABLE "Dr's ""store""".contexts ALTER COLUMN embedding TYPE halfvec;
INSERT INTO "Dr's ""store""".entries (memory_id, raw_entry, embedding) VALUES ('m', 'x', '[1,2,3]');
SELECT * FROM test.complaints();
DELETE FROM "Dr's ""store""".entries WHERE raw_entry = 'x';
SELECT * FROM test.complaints();

-- Row security: policies that are not in force, then bypassed by the owner; on each of the tables.
SELECT detail FROM memory_doctor() WHERE name = 'row security';
SELECT memory_enable_row_security();
SELECT name, status, replace(detail, session_user, '(me)') AS detail FROM test.complaints();
-- The fix of policies that are not in force leaves the owner of the other tables free of theirs.
BEGIN;
ALTER TABLE "Dr's ""store""".contexts DISABLE ROW LEVEL SECURITY;
SELECT fix FROM test.complaints() \gexec
SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class
WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'Dr''s "store"')
  AND relname IN ('contexts', 'entries')
ORDER BY 1;
ROLLBACK;
SELECT fix FROM test.complaints() \gexec
SELECT * FROM test.complaints();
SELECT detail FROM memory_doctor() WHERE name = 'row security';
ALTER TABLE "Dr's ""store""".entries DISABLE ROW LEVEL SECURITY;
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
ALTER TABLE "Dr's ""store""".contexts DISABLE ROW LEVEL SECURITY;
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
ALTER TABLE "Dr's ""store""".entry_access DISABLE ROW LEVEL SECURITY;
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT relname, relrowsecurity, relforcerowsecurity
FROM pg_class WHERE relnamespace = $$"Dr's ""store"""$$::regnamespace AND relkind = 'r' ORDER BY 1;
DROP POLICY memory_search_user ON "Dr's ""store""".entries;
DROP POLICY memory_search_user ON "Dr's ""store""".contexts;
DROP POLICY memory_search_user ON "Dr's ""store""".entry_access;
DROP POLICY memory_search_user ON "Dr's ""store""".links;
DROP POLICY memory_search_user ON "Dr's ""store""".aliases;
ALTER TABLE "Dr's ""store""".entries DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "Dr's ""store""".contexts DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "Dr's ""store""".entry_access DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "Dr's ""store""".links DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "Dr's ""store""".aliases DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
SELECT * FROM test.complaints();

-- It only looks: in a read-only transaction, without a transaction id, and leaves no setting behind.
BEGIN READ ONLY;
SELECT count(*) AS checks FROM memory_doctor();
SELECT pg_current_xact_id_if_assigned() AS xid;
SELECT name, setting
FROM pg_settings
WHERE name IN ('enable_seqscan', 'enable_sort', 'enable_bitmapscan', 'row_security', 'hnsw.iterative_scan',
    'ivfflat.iterative_scan')
ORDER BY 1;
COMMIT;
-- A role that may read the store may call memory_doctor; other roles may not.
CREATE ROLE dr_reader;
CREATE ROLE dr_nobody;
SELECT memory_grant($$Dr's "store"$$, 'dr_reader');
GRANT USAGE ON SCHEMA dr_embed TO dr_reader, dr_nobody;
CREATE FUNCTION all_but_counters() RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(d::text, E'\n') FROM memory_doctor() d WHERE name NOT LIKE 'bloat%' AND name <> 'statistics' $$;
SELECT all_but_counters() AS as_superuser \gset
SET ROLE dr_reader;
SELECT all_but_counters() = :'as_superuser' AS same, (SELECT count(*) FROM memory_doctor()) AS checks;
SET ROLE dr_nobody;
SELECT test.error($$SELECT * FROM memory_doctor()$$);
RESET ROLE;
SELECT test.error(statement)
FROM (VALUES
  (1, $$SELECT * FROM memory_doctor('nowhere')$$),
  (2, $$SELECT * FROM memory_doctor('')$$),
  (3, $$SELECT * FROM memory_doctor('public')$$)
) t(i, statement)
ORDER BY i;
RESET memory_search.embedding_function;
RESET memory_search.store;
DROP FUNCTION all_but_counters;
DROP TABLE checks;
DROP SCHEMA "Dr's ""store""", dr_embed CASCADE;
DROP OWNED BY dr_reader, dr_nobody;
DROP ROLE dr_reader, dr_nobody;
