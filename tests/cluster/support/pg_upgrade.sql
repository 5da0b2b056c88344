-- Rows and objects that a pg_upgrade could lose besides the store "s": two more stores, and objects that a user may
-- have made with the functions. One store belongs to a role that is no superuser: it has a name in mixed case, another
-- language, vectors by the caller, rows that a policy hides, and privileges for a reader and a writer.
CREATE ROLE upgrade_owner LOGIN;
CREATE ROLE "Reader 1" LOGIN;
CREATE ROLE upgrade_writer LOGIN;
GRANT CREATE ON DATABASE scratch TO upgrade_owner;
SET SESSION AUTHORIZATION upgrade_owner;
SELECT memory_create_store('My Store', 4, 'german');
SELECT count(memory_add('m',
    'Notiz ' || n || ': ' || (ARRAY['die Häuser am Meer', 'ein Zug nach Lissabon', 'grüner Tee'])[1 + n % 3],
    summary => CASE WHEN n % 4 = 0 THEN 'kurz' END, tags => ARRAY['T ' || n % 3],
    embedding => ARRAY[n, n % 7, 1, 0]::real[], user_id => 'u' || n % 2,
    context => CASE WHEN n % 10 = 0 THEN 'Teil ' || n / 10 END,
    creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour', entry_id => lpad(n::text, 32, '0')::uuid,
    store => 'My Store'))
  FROM generate_series(1, 60) n;
SELECT memory_touch('m', ARRAY['00000000-0000-0000-0000-000000000007']::uuid[], store => 'My Store');
SELECT memory_delete('m', ARRAY['00000000-0000-0000-0000-000000000008']::uuid[], store => 'My Store');
SELECT memory_grant('My Store', 'Reader 1'), memory_grant('My Store', 'upgrade_writer', 'writer');
SELECT memory_enable_row_security('My Store');
RESET SESSION AUTHORIZATION;
-- A store over a table of an application.
CREATE TABLE tickets (
  id bigint PRIMARY KEY, customer text, title text, body text, written timestamptz, meaning vector(4));
INSERT INTO tickets
  SELECT n, 'c' || n % 2, 'ticket ' || n,
    (ARRAY['the printer is out of paper', 'no sound from the speaker'])[1 + n % 2],
    timestamptz '2025-01-01Z' + n * interval '1 hour', ARRAY[n, 1, 0, 0]::real[]
  FROM generate_series(1, 40) n;
SELECT memory_adopt_table('help desk', 'tickets', '{"memory_id": "customer", "entry_id": "id", "raw_entry": "body",
  "summary": "title", "creation_time": "written", "embedding": "meaning"}');
CREATE VIEW tea AS
  SELECT entry_id, score
  FROM memory_search_entries('m', 'tea', 10, options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 's');
CREATE FUNCTION milk() RETURNS jsonb LANGUAGE sql STABLE BEGIN ATOMIC
  SELECT memory_search('m', 'milk', options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 's'); END;
