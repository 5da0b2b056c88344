//! A backup is a file of pg_dump: any PostgreSQL with the extension can read it, including a larger server of another
//! version.

use std::fs::File;
use std::path::{Path, PathBuf};

use memory_search_client::log;
use memory_search_client::stopping::expect_signals;

use crate::command_line::{BackupArguments, RestoreArguments};
use crate::embedded::commands::existing;
use crate::embedded::configuration::{DATABASE, ROLE};
use crate::embedded::lease::Lease;
use crate::embedded::programs::{output_of, output_unless_stopped};
use crate::embedded::server::Server;
use crate::embedded::with_hint;

/// The roles of every server are not in a backup.
const OTHER_ROLES: &str = "
SELECT count(*) FROM pg_catalog.pg_roles WHERE rolname NOT LIKE 'pg\\_%' AND rolname <> 'memory';
";

/// Writes the database to a new file.
pub fn backup(arguments: &BackupArguments) -> Result<(), String> {
    expect_signals();
    let file = absolute(&arguments.file)?;
    let roles = with_suffix(&file, ".roles.sql");
    // A restore would read older roles, too.
    if let Some(taken) = [&file, &roles].into_iter().find(|file| file.exists()) {
        return Err(with_hint(format!("{} exists already", taken.display()), "Name a new file."));
    }
    existing(&arguments.embedded)?;
    let lease = Lease::take(&arguments.embedded)?;
    let (server, socket) = (lease.server(), socket_of(lease.server())?);
    // Unique names; the files get their own names only when both are complete.
    let [part, roles_part] = [&file, &roles].map(|file| with_suffix(file, &format!(".{}.part", std::process::id())));
    let write = || {
        new_private_file(&part)?;
        let mut dump = connection(&socket, DATABASE);
        dump.extend(["--format=custom".into(), format!("--file={}", part.display())]);
        output_unless_stopped(&server.installation.program("pg_dump"), &dump)?;
        let has_roles = server.run_sql(&socket, DATABASE, OTHER_ROLES)?.trim() != "0";
        if has_roles {
            new_private_file(&roles_part)?;
            let mut dump = connection(&socket, DATABASE);
            dump.retain(|argument| !argument.starts_with("--dbname="));
            dump.extend([
                "--roles-only".into(),
                "--no-role-passwords".into(),
                format!("--file={}", roles_part.display()),
            ]);
            output_unless_stopped(&server.installation.program("pg_dumpall"), &dump)?;
            take_name(&roles_part, &roles)?;
        }
        take_name(&part, &file).inspect_err(|_| {
            if has_roles {
                let _ = std::fs::remove_file(&roles);
            }
        })?;
        Ok(has_roles)
    };
    match write() {
        Ok(true) => log::line(&format!("roles of the server are in {}, without passwords", roles.display())),
        Ok(false) => {}
        Err(why) => {
            for part in [&part, &roles_part] {
                let _ = std::fs::remove_file(part);
            }
            return Err(why);
        }
    }
    log::line(&format!("the memories are in {}", file.display()));
    Ok(())
}

