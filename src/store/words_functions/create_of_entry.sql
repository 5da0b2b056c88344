{create} {schema}.words_of_entry(
  language pg_catalog.regconfig, summary pg_catalog.text, raw_entry pg_catalog.text,
  tags pg_catalog.text[], metadata pg_catalog.jsonb)
RETURNS pg_catalog.tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $function${body}$function$;
