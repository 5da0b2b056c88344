-- Runs one search and prints its JSON answer as tables. Variables, set by run.sh:
--   search         the call, for example memory_search('billing-service', 'E1042')
--   text_width     where texts are cut
--   show_contexts  true: the older contexts too
\set QUIET on
\set ON_ERROR_STOP on
\pset footer off
\pset null -
\pset linestyle unicode
\pset border 0

SELECT :search AS response \gset

SELECT jsonb_array_length(:'response'::jsonb -> 'entries') > 0 AS has_entries,
       :'response'::jsonb ->> 'latestContext' <> '' AS has_context,
       :show_contexts AND jsonb_array_length(:'response'::jsonb -> 'contexts') > 0 AS has_contexts \gset

\if :has_entries
SELECT hit.rank AS "#",
       to_char((entry ->> 'score')::numeric, '0.000') AS score,
       to_char((entry #>> '{scores,semantic}')::numeric, '0.00') AS meaning,
       to_char((entry #>> '{scores,keyword}')::numeric, '0.00') AS words,
       left(entry ->> 'creationTime', 10) AS created,
       (entry ->> 'importance')::int AS imp,
       entry ->> 'strategy' AS "found by",
       CASE WHEN length(line) > :text_width THEN left(line, :text_width - 1) || '…' ELSE line END AS text
  FROM jsonb_array_elements(:'response'::jsonb -> 'entries') WITH ORDINALITY AS hit (entry, rank),
       regexp_replace(entry ->> 'rawEntry', '\s+', ' ', 'g') AS line
 ORDER BY hit.rank;
\else
\echo '(no entries)'
\echo
\endif

\if :has_context
\pset tuples_only on
SELECT 'Latest context, ' || left(:'response'::jsonb ->> 'latestContextTimestamp', 10) || ': '
       || CASE WHEN length(line) > 2 * :text_width THEN left(line, 2 * :text_width - 1) || '…' ELSE line END
  FROM regexp_replace(:'response'::jsonb ->> 'latestContext', '\s+', ' ', 'g') AS line;
\pset tuples_only off
\endif

\if :has_contexts
SELECT hit.rank AS "#",
       to_char((context ->> 'score')::numeric, '0.000') AS score,
       left(context ->> 'creationTime', 10) AS created,
       CASE WHEN length(line) > :text_width THEN left(line, :text_width - 1) || '…' ELSE line END AS "older contexts"
  FROM jsonb_array_elements(:'response'::jsonb -> 'contexts') WITH ORDINALITY AS hit (context, rank),
       regexp_replace(context ->> 'context', '\s+', ' ', 'g') AS line
 ORDER BY hit.rank;
\endif
