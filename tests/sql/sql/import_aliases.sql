-- memory_import keeps aliases in the flat form of memory_alias: no alias stands for another alias.
SELECT memory_create_store('ia', 4);
SET memory_search.store = 'ia';
SET memory_search.embed_on_write = off;
CREATE FUNCTION aliases(memory text) RETURNS text LANGUAGE sql STABLE
  RETURN (SELECT string_agg(alias || ' = ' || entity, ', ' ORDER BY alias) FROM memory_aliases(memory));
CREATE FUNCTION alias_line(alias text, entity text) RETURNS jsonb LANGUAGE sql IMMUTABLE
  RETURN jsonb_build_object('kind', 'alias', 'alias', alias, 'entity', entity,
    'creationTime', '2025-01-01T00:00:00.000001Z');
-- A line makes a chain with an alias of the memory, on either side of it; readers see one entity.
SELECT memory_alias('a', 'p', 'Q'), memory_alias('behind', 'q', 'R'), memory_alias('before', 'o', 'P');
SELECT memory, memory_import(memory, (SELECT jsonb_agg(line) FROM memory_export('a') line)) AS rows, aliases(memory)
FROM unnest('{behind,before}'::text[]) memory;
SELECT memory_add('behind', 'by ' || name, entities => ARRAY[name]) IS NOT NULL AS added
FROM unnest('{P,Q,R}'::text[]) name;
SELECT entity, aliases, entries FROM memory_entities('behind');
SELECT raw_entry FROM memory_about('behind', 'p') ORDER BY raw_entry;
-- Each order of the parts of a chain, in one call or in several, gives the aliases that memory_alias gives.
CREATE TABLE ia_parts AS SELECT * FROM (VALUES (1, 'a', 'B'), (2, 'b', 'C'), (3, 'c', 'Dé'), (4, 'x', 'A')) p(n, alias,
  entity);
DO $$
DECLARE places int[]; part int; name text;
BEGIN
  FOR places IN SELECT ARRAY[p, q, r, s] FROM generate_series(1, 4) p, generate_series(1, 4) q,
    generate_series(1, 4) r, generate_series(1, 4) s WHERE p NOT IN (q, r, s) AND q NOT IN (r, s) AND r <> s
  LOOP
    name := array_to_string(places, '');
    PERFORM memory_import('once ' || name,
      (SELECT jsonb_agg(alias_line(lower(alias), entity) ORDER BY array_position(places, n)) FROM ia_parts));
    FOREACH part IN ARRAY places LOOP
      PERFORM memory_alias('called ' || name, alias, entity),
        memory_import('singly ' || name, alias_line(lower(alias), entity)) FROM ia_parts WHERE n = part;
    END LOOP;
  END LOOP;
END $$;
SELECT split_part(memory_id, ' ', 1) AS way, count(DISTINCT memory_id) AS orders, count(*) AS aliases,
  array_agg(DISTINCT entity) AS entities, bool_and(creation_time = '2025-01-01 00:00:00.000001Z') AS keeps_time
FROM ia.aliases WHERE memory_id ~ '^(once|singly|called) ' GROUP BY 1 ORDER BY 1;
-- More aliases than one statement has: all that stand for a new alias move.
SELECT memory_import('many', (SELECT jsonb_agg(alias_line('alias ' || n, 'First'))
    FROM generate_series(1, 2300) n)) AS rows,
  memory_import('many', jsonb_build_array(alias_line('first', 'Second'), alias_line('second', 'Third'))) AS moving;
SELECT entity, count(*), count(DISTINCT alias) AS different FROM ia.aliases WHERE memory_id = 'many' GROUP BY 1;
-- A circle is refused with its line, and so is a name that is an alias already; nothing is added.
CREATE FUNCTION outcome(lines jsonb) RETURNS text LANGUAGE sql
  RETURN test.error(format('SELECT memory_import(%L, %L)', 'held', lines));
SELECT memory_alias('held', 'q', 'R');
SELECT i, outcome(lines) FROM (VALUES
  (1, jsonb_build_array(alias_line('s', 't'), alias_line('t', 'U'), alias_line('u', 'S'))),
  (2, jsonb_build_array(alias_line('s', 't'), alias_line('r', 'Q'))),
  (3, alias_line('r', 'q')),
  (4, jsonb_build_array(alias_line('s', ' S'))),
  (5, jsonb_build_array(alias_line('s', 't'), alias_line('q', 'S'))),
  (6, jsonb_build_array(alias_line('q', 'R'))),
  (7, jsonb_build_array(alias_line('s', 't'), alias_line('v', 'w'), alias_line('s', 'u')))) t(i, lines) ORDER BY i;
SELECT aliases('held');
-- Texts of plain SQL that are no names are kept, and a text that is not folded is part of a chain.
INSERT INTO ia.aliases (memory_id, alias, entity) VALUES
  ('plain', ' ', 'x'), ('plain', 'y', ' '), ('plain', 'Mum', 'Z');
SELECT memory_import('copy', (SELECT jsonb_agg(line) FROM memory_export('plain') line)) AS rows,
  memory_import('copy', alias_line('mother', 'MUM')) AS one;
SELECT quote_literal(alias) AS alias, quote_literal(entity) AS entity FROM ia.aliases WHERE memory_id = 'copy'
ORDER BY alias COLLATE "C";
RESET memory_search.embed_on_write;
RESET memory_search.store;
DROP FUNCTION aliases, alias_line, outcome;
DROP TABLE ia_parts;
SELECT memory_drop_store('ia', true);
