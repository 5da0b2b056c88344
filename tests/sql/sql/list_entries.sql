-- memory_list gives the visible entries of a memory that pass the filters, page by page, and memory_count their number.
SELECT memory_create_store('le', 4);
SET memory_search.embed_on_write = off;
-- Ties everywhere: five entries an hour, few different importances, and access counts for some.
INSERT INTO le.entries (memory_id, entry_id, raw_entry, importance, creation_time, tags, metadata, user_id, expires_at)
SELECT 'm', test.id(n), 'entry ' || n, n % 4 * 10, timestamptz '2025-01-01Z' + n / 5 * interval '1 hour',
  ARRAY['t' || n % 3], jsonb_build_object('n', n), 'u' || n % 2,
  CASE WHEN n % 3 = 0 THEN timestamptz '2999-01-01Z' - n / 6 * interval '1 day' END
FROM generate_series(1, 60) n;
INSERT INTO le.entries (memory_id, raw_entry) SELECT 'other', 'x' FROM generate_series(1, 5);
SELECT sum(memory_touch('m', ARRAY(SELECT test.id(n) FROM generate_series(1, 60, k) n), 'le')) AS touched
FROM generate_series(7, 9) k;
-- Hidden ones: deleted, expired, corrected.
SELECT memory_delete('m', ARRAY[test.id(1), test.id(2)], store => 'le') AS deleted,
  memory_update('m', test.id(4), expires_at => '2025-01-01Z', store => 'le') AS expired,
  memory_supersede('m', test.id(7), test.id(8), 'le') AS corrected;
SELECT count(*) AS listed, count(*) FILTER (WHERE test.n(entry_id) IN (1, 2, 4, 7)) AS hidden,
  memory_count('m', store => 'le') AS counted, count(DISTINCT cursor) AS cursors
FROM memory_list('m', page_size => 1000, store => 'le');
SET timezone = 'UTC';
\x on
SELECT to_jsonb(l) - 'cursor' AS row, cursor <> '' AS has_cursor
FROM memory_list('m', '{"ids": ["00000000-0000-0000-0000-000000000057"]}', store => 'le') l;
\x off
SELECT array_agg(test.n(entry_id)) AS newest FROM memory_list('m', page_size => 7, store => 'le');
-- All pages of a list, one after another, as a caller reads them.
CREATE FUNCTION pages(memory text, filters jsonb, order_by text, size int, store text) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
  after text; all_ids text[] := '{}'; ids text[];
BEGIN
  LOOP
    SELECT array_agg(l.entry_id ORDER BY place), (array_agg(l.cursor ORDER BY place DESC))[1] INTO ids, after
    FROM (SELECT row_number() OVER () AS place, * FROM memory_list(memory, filters, order_by, size, after, store)) l;
    EXIT WHEN ids IS NULL;
    all_ids := all_ids || ids;
    EXIT WHEN cardinality(ids) < size;
  END LOOP;
  RETURN all_ids;
END $$;
-- With each order, filter and size of page, every entry comes once, in the order of one whole page. This is the order
-- of the values; entries without a value come last.
SELECT o.order_by, count(*) AS lists,
  bool_and(pages('m', f.filters, o.order_by, s.size, 'le') = whole.ids) AS same,
  bool_and(cardinality(whole.ids) = memory_count('m', f.filters, 'le')) AS counted,
  bool_and(whole.is_ordered) AS ordered
FROM unnest('{createdAt,-createdAt,expiresAt,-expiresAt,importance,-importance,accessCount,-accessCount}'::text[])
    o(order_by),
  (VALUES (NULL::jsonb), ('{}'), ('{"tags": ["t1"]}'), ('{"metadata": {"n": {"$gt": 30}}}'),
    ('{"accessCount": {"$gte": 1}}'), ('{"$or": [{"userId": "u1"}, {"importance": 30}]}'), ('{"userId": "nobody"}'))
    f(filters),
  (VALUES (1), (2), (7), (1000)) s(size),
  LATERAL (
    SELECT coalesce(array_agg(entry_id ORDER BY place), '{}') AS ids,
      coalesce(bool_and(coalesce(value >= before, value IS NULL)) FILTER (WHERE place > 1), true) AS is_ordered
    FROM (SELECT *, lag(value) OVER (ORDER BY place) AS before
          FROM (SELECT row_number() OVER () AS place, entry_id,
                  CASE WHEN o.order_by LIKE '-%' THEN -1 ELSE 1 END * CASE trim('-' FROM o.order_by)
                    WHEN 'createdAt' THEN extract(epoch FROM creation_time)
                    WHEN 'expiresAt' THEN extract(epoch FROM expires_at)
                    WHEN 'importance' THEN importance ELSE access_count END AS value
                FROM memory_list('m', f.filters, o.order_by, 1000, store => 'le')) l) l) whole
