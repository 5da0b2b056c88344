BEGIN
  IF pg_catalog.octet_length(context) OPERATOR(pg_catalog.>) {raw_entry_characters} THEN
    context := pg_catalog.left(context, {raw_entry_characters});
  END IF;
  IF {is_to_prepare:context} THEN
    {prepare:context}
  END IF;
  RETURN pg_catalog.to_tsvector(language, context);
END
