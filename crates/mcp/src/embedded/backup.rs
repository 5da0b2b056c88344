//! A backup is a file of pg_dump: any PostgreSQL with the extension can read it, also a larger server of another version.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::command_line::{BackupArguments, RestoreArguments};
use crate::embedded::configuration::{DATABASE, ROLE};
use crate::embedded::lease::Lease;
use crate::embedded::programs::output_of;
use crate::embedded::server::Server;
use crate::embedded::with_hint;
use crate::log;

/// Roles that a server has by itself are not in a backup.
const OTHER_ROLES: &str = "
SELECT count(*) FROM pg_catalog.pg_roles WHERE rolname NOT LIKE 'pg\\_%' AND rolname <> 'memory';
";

/// Writes the database to a file that is not there yet. The file has its name only when it is whole.
pub fn backup(arguments: &BackupArguments) -> Result<(), String> {
    let file = absolute(&arguments.file)?;
    if file.exists() {
        return Err(with_hint(format!("{} is there already", file.display()), "Name a new file."));
    }
    let lease = Lease::take(&arguments.embedded)?;
    let (server, socket) = (lease.server(), socket_of(lease.server())?);
    let part = with_suffix(&file, ".part");
    let write = || {
        // Rights of a readable file would show it to all users of the machine.
        new_private_file(&part)?;
        let mut dump = connection(&socket, DATABASE);
        dump.extend(["--format=custom".into(), format!("--file={}", part.display())]);
        output_of(&server.installation.program("pg_dump"), &dump)?;
        File::open(&part).and_then(|file| file.sync_all()).map_err(|error| format!("{}: {error}", part.display()))?;
        // Never over a file that came in the meantime.
        std::fs::hard_link(&part, &file).map_err(|error| format!("{}: {error}", file.display()))
    };
    let outcome = write();
    let _ = std::fs::remove_file(&part);
    outcome?;
    if server.run_sql(&socket, DATABASE, OTHER_ROLES)?.trim() != "0" {
        let roles = with_suffix(&file, ".roles.sql");
        new_private_file(&roles)?;
        let mut dump = connection(&socket, DATABASE);
        dump.retain(|argument| !argument.starts_with("--dbname="));
        dump.extend(["--roles-only".into(), "--no-role-passwords".into(), format!("--file={}", roles.display())]);
        output_of(&server.installation.program("pg_dumpall"), &dump)?;
        log::line(&format!("roles of the server are in {}, without passwords", roles.display()));
    }
    log::line(&format!("the memories are in {}", file.display()));
    Ok(())
}

/// Reads a backup into a database of its own, which takes the place of the one that is there. That one stays under
/// another name, unless it is empty.
pub fn restore(arguments: &RestoreArguments) -> Result<(), String> {
    let file = absolute(&arguments.file)?;
    File::open(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lease = Lease::take(&arguments.embedded)?;
    let (server, socket) = (lease.server(), socket_of(lease.server())?);
    // Before anything is changed: is it a backup, and of a version that these files know?
    let settings = database_settings(server, &file)?;
    make_missing_roles(server, &socket, &file)?;

    let others = server.lasting_connections(&socket)?;
    if others > 0 {
        return Err(with_hint(
            format!("other programs use the server, by {others} connections"),
            "End the programs that use it, and restore again.",
        ));
    }
    let admin = |statements: &str| server.run_sql(&socket, "postgres", statements);
    admin("DROP DATABASE IF EXISTS memory_restored;\nCREATE DATABASE memory_restored;")?;
    let mut read = connection(&socket, "memory_restored");
    read.extend(["--exit-on-error".into(), "--no-password".into(), file.display().to_string()]);
    let restored =
        output_of(&server.installation.program("pg_restore"), &read)
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

/// Renames both databases in one transaction. The name of the old one, where it is kept.
fn take_its_place(server: &Server, socket: &Path) -> Result<Option<String>, String> {
    let is_empty = server.run_sql(
        socket,
        DATABASE,
        "SELECT pg_catalog.to_regclass('memory.entries') IS NOT NULL AS has_store \\gset
         SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                             WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
                               AND n.nspname <> 'memory') AS is_alone \\gset
         \\if :has_store
           SELECT :'is_alone' = 't' AND NOT EXISTS (SELECT FROM memory.entries)
              AND NOT EXISTS (SELECT FROM memory.contexts);
         \\else
           SELECT false;
         \\endif",
    )?;
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
    if is_empty.trim() == "t" {
        server.run_sql(socket, "postgres", &format!("DROP DATABASE {name};"))?;
        return Ok(None);
    }
    Ok(Some(name))
}

/// What the backup says of its database beside what is in it: `ALTER DATABASE ... SET`, with the new one's name.
fn database_settings(server: &Server, file: &Path) -> Result<String, String> {
    let list = ["--create".to_owned(), "--schema-only".to_owned(), "--file=-".to_owned(), file.display().to_string()];
    let said = output_of(&server.installation.program("pg_restore"), &list).map_err(|why| {
        with_hint(format!("{} is no backup: {why}", file.display()), "Name a file of memory-search backup.")
    })?;
    let Some(name) = said.lines().find_map(|line| line.strip_prefix("\\connect ")) else {
        return Err(format!("{} is no backup of a database", file.display()));
    };
    let begin = format!("ALTER DATABASE {name} SET ");
    let settings = said.lines().filter_map(|line| line.strip_prefix(&begin));
    Ok(settings.map(|setting| format!("ALTER DATABASE memory_restored SET {setting}\n")).collect())
}

/// Roles that the backup grants rights to, from the file beside it. Passwords are not in it.
fn make_missing_roles(server: &Server, socket: &Path, file: &Path) -> Result<(), String> {
    let roles = with_suffix(file, ".roles.sql");
    let Ok(said) = std::fs::read_to_string(&roles) else { return Ok(()) };
    let there =
        server.run_sql(socket, "postgres", "SELECT pg_catalog.quote_ident(rolname) FROM pg_catalog.pg_roles;")?;
    let there: Vec<&str> = there.lines().collect();
    // A role that is there stays as it is. pg_dumpall writes a statement a line.
    let missing = said.lines().filter(|line| {
        let role = line.strip_prefix("CREATE ROLE ").or_else(|| line.strip_prefix("ALTER ROLE "));
        role.map_or(line.starts_with("GRANT "), |role| !there.contains(&first_identifier(role)))
    });
    let statements: Vec<&str> = missing.collect();
    server.run_sql(socket, "postgres", &statements.join("\n")).map(drop)
}

/// The identifier with which a text begins, as it is quoted there.
fn first_identifier(text: &str) -> &str {
    let end = if text.starts_with('"') {
        // A quote within is doubled.
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

fn new_private_file(file: &Path) -> Result<(), String> {
    use std::os::unix::fs::OpenOptionsExt;
    let made = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file);
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