/// Reads a backup into a new database, which replaces the existing one. That one stays under another name, unless it is
/// empty.
pub fn restore(arguments: &RestoreArguments) -> Result<(), String> {
    expect_signals();
    let file = absolute(&arguments.file)?;
    File::open(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lease = Lease::take(&arguments.embedded)?;
    let (server, socket) = (lease.server(), socket_of(lease.server())?);
    // Before any change: tests whether the file is a backup, of a version that these programs know.
    let settings = database_settings(server, &file)?;

    let others = server.lasting_connections(&socket)?;
    if others > 0 {
        return Err(with_hint(
            format!("other programs use the server (connections: {others})"),
            "End the programs that use it, and restore again.",
        ));
    }
    make_missing_roles(server, &socket, &file)?;
    let admin = |statements: &str| server.run_sql(&socket, "postgres", statements);
    admin("DROP DATABASE IF EXISTS memory_restored;\nCREATE DATABASE memory_restored;")?;
    let mut read = connection(&socket, "memory_restored");
    read.extend(["--exit-on-error".into(), "--no-password".into(), file.display().to_string()]);
    let restored =
        output_unless_stopped(&server.installation.program("pg_restore"), &read)
            .and_then(|_| admin(&settings))
            .and_then(|_| {
                server.run_sql(
                    &socket,
                    "memory_restored",
                    "SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'memory_search';",
                )
            })
            .and_then(|version| {
                if version.trim().is_empty() { Err("it has no extension memory_search".to_owned()) } else { Ok(()) }
            });
    if let Err(why) = restored {
        let _ = admin("DROP DATABASE IF EXISTS memory_restored;");
        return Err(with_hint(
            format!("{} was not restored: {why}", file.display()),
            "The memories that were there are as they were.",
        ));
    }
    let kept = take_its_place(server, &socket)?;
    match kept {
        Some(name) => log::line(&format!(
            "{} is restored. The memories that were there are in the database {name}: to remove them, memory-search psql \
             -c 'DROP DATABASE {name}'",
            file.display()
        )),
        None => log::line(&format!("{} is restored", file.display())),
    }
    Ok(())
}

/// Renames both databases in one transaction. Returns the name of the old one, if it is kept: it is dropped only if it
/// is as the first start made it, which is tested when nobody can find it by its name any more.
fn take_its_place(server: &Server, socket: &Path) -> Result<Option<String>, String> {
    let name = format!("memory_before_{}", seconds_since_1970());
    let swap = format!(
        "BEGIN;
         ALTER DATABASE memory RENAME TO {name};
         ALTER DATABASE memory_restored RENAME TO memory;
         COMMIT;"
    );
    server
        .run_sql(socket, "postgres", &swap)
        .map_err(|why| with_hint(why, "The memories that were there are as they were."))?;
    if server.run_sql(socket, &name, IS_UNTOUCHED).is_ok_and(|said| said.trim() == "t") {
        // A connection that was made meanwhile keeps it, which is no error.
        if server.run_sql(socket, "postgres", &format!("DROP DATABASE {name};")).is_ok() {
            return Ok(None);
        }
    }
    Ok(Some(name))
}

/// Whether a database has only the extensions and the default store, without a row, and nothing else of a user.
const IS_UNTOUCHED: &str = "
SELECT count(*) IN (3, 5) AS is_default FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind NOT IN ('i', 'I', 't', 'S', 'c') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') \\gset
\\if :is_default
  SELECT NOT EXISTS (SELECT FROM memory.entries) AND NOT EXISTS (SELECT FROM memory.contexts)
     AND NOT EXISTS (SELECT FROM memory.entry_access)
     AND coalesce(pg_catalog.pg_relation_size(pg_catalog.to_regclass('memory.links')), 0) = 0
     AND coalesce(pg_catalog.pg_relation_size(pg_catalog.to_regclass('memory.aliases')), 0) = 0
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_largeobject_metadata)
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.oid >= 16384 AND NOT EXISTS (
           SELECT FROM pg_catalog.pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e'))
     AND (SELECT count(*) FROM pg_catalog.pg_namespace WHERE oid >= 16384) = 1;
\\else
  SELECT false;
\\endif
";

/// Statements of the backup about its database, in addition to those about its contents: settings, also those of roles
/// in it, and privileges, with the new database's name.
fn database_settings(server: &Server, file: &Path) -> Result<String, String> {
    let list = ["--create".to_owned(), "--schema-only".to_owned(), "--file=-".to_owned(), file.display().to_string()];
    let said = output_of(&server.installation.program("pg_restore"), &list).map_err(|why| {
        with_hint(format!("{} is no backup: {why}", file.display()), "Name a file of memory-search backup.")
    })?;
    let Some(name) = said.lines().find_map(|line| line.strip_prefix("\\connect ")) else {
        return Err(format!("{} is no backup of a database", file.display()));
    };
    let new = "memory_restored";
    let statements = said.lines().filter_map(|line| {
        if let Some(setting) = line.strip_prefix(&format!("ALTER DATABASE {name} SET ")) {
            return Some(format!("ALTER DATABASE {new} SET {setting}\n"));
        }
        let of_database = [format!(" IN DATABASE {name} SET "), format!(" ON DATABASE {name} ")];
        let is_one = (line.starts_with("ALTER ROLE ") && line.contains(&of_database[0]))
            || ((line.starts_with("GRANT ") || line.starts_with("REVOKE ")) && line.contains(&of_database[1]));
        is_one.then(|| line.replacen(&format!("DATABASE {name} "), &format!("DATABASE {new} "), 1) + "\n")
    });
    Ok(statements.collect())
}

/// Makes the roles that have privileges in the backup, from the file next to it. That file has no passwords.
fn make_missing_roles(server: &Server, socket: &Path, file: &Path) -> Result<(), String> {
    let roles = with_suffix(file, ".roles.sql");
    let Ok(said) = std::fs::read_to_string(&roles) else { return Ok(()) };
    let there =
        server.run_sql(socket, "postgres", "SELECT pg_catalog.quote_ident(rolname) FROM pg_catalog.pg_roles;")?;
    let there: Vec<&str> = there.lines().collect();
    // An existing role stays as it is. pg_dumpall writes one statement on each line.
    let missing = said.lines().filter(|line| {
        let role = line.strip_prefix("CREATE ROLE ").or_else(|| line.strip_prefix("ALTER ROLE "));
        role.map_or(line.starts_with("GRANT "), |role| !there.contains(&first_identifier(role)))
    });
    let statements: Vec<&str> = missing.collect();
    server.run_sql(socket, "postgres", &statements.join("\n")).map(drop)
}

/// The identifier at the beginning of a text, quoted as in the text.
fn first_identifier(text: &str) -> &str {
    let end = if text.starts_with('"') {
        // A quote inside is doubled.
        let mut is_within = false;
        text.find(|c| {
            is_within ^= c == '"';
            !is_within && c != '"'
        })
    } else {
        text.find([' ', ';'])
    };
    &text[..end.unwrap_or(text.len())]
}

fn connection(socket: &Path, database: &str) -> Vec<String> {
    vec![
        format!("--host={}", socket.display()),
        "--port=5432".into(),
        format!("--username={ROLE}"),
        format!("--dbname={database}"),
    ]
}

fn socket_of(server: &Server) -> Result<PathBuf, String> {
    server.socket().ok_or_else(|| "the server ended right after its start".to_owned())
}

fn absolute(file: &Path) -> Result<PathBuf, String> {
    std::path::absolute(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Gives a complete file its name. It does not overwrite a file that was made meanwhile: then creating this one fails.
fn take_name(part: &Path, file: &Path) -> Result<(), String> {
    File::open(part).and_then(|file| file.sync_all()).map_err(|error| format!("{}: {error}", part.display()))?;
    new_private_file(file)?;
    std::fs::rename(part, file).map_err(|error| format!("{}: {error}", file.display()))
}

fn new_private_file(file: &Path) -> Result<(), String> {
    use std::os::unix::fs::OpenOptionsExt;
    let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    made.map(drop).map_err(|error| format!("{}: {error}", file.display()))
}

fn seconds_since_1970() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_ends_where_its_quotes_do() {
        for (text, identifier) in [
            ("app;", "app"),
            ("app WITH LOGIN;", "app"),
            ("\"an app\";", "\"an app\""),
            ("\"a \"\"b\"\" c\" WITH", "\"a \"\"b\"\" c\""),
            ("\"\"\"\";", "\"\"\"\""),
            ("app", "app"),
        ] {
            assert_eq!(first_identifier(text), identifier);
        }
    }
}
