-- Times of any year are exported so that memory_import stores them unchanged.
SET timezone = 'UTC';
SELECT memory_create_store('ay', 4);
SET memory_search.store = 'ay';
SET memory_search.embed_on_write = off;
SELECT memory_add('m', 'plan', entry_id => test.id(1), valid_from => '12000-01-01Z', creation_time => '2025-01-01Z'),
  memory_add('m', 'end', entry_id => test.id(2), valid_until => '12000-02-29 12:34:56.000007Z',
    expires_at => '20000-06-01Z', creation_time => '10000-01-01Z'),
  memory_link('m', test.id(1), test.id(2), valid_from => '11000-01-01Z', valid_until => '294246-12-31Z');
UPDATE ay.links SET creation_time = '2025-01-01Z';
SELECT line - '{kind,memoryId,embedding,tags,metadata,accessCount,importance,weight}'::text[] AS line
FROM memory_export('m') line;
SELECT (line->>'validFrom')::timestamptz = valid_from AS as_the_server_reads_it
FROM memory_export('m') line JOIN ay.entries e ON line->>'entryId' = e.entry_id::text WHERE valid_from IS NOT NULL;
-- All instants of the server but the last 30 years; also those that plain SQL stores and memory_add refuses.
INSERT INTO ay.entries (memory_id, entry_id, raw_entry, creation_time, valid_from, deletion_scheduled_time)
SELECT 'far', test.id(n), 'far ' || n, at, at, at FROM unnest('{4713-01-01 BC,0001-12-31 BC,0001-01-01Z,
  9999-12-31 23:59:59.999999Z,10000-01-01Z,99999-12-31 23:59:59.999999Z,100000-01-01Z,294246-12-31 23:59:59.999999Z,
  infinity}'::timestamptz[]) WITH ORDINALITY t(at, n);
INSERT INTO ay.entries (memory_id, entry_id, raw_entry, valid_until) VALUES ('far', test.id(99), 'never', '-infinity');
INSERT INTO ay.links (memory_id, from_entry, to_entry, kind, valid_from)
VALUES ('far', test.id(1), test.id(2), 'never', 'infinity');
SELECT memory, memory_import('copy of ' || memory, (SELECT jsonb_agg(line) FROM memory_export(memory) line)) AS rows
FROM unnest('{m,far}'::text[]) memory;
CREATE FUNCTION rows_of(memory text) RETURNS SETOF jsonb LANGUAGE sql STABLE BEGIN ATOMIC
  SELECT to_jsonb(e) - '{memory_id,entry_order}'::text[] FROM ay.entries e WHERE memory_id = memory
  UNION ALL SELECT to_jsonb(l) - 'memory_id' FROM ay.links l WHERE memory_id = memory;
END;
SELECT memory, (SELECT count(*) FROM rows_of(memory)) AS rows,
  (SELECT count(*) FROM (SELECT rows_of(memory) EXCEPT ALL SELECT rows_of('copy of ' || memory)) r) AS different
FROM unnest('{m,far}'::text[]) memory;
-- Other functions read such times, too; a year of other forms is refused.
SELECT memory_add_many('list', '[{"rawEntry": "x", "validFrom": "12000-01-01T00:00:00Z"}]') IS NOT NULL AS added;
SELECT valid_from FROM ay.entries WHERE memory_id = 'list';
SELECT text, test.error(format('SELECT memory_import(%L, %L)', 'bad',
  jsonb_build_array(jsonb_build_object('kind', 'entry', 'rawEntry', 'x', 'validFrom', text))))
FROM unnest('{02025-01-01T00:00:00Z,12001-02-29T00:00:00Z,12000-01-01,294277-01-01T00:00:00Z,
  12000-01-01T00:00:00+16:00}'::text[]) text;
RESET memory_search.embed_on_write;
RESET memory_search.store;
DROP FUNCTION rows_of;
SELECT memory_drop_store('ay', true);