GROUP BY o.order_by ORDER BY 1;
-- Options list and count hidden entries, each option the entries of one reason, page by page, as memory_get shows them.
SELECT o.options, count(*) AS listed, memory_count('m', store => 'le', options => o.options) AS counted,
  array_agg(test.n(l.entry_id) ORDER BY l.entry_id) FILTER (WHERE test.n(l.entry_id) IN (1, 2, 4, 7)) AS hidden,
  bool_and(to_jsonb(l) - 'cursor' = to_jsonb(g)) AS as_got
FROM (VALUES (NULL::jsonb), ('{"includeDeleted": true}'), ('{"includeExpired": true}'), ('{"includeSuperseded": true}'),
    ('{"includeDeleted": true, "includeExpired": true, "includeSuperseded": true}'),
    ('{"asOf": "2025-01-01T02:30:00Z"}')) o(options),
  LATERAL memory_list('m', page_size => 1000, store => 'le', options => o.options) l,
  LATERAL memory_get('m', ARRAY[l.entry_id], o.options, 'le') g
GROUP BY o.options ORDER BY 2, 1;
SELECT cursor AS page_end FROM memory_list('m', page_size => 40, store => 'le', options => '{"includeDeleted": true}')
OFFSET 39 \gset
SELECT count(*) AS on_the_second_page, count(deletion_scheduled_time) AS deleted
FROM memory_list('m', page_size => 40, cursor => :'page_end', store => 'le', options => '{"includeDeleted": true}');
SELECT test.n(entry_id) AS n, embedding
FROM memory_list('m', page_size => 1, store => 'le', options => '{"includeEmbedding": true}');
-- Filters are the same as of a search.
SELECT f.filters, memory_count('m', f.filters, 'le') AS counted,
  (SELECT count(*) FROM memory_list('m', f.filters, page_size => 1000, store => 'le')) AS listed
FROM (VALUES ('{"metadata.n": {"$between": [10, 20]}}'::jsonb), ('{"rawEntry": {"$like": "%5"}}'),
  ('{"createdBefore": "2025-01-01T02:00:00Z"}'), ('{"expiresAt": {"$exists": true}}'), ('{"ids": []}')) f(filters);
-- A list stays whole while entries come and go: new entries on a page already read are not seen, and no entry comes
-- twice.
SELECT array_agg(test.n(entry_id)) AS first_page FROM memory_list('m', page_size => 3, store => 'le') \gset
SELECT cursor AS third FROM memory_list('m', page_size => 3, store => 'le') OFFSET 2 \gset
INSERT INTO le.entries (memory_id, entry_id, raw_entry, creation_time) VALUES ('m', test.id(99), 'new', '2025-06-01Z');
SELECT memory_delete('m', ARRAY[(SELECT entry_id FROM memory_list('m', page_size => 3,
  store => 'le') OFFSET 2)]::uuid[],
    store => 'le') AS deleted;
SELECT :'first_page' AS first, array_agg(test.n(entry_id)) AS second
FROM memory_list('m', page_size => 3, cursor => :'third', store => 'le');
-- A list and an export distinguish all instants of timestamptz, also the last ones, and infinity.
INSERT INTO le.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'late', test.id(n), 'late ' || n, CASE WHEN n <= 205 THEN timestamptz '294255-01-01Z' + n * interval '1 second'
  WHEN n = 206 THEN 'infinity' ELSE '-infinity' END FROM generate_series(1, 207) n;
SELECT order_by, size, cardinality(ids) AS listed, (SELECT count(DISTINCT id) FROM unnest(ids) id) AS different,
  ids = (SELECT array_agg(entry_id::text ORDER BY CASE WHEN order_by = 'createdAt' THEN creation_time END,
    creation_time DESC) FROM le.entries WHERE memory_id = 'late') AS in_order
FROM unnest('{createdAt,-createdAt}'::text[]) order_by, (VALUES (3), (100)) s(size),
  LATERAL pages('late', NULL, order_by, size, 'le') ids ORDER BY 1, 2;
