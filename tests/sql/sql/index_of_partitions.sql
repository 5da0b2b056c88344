-- A memory index that is made partition by partition is used from the moment when the last one is attached, also in a
-- session that used the store before.
-- On PostgreSQL 16, stores have no partitions: there the index is used as soon as it is made.
SELECT current_setting('server_version_num')::int >= 170000 AS has_partitions \gset
SELECT CASE WHEN :'has_partitions' THEN '2' ELSE 'NULL' END AS partitions \gset
SELECT memory_create_store('ip', 4, partitions => :partitions);
SELECT count(memory_add('m' || n % 5, 'a kite ' || n, entry_id => test.id(n), embedding => '[1,0,0,1]', store => 'ip'))
FROM generate_series(1, 20) n;
CREATE FUNCTION path_of_search() RETURNS text LANGUAGE sql AS $$
  SELECT memory_search('m1', 'kite', options => '{"diagnostics": true}', store => 'ip')
    #>> '{diagnostics,reads,0,path}' $$;
SELECT path_of_search() AS at_first \gset
SELECT pg_get_indexdef('ip.entries_memory'::regclass) AS definition \gset
DROP INDEX ip.entries_memory;
SELECT path_of_search() AS without_it \gset
\set in_the_making :without_it
:definition;
\if :has_partitions
SELECT path_of_search() AS in_the_making \gset
SELECT replace(:'definition', 'entries_memory ON ONLY ip.entries ', format('part_%s ON ip.entries_%s ', n, n)),
  format('ALTER INDEX ip.entries_memory ATTACH PARTITION ip.part_%s', n)
FROM generate_series(0, 1) n \gexec
\endif
SELECT path_of_search() AS made \gset
SELECT :'at_first' AS at_first, :'without_it' AS without_it, :'in_the_making' AS in_the_making, :'made' AS made;
DROP FUNCTION path_of_search;
DROP SCHEMA ip CASCADE;
