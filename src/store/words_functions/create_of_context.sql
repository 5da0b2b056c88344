{create} {schema}.words_of_context(language pg_catalog.regconfig, context pg_catalog.text)
RETURNS pg_catalog.tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $function${body}$function$;
