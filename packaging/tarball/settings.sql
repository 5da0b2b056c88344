-- Lets a PostgreSQL 18 look for memory_search in the folder that the tar file was unpacked to:
--   psql -f settings.sql -v folder=/srv/memory_search
-- Both settings keep their present folders, so that the server still finds extensions there. A relative path is
-- refused, because with one among the folders the server would find no extension at all.
\set ON_ERROR_STOP 1
\if :{?folder}
\else
  \set folder ''
\endif
SELECT pg_catalog.set_config('unpacked.folder', pg_catalog.rtrim(:'folder', '/'), false) AS folder \gset
DO $$
DECLARE
    folder pg_catalog.text := pg_catalog.current_setting('unpacked.folder');
    control pg_catalog.text := pg_catalog.concat(folder, '/share/extension/memory_search.control');
BEGIN
    IF pg_catalog.current_setting('server_version_num')::pg_catalog.int4 OPERATOR(pg_catalog.<) 180000 THEN
        RAISE EXCEPTION 'PostgreSQL % looks for extensions in its own folders only',
            pg_catalog.current_setting('server_version')
            USING HINT = 'Install a package, or by make install.';
    ELSIF NOT pg_catalog.starts_with(folder, '/') OR pg_catalog.strpos(folder, ':') OPERATOR(pg_catalog.>) 0 THEN
        RAISE EXCEPTION 'folder must be an absolute path without a colon, not "%"', folder
            USING HINT = 'Say where the tar file was unpacked to: psql -f settings.sql -v folder=/srv/memory_search';
    END IF;
    -- This IF is separate: a role that may not call the function gets an error for an expression that names it, even if
    -- the function is not called.
    IF pg_catalog.has_function_privilege('pg_catalog.pg_stat_file(pg_catalog.text, pg_catalog.bool)', 'execute') THEN
        IF (pg_catalog.pg_stat_file(control, true)).size IS NULL THEN
            RAISE EXCEPTION 'on the server there is no %', control
                USING HINT = 'The tar file makes that folder: after "tar -C /srv", folder=/srv/memory_search.';
        END IF;
    END IF;
END $$;
SELECT pg_catalog.format('ALTER SYSTEM SET %I = %L', setting.name,
    pg_catalog.concat_ws(':', pg_catalog.current_setting(setting.name), setting.folder))
  FROM (VALUES ('extension_control_path', pg_catalog.concat(:'folder', '/share')),
               ('dynamic_library_path', pg_catalog.concat(:'folder', '/lib'))) AS setting (name, folder)
 WHERE setting.folder OPERATOR(pg_catalog.<>)
       ALL (pg_catalog.string_to_array(pg_catalog.current_setting(setting.name), ':')) \gexec
SELECT pg_catalog.pg_reload_conf();
