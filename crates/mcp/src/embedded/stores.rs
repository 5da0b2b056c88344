//! The database in the server: made at the first start, and updated to the version of the extension's files.

use std::path::Path;
use std::time::Duration;

use memory_search_client::log;

use crate::embedded::configuration::{DATABASE, ROLE};
use crate::embedded::programs::output_with_input;
use crate::embedded::server::Server;
use crate::embedded::with_hint;

/// Makes the database, the extension and the default store if they are missing. A killed start may have ended after any
/// step.
const MAKE: &str = "
SELECT count(*) = 0 AS is_missing FROM pg_catalog.pg_database WHERE datname = 'memory' \\gset
\\if :is_missing
  CREATE DATABASE memory;
\\endif
\\connect memory
SELECT count(*) = 0 AS is_missing FROM pg_catalog.pg_extension WHERE extname = 'memory_search' \\gset
\\if :is_missing
  BEGIN;
  CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
  CREATE EXTENSION memory_search SCHEMA public;
  SELECT pg_catalog.to_regnamespace('memory') IS NULL AS is_missing \\gset
  \\if :is_missing
    SELECT public.memory_create_store() \\g /dev/null
  \\endif
  COMMIT;
\\endif
";

/// One line: the version in the database, that of the files, and whether there is an update path between them.
const VERSIONS: &str = "
SELECT e.installed_version, e.default_version,
       EXISTS (SELECT FROM pg_catalog.pg_extension_update_paths('memory_search') p
                WHERE p.source = e.installed_version AND p.target = e.default_version AND p.path IS NOT NULL)
  FROM pg_catalog.pg_available_extensions e WHERE e.name = 'memory_search';
";

impl Server {
    /// Runs statements as the server's superuser; returns their output, unaligned, one line for each row.
    pub fn run_sql(&self, socket: &Path, database: &str, statements: &str) -> Result<String, String> {
        let host = format!("--host={}", socket.display());
        let (role, database) = (format!("--username={ROLE}"), format!("--dbname={database}"));
        let arguments = [
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--set=ON_ERROR_STOP=1",
            "--port=5432",
            &host,
            &role,
            &database,
        ];
        let statements = format!("SET client_min_messages = error;\n{statements}");
        output_with_input(&self.installation.program("psql"), &arguments, &statements)
    }

    /// Makes missing objects, and updates the extension if its files are newer than the database.
    pub fn prepare(&self, socket: &Path) -> Result<(), String> {
        self.run_sql(socket, "postgres", MAKE)?;
        let said = self.run_sql(socket, DATABASE, VERSIONS)?;
        let mut columns = said.trim().split('|');
        let (Some(installed), Some(files), Some(leads)) = (columns.next(), columns.next(), columns.next()) else {
            return Err(format!("the server does not find the files of the extension memory_search: {said}"));
        };
        if installed == files {
            return Ok(());
        }
        if leads != "t" {
            return Err(with_hint(
                format!(
                    "the data folder {} is of memory_search {installed}, and this memory-search brings {files}",
                    self.folder.path().display()
                ),
                format!("Install version {installed} or a newer one."),
            ));
        }
        self.run_sql(socket, DATABASE, "ALTER EXTENSION memory_search UPDATE;")?;
        log::line(&format!(
            "memory_search was updated from {installed} to {files}: memory-search upgrade says what is left to do"
        ));
        Ok(())
    }

    /// The number of lasting connections besides the one that asks: connections that a program has closed may take a
    /// moment to end.
    pub fn lasting_connections(&self, socket: &Path) -> Result<u32, String> {
        for _ in 0..10 {
            if self.other_connections(socket)? == 0 {
                return Ok(0);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        self.other_connections(socket)
    }

    fn other_connections(&self, socket: &Path) -> Result<u32, String> {
        let said = self.run_sql(
            socket,
            "postgres",
            "SELECT count(*) FROM pg_catalog.pg_stat_activity
              WHERE backend_type = 'client backend' AND pid <> pg_catalog.pg_backend_pid();",
        )?;
        said.trim().parse().map_err(|_| format!("the server counts connections as {said}"))
    }
}
