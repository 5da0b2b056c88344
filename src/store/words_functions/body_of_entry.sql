
DECLARE
  part pg_catalog.text;
  words pg_catalog.tsvector;
  is_short pg_catalog.bool;
BEGIN
  part := pg_catalog.left(raw_entry, {raw_entry_characters});
  {prepare}
  words := pg_catalog.setweight(pg_catalog.to_tsvector(language, part), 'B');
  IF summary IS NOT NULL THEN
    part := pg_catalog.left(summary, {summary_characters});
    {prepare}
    words := pg_catalog.setweight(pg_catalog.to_tsvector(language, part), 'A') OPERATOR(pg_catalog.||) words;
  END IF;
  IF (tags OPERATOR(pg_catalog.=) '{}'::pg_catalog.text[]) IS NOT TRUE THEN
    tags := pg_catalog.array_remove(tags, NULL);
    -- An array's own text form is not immutable; the keys of an object are.
    part := pg_catalog.left(pg_catalog.jsonb_object(tags, pg_catalog.array_fill(''::pg_catalog.text,
      ARRAY[pg_catalog.cardinality(tags)]))::pg_catalog.text, {tags_characters});
    {prepare}
    words := words OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, part), 'C');
  END IF;
  IF (metadata OPERATOR(pg_catalog.=) '{}'::pg_catalog.jsonb) IS NOT TRUE THEN
    part := metadata::pg_catalog.text;
    is_short := pg_catalog.octet_length(part) OPERATOR(pg_catalog.<=) {metadata_characters};
    IF NOT is_short THEN
      part := pg_catalog.left(part, {metadata_characters});
    END IF;
    {prepare}
    IF is_short THEN
      words := words OPERATOR(pg_catalog.||) pg_catalog.setweight(
        pg_catalog.jsonb_to_tsvector(language, part::pg_catalog.jsonb, '["all"]'::pg_catalog.jsonb), 'D');
    ELSE
      words := words OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, part), 'D');
    END IF;
  END IF;
  RETURN words;
END