SELECT count(DISTINCT line->>'entryId') AS exported, count(*) AS lines FROM memory_export('late', store => 'le') line;
-- A cursor is valid only for its own list.
SELECT test.error(format('SELECT memory_list(%s, cursor => %L)', arguments, :'third'))
FROM (VALUES ($$'m', store => 'le'$$), ($$'m', '{}', store => 'le'$$), ($$'other', store => 'le'$$),
  ($$'m', store => 'le', options => '{"includeDeleted": true}'$$), ($$'m', '{"userId": "u1"}', store => 'le'$$),
  ($$'m', order_by => 'createdAt', store => 'le'$$)) a(arguments);
SELECT test.error(format('SELECT memory_list(%L, cursor => %L, store => %L)', 'm', cursor, 'le'))
FROM (VALUES (''), ('x'), ('é'), ('WzFd'), (left(:'third', 30)), (:'third' || 'A')) c(cursor);
-- Adopted tables: without times, without importance, with ids that are numbers or texts.
CREATE TABLE le_notes (id text PRIMARY KEY, who bigint, body text, rank numeric, made timestamptz);
INSERT INTO le_notes SELECT 'id' || n, 1, 'note ' || n, CASE WHEN n % 4 > 0 THEN n % 3 + 0.25 END,
  CASE WHEN n % 5 > 0 THEN timestamptz '2025-01-01Z' + n % 4 * interval '1 day' END FROM generate_series(1, 30) n;
SELECT memory_adopt_table('le_texts', 'le_notes', '{"memory_id": "who", "entry_id": "id", "raw_entry": "body",
    "importance": "rank", "creation_time": "made"}');
SELECT memory_adopt_table('le_numbers', 'le_notes',
    '{"memory_id": "''all''", "entry_id": "substr(id, 3)::int", "raw_entry": "body"}');
SELECT store, order_by, cardinality(whole), count(*) AS lists, bool_and(pages(memory, NULL, order_by, size,
  store) = whole) AS same
FROM (VALUES ('le_texts', '1'), ('le_numbers', 'all')) s(store, memory),
  unnest('{createdAt,-createdAt,expiresAt,importance,-importance,-accessCount}'::text[]) o(order_by),
  (VALUES (1), (7), (30)) p(size),
  LATERAL (SELECT array_agg(entry_id) AS whole FROM memory_list(memory, NULL, order_by, 1000, store => store)) w
GROUP BY 1, 2, 3 ORDER BY 1, 2;
SELECT entry_id, importance, creation_time FROM memory_list('1', order_by => '-importance', page_size => 2,
    store => 'le_texts');
SELECT count(*) AS of_no_id, memory_count('nobody', store => 'le_texts') AS counted
FROM memory_list('nobody', store => 'le_texts');
-- Row-level security and privileges are the caller's.
SELECT test.reader_under_policies('le', 'le_reader');
SET ROLE le_reader;
SET memory_search.user_id = 'u1';
SELECT array_agg(DISTINCT user_id) AS users, count(*) = memory_count('m', store => 'le') AS counted
FROM memory_list('m', store => 'le');
SET memory_search.user_id = '';
SELECT memory_count('m', store => 'le') AS of_nobody;
RESET ROLE;
-- Arguments that do not fit.
SELECT test.error('SELECT ' || call)
FROM (VALUES ($$memory_list('', store => 'le')$$), ($$memory_list('m', order_by => 'created_at', store => 'le')$$),
  ($$memory_list('m', order_by => 'score', store => 'le')$$), ($$memory_list('m', order_by => NULL, store => 'le')$$),
  ($$memory_list('m', page_size => 0, store => 'le')$$), ($$memory_list('m', page_size => 1001, store => 'le')$$),
  ($$memory_list('m', page_size => NULL, store => 'le')$$), ($$memory_list('m', '{"user": "a"}', store => 'le')$$),
  ($$memory_list('m', '[]', store => 'le')$$), ($$memory_list('m', store => 'no_such_store')$$),
  ($$memory_count('m', '{"tag": "a"}', 'le')$$), ($$memory_count(NULL, store => 'le')$$),
  ($$memory_count('m', store => 'no_such_store')$$),
  ($$memory_list('m', store => 'le', options => '{"includeDelted": true}')$$),
  ($$memory_count('m', store => 'le', options => '{"includeEmbedding": true}')$$)) c(call);
DROP FUNCTION pages;
SELECT memory_drop_store('le', true), memory_drop_store('le_texts', true), memory_drop_store('le_numbers', true);
DROP TABLE le_notes;
DROP ROLE le_reader;
