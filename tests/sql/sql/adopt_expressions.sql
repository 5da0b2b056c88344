-- A column of an adopted table may be an expression: exactly one expression, and no other SQL.
CREATE SCHEMA ak_app;
CREATE TABLE ak_app.types (
  id int, line text, "Line Two" text, js json, jb jsonb, real4 real[], flag boolean, day date, spell interval,
  secs bigint, words tsvector, list text[], ints int[], bits bit(4), sparse sparsevec(4), names varchar(9)[]
);
CREATE TABLE ak_app.of_names (id int, line text);
SELECT source,
  test.error(format($$SELECT memory_adopt_table('ak_x', 'ak_app.types', %L)$$,
      jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', source, 'search_vector', null)))
FROM (VALUES
  (1, $$line) FROM ak_app.types; DROP TABLE ak_app.types; SELECT (line$$),
  (2, $$line; DROP TABLE ak_app.types$$),
  (3, $$line), (line$$),
  (4, $$line)::text, (line$$),
  (5, $$line) AS raw_entry, (line$$),
  (6, $$line AS raw_entry$$),
  (7, $$line FROM pg_authid$$),
  (8, $$line) FROM pg_authid WHERE (true$$),
  (9, $$rolname) FROM (SELECT rolname FROM pg_authid) t WHERE (true$$),
  (10, $$line) UNION SELECT (rolpassword$$),
  (11, $$line) EXCEPT (SELECT line$$),
  (12, $$line) WHERE (true$$),
  (13, $$line) GROUP BY (line$$),
  (14, $$line) HAVING (true$$),
  (15, $$line) ORDER BY (line$$),
  (16, $$line) LIMIT (1$$),
  (17, $$line) OFFSET (1$$),
  (18, $$line) INTO ak_app.stolen FROM (SELECT 1) s WHERE (true$$),
  (19, $$line) WINDOW w AS ($$),
  (20, $$line) FOR UPDATE --$$),
  (21, $$line)$$),
  (22, $$(line$$),
  (23, $$line) --$$),
  (24, $$line /*$$),
  (25, $$'$$),
  (26, $$"$$),
  (27, '$x$'),
  (28, $$line \$$),
  (29, $$;$$),
  (30, $$,$$),
  (31, $$*$$),
  (32, $$DEFAULT$$),
  (33, $$(DELETE FROM ak_app.types RETURNING line)$$),
  (34, $$WITH d AS (DELETE FROM ak_app.types RETURNING line) SELECT line FROM d$$),
  (35, $$(INSERT INTO ak_app.types (line) VALUES ('x') RETURNING line)$$),
  (36, '$1'),
  (37, $$line + 1$$),
  (38, $$no_function(line)$$),
  (39, $$vector_dims(real4::vector)$$),
  (40, $$unnest(list)$$),
  (41, $$max(line)$$),
  (42, $$line || chr(0)$$)
) s(i, source)
ORDER BY i;
-- An expression that gives several columns or several rows is refused, too.
SELECT key, source,
  test.error(format($$SELECT memory_adopt_table('ak_x', 'ak_app.of_names', %L)$$,
        '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}'::jsonb || jsonb_build_object(key, source)))
    <> 'no error' AS refused
FROM (VALUES
  (1, 'raw_entry', $$of_names.*$$),
  (2, 'memory_id', $$ak_app.of_names.*$$),
  (3, 'raw_entry', $$(of_names).*$$),
  (4, 'raw_entry', $$line, current_user$$),
  (5, 'user_id', $$(line, id)$$),
  (6, 'user_id', $$regexp_split_to_table(line, ' ')$$)
) s(i, key, source)
ORDER BY i;
-- A window function is refused, because it depends on other rows.
SELECT test.error($$SELECT memory_adopt_table('ak_x', 'ak_app.of_names', '{"memory_id": "''all''",
  "entry_id": "row_number() OVER ()", "raw_entry": "line"}')$$);
-- The same holds for every key; text in quotes or comments is no SQL.
SELECT count(*) AS keys,
  count(*) FILTER (WHERE test.error(format($$SELECT memory_adopt_table('ak_x', 'ak_app.types', %L)$$,
          jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', 'line')
            || jsonb_build_object(key,
                'NULL) FROM ak_app.types; DROP TABLE ak_app.types; SELECT (NULL'))) LIKE '22023: columns.' || key
      || ' is not one SQL expression%') AS refused
FROM unnest('{memory_id,entry_id,user_id,agent_id,raw_entry,summary,context,tags,metadata,source_type,
    importance,creation_time,deletion_scheduled_time,expires_at,superseded_by,superseded_time,
    embedding,embedding_model,entry_order,search_vector}'::text[]) key;
INSERT INTO ak_app.types (id, line) VALUES (1, 'tea');
SELECT memory_adopt_table('ak_quotes', 'ak_app.types',
    $${"memory_id": "'''; DROP TABLE ak_app.types; --'", "entry_id": "id",
       "raw_entry": "line || $q$) FROM pg_authid; --$q$ || E'\\'' -- ) FROM pg_authid",
       "summary": "/* ) */ '/*' || line", "user_id": "'''german''::text AS language'", "search_vector": null}$$);
SELECT raw_entry, summary, user_id
FROM memory_search_entries('''; DROP TABLE ak_app.types; --', 'tea', options => '{"strategy": "keyword"}',
    store => 'ak_quotes');
SELECT to_regclass('ak_app.stolen') IS NULL AS nothing_stolen, (SELECT count(*) FROM ak_app.types) AS rows;
DO $$
BEGIN
  EXECUTE (SELECT 'DROP SCHEMA ' || string_agg(quote_ident(nspname), ', ') || ' CASCADE'
           FROM pg_namespace WHERE nspname LIKE 'ak\_%');
END $$;
