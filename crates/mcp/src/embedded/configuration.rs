//! The server's settings, in files of its data folder.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::embedded::data_folder::DataFolder;
use crate::embedded::installation::Installation;
use crate::embedded::programs::output_of;

/// The role that programs log in as, a superuser of this server, and the database with the default store.
pub const ROLE: &str = "memory";
pub const DATABASE: &str = "memory";

/// The arguments of `initdb`. The builtin locale sorts by code points on every machine, so that a copied folder stays
/// valid.
pub const INITDB: [&str; 7] = [
    "--username=memory",
    "--auth=peer",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C.UTF-8",
    "--no-instructions",
];

/// Settings that a person may change later, in `data/postgresql.conf`, at whose end `server.conf` is included.
const OF_A_PERSON: &str = "
# From here on by memory-search.
max_connections = 50
# The extension is loaded once, for all connections, and stays when its files are replaced.
shared_preload_libraries = 'vector,memory_search'
# Processes that wait cost memory, and one person's memories are read from the cache.
io_method = sync
log_line_prefix = '%m [%p] '
# Texts of the memories do not belong into a log.
log_error_verbosity = terse
log_min_error_statement = panic
include '../server.conf'
";

/// Completes the data from initdb: authentication, and the settings.
pub fn complete(data: &Path) -> Result<(), String> {
    let user = output_of(Path::new("id"), &["-un"])?;
    let user = user.trim_end().replace('"', "\"\"");
    // The owner of the folder logs in as any role; no other user can log in.
    replace(&data.join("pg_hba.conf"), "local all all peer map=owner\nlocal replication all peer map=owner\n")?;
    replace(&data.join("pg_ident.conf"), &format!("owner \"{user}\" all\n"))?;
    let settings = data.join("postgresql.conf");
    let made = std::fs::read_to_string(&settings).map_err(|error| format!("{}: {error}", settings.display()))?;
    replace(&settings, &(made + OF_A_PERSON))
}

/// Writes a file so that it is complete even if the machine loses power.
fn replace(path: &Path, text: &str) -> Result<(), String> {
    let write = || {
        let mut file = File::create(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|error: std::io::Error| format!("{}: {error}", path.display()))
}

/// Writes `server.conf`: the folder of the socket, and this installation's folders of the extension.
pub fn write_settings(folder: &DataFolder, installation: &Installation, socket: &Path) -> Result<(), String> {
    let mut lines = vec![
        "# Written by memory-search at each start; settings of yours belong into data/postgresql.conf.".to_owned(),
        "listen_addresses = ''".to_owned(),
        format!("unix_socket_directories = {}", list_item(socket)),
        "unix_socket_permissions = 0700".to_owned(),
        "port = 5432".to_owned(),
    ];
    if let Some(files) = &installation.files {
        lines.push(format!("extension_control_path = {}", quoted(&format!("$system:{}/share", files.display()))));
        lines.push(format!("dynamic_library_path = {}", quoted(&format!("$libdir:{}/lib", files.display()))));
    }
    replace(&folder.file("server.conf"), &(lines.join("\n") + "\n"))
}

/// A string in the syntax of PostgreSQL's configuration files.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// A path in a setting that is a list: quoted, because a comma would begin another item.
fn list_item(path: &Path) -> String {
    quoted(&format!("\"{}\"", path.display().to_string().replace('"', "\"\"")))
}
