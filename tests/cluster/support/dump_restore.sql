-- Rows and objects that a dump could lose of the store "s": texts that COPY must escape, hidden rows, an entry without
-- embedding, columns, indexes, policies and privileges of the user's own; and a store in another language.
CREATE ROLE dump_reader;
CREATE ROLE dump_writer;
CREATE ROLE dump_keeper LOGIN CREATEDB;
INSERT INTO s.entries (memory_id, entry_id, user_id, raw_entry, summary, tags, metadata, creation_time) VALUES
  ('m', '00000000-0000-0000-0001-000000000001', 'u1',
    E'tab\there, line\nthere\n\\.\n\\N "quoted" ''single'' back\\slash', 'escapes $1 $$',
    ARRAY['a,b', '{c}', 'NULL', '"', ''], '{"k": "\\\\ \\n", "n": 12345678901234567890.0123456789}',
    '2025-01-02 03:04:05.678901Z'),
  ('m', '00000000-0000-0000-0001-000000000002', 'u2',
    'Zoë trinkt Tee in 東京 ☕ und schreibt C++', NULL, DEFAULT, DEFAULT, '2025-01-02Z'),
  ('m', '00000000-0000-0000-0001-000000000003', 'u1',
    'tea ' || repeat('lorem ipsum dolor ', 20000), NULL, DEFAULT, DEFAULT, '2025-01-02Z');
INSERT INTO s.entries (memory_id, entry_id, raw_entry, creation_time, deletion_scheduled_time, expires_at) VALUES
  ('m', '00000000-0000-0000-0001-000000000004', 'deleted tea', '2025-01-02Z', '2025-01-03Z', NULL),
  ('m', '00000000-0000-0000-0001-000000000005', 'expired tea', '2025-01-02Z', NULL, '2025-01-03Z'),
  ('m', '00000000-0000-0000-0001-000000000006', 'lasting tea', '2025-01-02Z', NULL, 'infinity');
ALTER TABLE s.entries ADD COLUMN room text DEFAULT 'hall', ADD CONSTRAINT room_is_named CHECK (room <> '');
CREATE INDEX entries_near ON s.entries USING hnsw (embedding public.halfvec_cosine_ops);
COMMENT ON SCHEMA s IS 'memories of the test';
COMMENT ON INDEX s.entries_near IS 'for the large ones';
GRANT USAGE ON SCHEMA s TO dump_reader, dump_writer;
GRANT SELECT ON ALL TABLES IN SCHEMA s TO dump_reader;
GRANT SELECT, INSERT, UPDATE (importance) ON s.entries TO dump_writer WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO dump_reader;
ALTER TABLE s.entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_entries ON s.entries TO dump_reader USING (user_id = current_setting('app.caller'));
CREATE POLICY add_entries ON s.entries AS RESTRICTIVE FOR INSERT TO dump_writer WITH CHECK (importance < 90);
COMMENT ON POLICY own_entries ON s.entries IS 'nobody else''s';
CREATE FUNCTION public.noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER noted BEFORE INSERT ON s.entries FOR EACH ROW EXECUTE FUNCTION public.noted();
CREATE SCHEMA words;
CREATE TEXT SEARCH CONFIGURATION words."My Words" (COPY = pg_catalog.german);
SELECT memory_create_store('own_words', 4, 'words.My Words');
SELECT count(memory_add('m', text, creation_time => '2025-01-01Z', entry_id => md5(text)::uuid, store => 'own_words'))
  FROM unnest('{die Züge fahren,ein Zug fuhr,der Tee}'::text[]) text;
