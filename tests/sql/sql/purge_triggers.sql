-- A trigger of the user on contexts may restore an entry while a purge gives its context to another entry: then the
-- entry stays, with its links and its count.
SELECT memory_create_store('pt', 4);
INSERT INTO pt.entries (memory_id, entry_id, raw_entry, context, deletion_scheduled_time, expires_at)
VALUES
  ('m', test.id(1), 'deleted, and restored', 'in Lisbon', '2025-02-01Z', NULL),
  ('m', test.id(2), 'expired, and prolonged', 'in Porto', NULL, '2025-02-01Z'),
  ('m', test.id(3), 'deleted', 'in Faro', '2025-02-01Z', NULL),
  ('m', test.id(4), 'expired', NULL, NULL, '2025-02-01Z'),
  ('m', test.id(11), 'present', 'in Lisbon', NULL, NULL),
  ('m', test.id(12), 'present', 'in Porto', NULL, NULL),
  ('m', test.id(13), 'present', 'in Faro', NULL, NULL);
INSERT INTO pt.contexts (memory_id, context_id, context, entry_id)
SELECT memory_id, test.id(20 + test.n(entry_id)), context, entry_id
FROM pt.entries
WHERE test.n(entry_id) <= 3;
INSERT INTO pt.links (memory_id, from_entry, to_entry, kind)
SELECT 'm', entry_id, test.id(13), 'k' FROM pt.entries WHERE test.n(entry_id) <= 4;
INSERT INTO pt.entry_access (memory_id, entry_id, access_count)
SELECT memory_id, entry_id, 1 FROM pt.entries WHERE test.n(entry_id) <= 4;
CREATE FUNCTION restores() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pt.entries SET deletion_scheduled_time = NULL, expires_at = NULL
  WHERE memory_id = old.memory_id AND entry_id = old.entry_id AND raw_entry LIKE '%, and %';
  RETURN NULL;
END $$;
CREATE TRIGGER restores AFTER UPDATE ON pt.contexts FOR EACH ROW EXECUTE FUNCTION restores();
SELECT memory_purge(store => 'pt') AS purged;
SELECT test.n(e.entry_id), e.raw_entry, e.deletion_scheduled_time, e.expires_at, a.access_count, l.kind,
  (SELECT array_agg(test.n(c.context_id)) FROM pt.contexts c WHERE c.entry_id = e.entry_id) AS contexts
FROM pt.entries e
LEFT JOIN pt.entry_access a USING (memory_id, entry_id)
LEFT JOIN pt.links l ON (l.memory_id, l.from_entry) = (e.memory_id, e.entry_id)
ORDER BY 1;
SELECT memory_purge(store => 'pt') AS nothing_left;
DROP SCHEMA pt CASCADE;
DROP FUNCTION restores;

-- Entries with several contexts each are counted once: a purge continues after ten batches of them.
SELECT memory_create_store('pt2', 4);
INSERT INTO pt2.entries (memory_id, entry_id, raw_entry, deletion_scheduled_time)
SELECT 'm', test.id(n), 'w', '2025-01-01Z' FROM generate_series(1, 12000) n;
INSERT INTO pt2.contexts (memory_id, entry_id, context)
SELECT 'm', test.id(n), 'c' || n || '/' || c FROM generate_series(1, 12000) n, generate_series(1, 2) c;
SELECT memory_purge(store => 'pt2') AS purged;
SELECT (SELECT count(*) FROM pt2.entries) AS entries, (SELECT count(*) FROM pt2.contexts) AS contexts;
SELECT memory_drop_store('pt2', true);
