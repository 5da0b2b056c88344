-- Lets a PostgreSQL 18 look for memory_search in the folder that the tar file was unpacked to:
--   psql -f settings.sql -v folder=/srv/memory_search
-- Both settings keep what they say, so that extensions of other folders stay where they are.
\set ON_ERROR_STOP 1
SELECT pg_catalog.format('ALTER SYSTEM SET %I = %L', setting.name,
    pg_catalog.concat_ws(':', pg_catalog.current_setting(setting.name), setting.folder))
  FROM (VALUES ('extension_control_path', pg_catalog.concat(:'folder', '/share')),
               ('dynamic_library_path', pg_catalog.concat(:'folder', '/lib'))) AS setting (name, folder)
 WHERE setting.folder OPERATOR(pg_catalog.<>)
       ALL (pg_catalog.string_to_array(pg_catalog.current_setting(setting.name), ':')) \gexec
SELECT pg_catalog.pg_reload_conf();
