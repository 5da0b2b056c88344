
DECLARE
  part pg_catalog.text := pg_catalog.left(context, {raw_entry_characters});
BEGIN
  {prepare}
  RETURN pg_catalog.to_tsvector(language, part);
END
