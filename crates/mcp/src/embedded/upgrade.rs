//! After the installation of another version of the package: restarts the server with its files, updates the extension,
//! and runs the doctor's fixes.

use memory_search_client::log;
use serde_json::Value;

use crate::command_line::EmbeddedArguments;
use crate::embedded::commands::existing;
use crate::embedded::configuration::DATABASE;
use crate::embedded::lease::ensure_running;
use crate::embedded::with_hint;

/// The doctor's findings in the stores of the server's own role: status and SQL, one line for each row, as JSON. A
/// store of another role may have views and triggers of that role, which would run as a superuser here.
const FINDINGS: &str = "
SELECT pg_catalog.jsonb_build_array(d.status, d.fix)
  FROM pg_catalog.pg_namespace n
 CROSS JOIN LATERAL public.memory_doctor(n.nspname::text) d
 WHERE EXISTS (SELECT FROM pg_catalog.pg_class c
                WHERE c.relnamespace = n.oid AND c.relname = 'entries' AND c.relkind IN ('r', 'p', 'v')
                  AND c.relowner = current_user::pg_catalog.regrole AND n.nspowner = current_user::pg_catalog.regrole)
   AND pg_catalog.to_regclass(pg_catalog.format('%I.entry_access', n.nspname)) IS NOT NULL
   AND d.fix IS NOT NULL
 ORDER BY n.nspname, d.name;
";

/// Restarts the server, even if programs use it, and updates the database to the version of the files.
pub fn upgrade(arguments: &EmbeddedArguments) -> Result<(), String> {
    let server = existing(arguments)?;
    let _starting = server.folder.lock_starting()?;
    let ran = server.socket().is_some();
    if ran {
        server.stop()?;
    }
    ensure_running(&server)?;
    let socket = server.socket().ok_or("the server ended right after its start")?;
    for finding in server.run_sql(&socket, DATABASE, FINDINGS)?.lines() {
        let finding: Value = serde_json::from_str(finding).map_err(|error| format!("the doctor's answer: {error}"))?;
        let [status, fix] = [0, 1].map(|part| finding[part].as_str().unwrap_or_default());
        // A person must decide about a warning: its fix may take long, or change who sees which rows.
        if status != "error" {
            log::line(&format!("the doctor advises: {fix}"));
            continue;
        }
        log::line(&format!("the doctor's fix: {fix}"));
        server.run_sql(&socket, DATABASE, fix).map_err(|why| {
            with_hint(format!("the fix failed: {why}"), "memory-search psql -c 'SELECT * FROM memory_doctor()'")
        })?;
    }
    let version = server.run_sql(
        &socket,
        DATABASE,
        "SELECT pg_catalog.concat('PostgreSQL ', pg_catalog.current_setting('server_version'), ', memory_search ', extversion)
           FROM pg_catalog.pg_extension WHERE extname = 'memory_search';",
    )?;
    log::line(&format!("the server has {}", version.trim()));
    if ran || server.folder.has("kept") { Ok(()) } else { server.stop() }
}
