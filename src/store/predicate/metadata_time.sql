EXISTS (
  SELECT FROM (
    SELECT CASE WHEN pg_catalog.pg_input_is_valid(w.text, 'pg_catalog.timestamptz')
                THEN w.text::pg_catalog.timestamptz END AS instant
      FROM (
        SELECT held.value OPERATOR(pg_catalog.#>>) '{}' AS text
          FROM pg_catalog.jsonb_path_query(
            {alias}.metadata, (SELECT {path}::pg_catalog.jsonpath), '{}', true) held (value)) x,
        -- A time without an offset is in UTC; other forms, some of which depend on the settings of a session, are no
        -- times.
        LATERAL (
          SELECT CASE
              WHEN x.text OPERATOR(pg_catalog.~) '^\d{4}-\d\d-\d\d$' THEN x.text OPERATOR(pg_catalog.||) ' 00:00Z'
              WHEN x.text OPERATOR(pg_catalog.~*) '^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.]\d+)?)?$'
                THEN x.text OPERATOR(pg_catalog.||) 'Z'
              WHEN x.text OPERATOR(pg_catalog.~*)
                  '^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$' THEN x.text
            END AS text) w) t
   WHERE {compared})