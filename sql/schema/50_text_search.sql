-- For each of the server's text search configurations one that takes texts apart as a memory index does: its words go
-- to the same dictionaries, and those with accents are found without them, too: words (kinds 2, 10 and 17), and names,
-- which are compounds and words with digits (the other kinds).
DO $configurations$
DECLARE
  -- An argument of every format: the schema's name may have a percent sign.
  own constant pg_catalog.text := '@extschema@';
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
      'CREATE TEXT SEARCH DICTIONARY %1$s.%2$I (TEMPLATE = %1$s.memory_accents, '
      'Dictionary = %3$L, Ascii = %4$L, Language = %5$L)',
      own, accents, 'pg_catalog.' OPERATOR(pg_catalog.||) language.of_words,
      'pg_catalog.' OPERATOR(pg_catalog.||) language.of_ascii, language.cfgname);
    EXECUTE pg_catalog.format(
      'COMMENT ON TEXT SEARCH DICTIONARY %s.%I IS %L', own, accents,
      pg_catalog.format('memory_search: %s, and words without their accents', language.of_words));
    accents_of_names := language.name OPERATOR(pg_catalog.||) '_names';
    EXECUTE pg_catalog.format(
      'CREATE TEXT SEARCH DICTIONARY %1$s.%2$I (TEMPLATE = %1$s.memory_accents, Dictionary = %3$L, Language = %4$L)',
      own, accents_of_names, 'pg_catalog.' OPERATOR(pg_catalog.||) language.of_names, language.cfgname);
    EXECUTE pg_catalog.format(
      'COMMENT ON TEXT SEARCH DICTIONARY %s.%I IS %L', own, accents_of_names,
      pg_catalog.format('memory_search: names in %s, and names without their accents', language.cfgname));
    EXECUTE pg_catalog.format(
      'CREATE TEXT SEARCH CONFIGURATION %1$s.%2$I (PARSER = %1$s.memory_words)', own, language.name);
    EXECUTE pg_catalog.format(
      'COMMENT ON TEXT SEARCH CONFIGURATION %s.%I IS %L', own, language.name,
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
        'ALTER TEXT SEARCH CONFIGURATION %s.%I ADD MAPPING FOR %I WITH %s.%I',
        own, language.name, mapping.alias, CASE WHEN mapping.with_accents IS NULL THEN 'pg_catalog' ELSE own END,
        COALESCE(mapping.with_accents, mapping.dictname));
    END LOOP;
  END LOOP;
END
$configurations$;
