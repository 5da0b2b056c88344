DECLARE
  letters pg_catalog.text;
  accented pg_catalog.text;
  folded pg_catalog.text;
  words pg_catalog.tsvector;
BEGIN
  IF pg_catalog.octet_length(context) OPERATOR(pg_catalog.>) {raw_entry_characters} THEN
    context := pg_catalog.left(context, {raw_entry_characters});
  END IF;
  IF {is_to_prepare:context} THEN
    {prepare:context}
    IF {may_fold:context} THEN
      letters := context;
    END IF;
  END IF;
  words := pg_catalog.to_tsvector(language, context);
  IF letters IS NOT NULL THEN
    {fold}
  END IF;
  RETURN words;
END
