DECLARE
  part pg_catalog.text := COALESCE(summary, '') OPERATOR(pg_catalog.||) raw_entry;
  words pg_catalog.tsvector;
  is_short pg_catalog.bool;
  -- Texts with letters that ASCII lacks.
  letters pg_catalog.text;
  accented pg_catalog.text;
  folded pg_catalog.text;
BEGIN
  -- Of most texts nothing has to be cut off or prepared, which both together tell.
  IF pg_catalog.octet_length(part) OPERATOR(pg_catalog.>) {summary_characters} OR {is_to_prepare:part} THEN
    raw_entry := pg_catalog.left(raw_entry, {raw_entry_characters});
    {prepare:raw_entry}
    summary := pg_catalog.left(summary, {summary_characters});
    {prepare:summary}
    IF {may_fold:part} THEN
      letters := COALESCE(summary OPERATOR(pg_catalog.||) ' ', '') OPERATOR(pg_catalog.||) raw_entry;
    END IF;
  END IF;
  words := CASE WHEN summary IS NULL
    THEN pg_catalog.setweight(pg_catalog.to_tsvector(language, raw_entry), 'B')
    ELSE pg_catalog.setweight(pg_catalog.to_tsvector(language, summary), 'A')
      OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, raw_entry), 'B') END;
  IF (tags OPERATOR(pg_catalog.=) '{}'::pg_catalog.text[]) IS NOT TRUE THEN
    tags := pg_catalog.array_remove(tags, NULL);
    -- An array's own text form is not immutable; the keys of an object are.
    part := pg_catalog.left(pg_catalog.jsonb_object(tags, pg_catalog.array_fill(''::pg_catalog.text,
      ARRAY[pg_catalog.cardinality(tags)]))::pg_catalog.text, {tags_characters});
    IF {is_to_prepare:part} THEN
      {prepare:part}
      IF {may_fold:part} THEN
        letters := COALESCE(letters OPERATOR(pg_catalog.||) ' ', '') OPERATOR(pg_catalog.||) part;
      END IF;
    END IF;
    words := words OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, part), 'C');
  END IF;
  IF (metadata OPERATOR(pg_catalog.=) '{}'::pg_catalog.jsonb) IS NOT TRUE THEN
    part := metadata::pg_catalog.text;
    is_short := pg_catalog.octet_length(part) OPERATOR(pg_catalog.<=) {metadata_characters};
    IF NOT is_short THEN
      part := pg_catalog.left(part, {metadata_characters});
    END IF;
    IF {is_to_prepare:part} THEN
      {prepare:part}
      IF {may_fold:part} THEN
        letters := COALESCE(letters OPERATOR(pg_catalog.||) ' ', '') OPERATOR(pg_catalog.||) part;
      END IF;
    END IF;
    IF is_short THEN
      words := words OPERATOR(pg_catalog.||) pg_catalog.setweight(
        pg_catalog.jsonb_to_tsvector(language, part::pg_catalog.jsonb, '["all"]'::pg_catalog.jsonb), 'D');
    ELSE
      words := words OPERATOR(pg_catalog.||) pg_catalog.setweight(pg_catalog.to_tsvector(language, part), 'D');
    END IF;
  END IF;
  IF letters IS NOT NULL THEN
    {fold}
  END IF;
  RETURN words;
END
