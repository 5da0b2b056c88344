-- Loaded into the database of the regression tests before the first one.
CREATE SCHEMA test;
GRANT USAGE ON SCHEMA test TO PUBLIC;

-- The error of a statement as one line, so that a test prints its SQLSTATE, message and hint, not
-- only what psql shows by default. The statement's effects are undone, whether it fails or not.
CREATE FUNCTION test.error(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  state text; message text; hint text; detail text;
BEGIN
  EXECUTE statement;
  RAISE EXCEPTION USING ERRCODE = 'UNDO0';
EXCEPTION
  WHEN SQLSTATE 'UNDO0' THEN RETURN 'no error';
  WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT,
      detail = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(' ', state || ':', message, nullif('DETAIL: ' || detail, 'DETAIL: '),
      nullif('HINT: ' || hint, 'HINT: '));
END $$;

-- That as 'ok' or an SQLSTATE.
CREATE FUNCTION test.outcome(statement text) RETURNS text LANGUAGE sql
  RETURN replace(split_part(test.error(statement), ':', 1), 'no error', 'ok');

-- A uuid that a reader can tell from others: test.id(7) is 00000000-0000-0000-0000-000000000007.
CREATE FUNCTION test.id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
  RETURN lpad(n::text, 32, '0')::uuid;
-- And back: 7.
CREATE FUNCTION test.n(id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE
  RETURN replace(id::text, '-', '')::bigint;
CREATE FUNCTION test.n(id text) RETURNS bigint LANGUAGE sql IMMUTABLE
  RETURN replace(id, '-', '')::bigint;

-- The numbers of a response's entries, in their order: {3,1,2}.
CREATE FUNCTION test.found(response jsonb) RETURNS bigint[] LANGUAGE sql IMMUTABLE
  RETURN (SELECT coalesce(array_agg(test.n(e->>'entryId') ORDER BY place), '{}')
          FROM jsonb_array_elements(response->'entries') WITH ORDINALITY entry(e, place));

-- The strategies that the entries of a response name.
CREATE FUNCTION test.strategies(response jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE
  RETURN (SELECT coalesce(array_agg(DISTINCT e->>'strategy'), '{}') FROM jsonb_array_elements(response->'entries') e);

-- A word of a small vocabulary, skewed so that some words are common and some are rare; the same
-- for the same seed on every machine.
CREATE FUNCTION test.word(seed bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN (ARRAY['lisbon','tea','train','hotel','garden','river','music','cheap','coffee','museum','window','allergy',
    'peanut','ferry','guitar','winter','bicycle','harbour','novel','breakfast','contract','deadline','python','kernel',
    'marathon','violin','passport','ceramics','lantern','quartz'])[
    1 + floor(30 * power(('x' || left(md5('w' || seed), 6))::bit(24)::int / 16777216.0, 2))::int];

-- `count` such words.
CREATE FUNCTION test.words(seed bigint, count int) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN (SELECT string_agg(test.word(seed * 1000 + i), ' ' ORDER BY i) FROM generate_series(1, count) i);

-- A vector with four elements between -1 and 1.
CREATE FUNCTION test.vector(seed bigint) RETURNS real[] LANGUAGE sql IMMUTABLE
  RETURN (SELECT array_agg((('x' || left(md5('v' || seed || '/' || i), 6))::bit(24)::int / 8388608.0 - 1)::real
              ORDER BY i)
          FROM generate_series(1, 4) i);

-- An embedder for a store of four dimensions: memory_search.embedding_function may name it.
CREATE FUNCTION test.embed(input text) RETURNS real[] LANGUAGE sql IMMUTABLE
  RETURN test.vector(length(input));

-- Words of two texts, and a place between them, so that no phrase goes from the one into the other.
CREATE FUNCTION test.beside(a tsvector, b tsvector) RETURNS tsvector LANGUAGE sql IMMUTABLE
  RETURN CASE WHEN a = '' THEN b WHEN b = '' THEN a ELSE ts_delete(a || '''zzz between zzz'':1' || b, 'zzz between zzz')
    END;
CREATE AGGREGATE test.joined(tsvector) (SFUNC = test.beside, STYPE = tsvector, INITCOND = '');

-- The words of an entry, of its texts by PostgreSQL's own to_tsvector() and the extension's configuration: the oracle
-- for the words that the memory index keeps, and for those that are made where rows are read.
CREATE FUNCTION test.words_of_entry(language text, summary text, raw_entry text, tags text[], metadata jsonb)
RETURNS tsvector LANGUAGE plpgsql STABLE AS $$
DECLARE
  config regconfig = 'public.memory_' || language;
BEGIN
  RETURN (SELECT test.joined(words ORDER BY n) FROM (VALUES
    (1, setweight(to_tsvector(config, coalesce(summary, '')), 'A')),
    (2, setweight(to_tsvector(config, raw_entry), 'B')),
    (3, setweight((SELECT test.joined(to_tsvector(config, tag) ORDER BY place)
                   FROM (SELECT tag, min(place) AS place FROM unnest(tags) WITH ORDINALITY t (tag, place)
                         WHERE tag IS NOT NULL GROUP BY tag) t), 'C')),
    (4, setweight(jsonb_to_tsvector(config, metadata, '["all"]'), 'D'))) w (n, words));
END $$;

-- The words of all entries of a store.
CREATE FUNCTION test.words_of_store(store text, language text DEFAULT 'english')
RETURNS TABLE (memory_id text, entry_id uuid, words tsvector) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT memory_id::text, entry_id, test.words_of_entry($1, summary, raw_entry, tags,
    metadata) FROM %I.entries', store) USING language;
END $$;

-- BM25 as its formula says, from those words by unnest() alone: the oracle for what the
-- extension computes from the bytes. Visible rows are those that are neither deleted nor expired. (What
-- an entry borrows from words said nearby is no part of it: tests keep their rows half an hour apart.)
CREATE FUNCTION test.bm25(store text, memory text, query text, language text DEFAULT 'english',
  k1 float8 DEFAULT 0.9, b float8 DEFAULT 0.15)
RETURNS TABLE (n bigint, bm25 double precision) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($sql$
    WITH document AS MATERIALIZED (
      SELECT entry_id, test.words_of_entry($3, summary, raw_entry, tags, metadata) AS words FROM %I.entries
      WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())),
    collection AS (SELECT count(*)::float8 AS rows, avg(length(words))::float8 AS average FROM document),
    frequency AS (
      SELECT entry_id, lexeme, length(words)::float8 AS length,
             sum(CASE weight WHEN 'A' THEN 1.5 WHEN 'B' THEN 1.0 WHEN 'C' THEN 1.0 ELSE 0.5 END)::float8 AS tf
      FROM document, unnest(words) word, unnest(word.weights) weight
      WHERE lexeme IN (SELECT lexeme FROM unnest(to_tsvector(('public.memory_' || $3)::regconfig, $2)))
      GROUP BY entry_id, lexeme, words),
    rarity AS (
      SELECT lexeme, ln(1 + (rows - count(*) + 0.5) / (count(*) + 0.5)) AS idf
      FROM frequency, collection GROUP BY lexeme, rows)
    SELECT test.n(entry_id), sum(idf * tf * ($4 + 1) / (tf + $4 * (1 - $5 + $5 * length / average)))
    FROM frequency JOIN rarity USING (lexeme), collection GROUP BY entry_id
  $sql$, store) USING memory, query, language, k1, b;
END $$;

-- Texts that try to get out of a literal, a name, a pattern or a template; some would drop a table "canary".
CREATE FUNCTION test.hostile_texts() RETURNS TABLE (n int, t text) LANGUAGE sql IMMUTABLE AS $hostile$
  SELECT n::int, t FROM unnest(ARRAY[
    '''', '"', '\', '\''', '$1', ';', '--', '/*', '%s %I %1$s', 'a.b', 'SELECT', ' ',
    E'tab\tand\r\nline', '''; DROP TABLE canary; --', '"; DROP TABLE canary; --',
    '''); DROP TABLE canary; --', '$$; DROP TABLE canary; $$', '\''; DROP TABLE canary; --',
    '''::text); DROP TABLE canary; --', ''' || (SELECT (1/0)::text) || ''', '" || (1/0) || "',
    '''::pg_catalog.regconfig, ''a''); DROP TABLE canary; --', '{schema}', '{embedding_type}',
    '{search_vector}', '{language}', '{user}', '{memory_id_type}', '{entries_foreign_key}', '{}',
    '\u0027; DROP TABLE canary; --', '\u0000', U&'\02BC; DROP TABLE canary; --',
    U&'\FF07; DROP TABLE canary; --', U&'\202E\200B\FEFF', 'Gedächtnis 記憶 🧠',
    repeat('x', 62) || '''', repeat('記', 21), repeat('x', 64), repeat('記', 22), repeat('''', 500),
    ''
  ]) WITH ORDINALITY hostile(t, n) $hostile$;
