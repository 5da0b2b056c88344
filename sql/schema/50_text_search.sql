-- For each of the server's text search configurations one that takes texts apart as a memory index does: its words go
-- to the same dictionaries, and those with accents are found without them, too: words (kinds 2, 10 and 17), and names,
-- which are compounds and words with digits (the other kinds).
DO $configurations$
DECLARE
  language record;
  mapping record;
  accents text;
  accents_of_names text;
BEGIN
  FOR language IN
    SELECT c.oid, c.cfgname, 'memory_' OPERATOR(pg_catalog.||) c.cfgname AS name,
           -- The dictionaries of words, and of those that are of ASCII letters.
           (SELECT d.dictname FROM pg_catalog.pg_ts_config_map m
              JOIN pg_catalog.pg_ts_dict d ON d.oid OPERATOR(pg_catalog.=) m.mapdict
             WHERE m.mapcfg OPERATOR(pg_catalog.=) c.oid AND m.maptokentype OPERATOR(pg_catalog.=) 2) AS of_words,
           (SELECT d.dictname FROM pg_catalog.pg_ts_config_map m
              JOIN pg_catalog.pg_ts_dict d ON d.oid OPERATOR(pg_catalog.=) m.mapdict
             WHERE m.mapcfg OPERATOR(pg_catalog.=) c.oid AND m.maptokentype OPERATOR(pg_catalog.=) 1) AS of_ascii,
           (SELECT d.dictname FROM pg_catalog.pg_ts_config_map m
              JOIN pg_catalog.pg_ts_dict d ON d.oid OPERATOR(pg_catalog.=) m.mapdict
             WHERE m.mapcfg OPERATOR(pg_catalog.=) c.oid AND m.maptokentype OPERATOR(pg_catalog.=) 3) AS of_names
      FROM pg_catalog.pg_ts_config c
     WHERE c.cfgnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace
     ORDER BY c.cfgname
  LOOP
    accents := 'memory_' OPERATOR(pg_catalog.||) language.of_words;
    EXECUTE pg_catalog.format(
      'CREATE TEXT SEARCH DICTIONARY @extschema@.%I (TEMPLATE = @extschema@.memory_accents, '
      'Dictionary = %L, Ascii = %L, Language = %L)',
      accents, 'pg_catalog.' OPERATOR(pg_catalog.||) language.of_words,
      'pg_catalog.' OPERATOR(pg_catalog.||) language.of_ascii, language.cfgname);
    EXECUTE pg_catalog.format(
      'COMMENT ON TEXT SEARCH DICTIONARY @extschema@.%I IS %L', accents,
      pg_catalog.format('memory_search: %s, and words without their accents', language.of_words));
    accents_of_names := language.name OPERATOR(pg_catalog.||) '_names';
    EXECUTE pg_catalog.format(
      'CREATE TEXT SEARCH DICTIONARY @extschema@.%I (TEMPLATE = @extschema@.memory_accents, Dictionary = %L, '
      'Language = %L)',
      accents_of_names, 'pg_catalog.' OPERATOR(pg_catalog.||) language.of_names, language.cfgname);
    EXECUTE pg_catalog.format(
      'COMMENT ON TEXT SEARCH DICTIONARY @extschema@.%I IS %L', accents_of_names,
      pg_catalog.format('memory_search: names in %s, and names without their accents', language.cfgname));
    EXECUTE pg_catalog.format(
      'CREATE TEXT SEARCH CONFIGURATION @extschema@.%I (PARSER = @extschema@.memory_words)', language.name);
    EXECUTE pg_catalog.format(
      'COMMENT ON TEXT SEARCH CONFIGURATION @extschema@.%I IS %L', language.name,
      pg_catalog.format('memory_search: %s, with the words that a memory index has', language.cfgname));
    FOR mapping IN
      SELECT t.alias, d.dictname,
             CASE WHEN m.maptokentype OPERATOR(pg_catalog.=) ANY (ARRAY[2, 10, 17]) THEN accents
                  WHEN m.maptokentype OPERATOR(pg_catalog.=) ANY (ARRAY[3, 4, 5, 6, 8, 9, 15, 18, 19])
                  THEN accents_of_names END AS with_accents
        FROM pg_catalog.pg_ts_config_map m
        JOIN pg_catalog.pg_ts_dict d ON d.oid OPERATOR(pg_catalog.=) m.mapdict
        JOIN pg_catalog.ts_token_type('default') t ON t.tokid OPERATOR(pg_catalog.=) m.maptokentype
       WHERE m.mapcfg OPERATOR(pg_catalog.=) language.oid
       ORDER BY m.maptokentype, m.mapseqno
    LOOP
      EXECUTE pg_catalog.format(
        'ALTER TEXT SEARCH CONFIGURATION @extschema@.%I ADD MAPPING FOR %I WITH %s.%I',
        language.name, mapping.alias,
        CASE WHEN mapping.with_accents IS NULL THEN 'pg_catalog' ELSE '@extschema@' END,
        COALESCE(mapping.with_accents, mapping.dictname));
    END LOOP;
  END LOOP;
END
$configurations$;
