//! The server's processes: makes, starts and stops them, and tells whether they run. The caller holds the lock
//! `starting`.

use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memory_search_client::log;

use crate::embedded::configuration::{self, DATABASE, INITDB, ROLE};
use crate::embedded::data_folder::DataFolder;
use crate::embedded::installation::Installation;
use crate::embedded::programs::{command, finished, output_of};
use crate::embedded::with_hint;

/// The name of initdb's folder before it is complete: this, and the id of the process that began it.
const NEW_DATA: &str = "data.new.";

/// A server, which may be running or not.
#[derive(Debug, Clone)]
pub struct Server {
    pub folder: DataFolder,
    pub installation: Installation,
}

impl Server {
    /// The folder of the socket, if the server runs.
    pub fn socket(&self) -> Option<PathBuf> {
        let data = self.folder.data();
        let lines = std::fs::read_to_string(data.join("postmaster.pid")).ok()?;
        let mut lines = lines.lines();
        let process: u32 = lines.next()?.trim().parse().ok()?;
        // The fifth line has the folder of the socket.
        let socket = lines.nth(3).map(str::trim).filter(|socket| !socket.is_empty()).map(PathBuf::from)?;
        self.is_server(process).then_some(socket)
    }

    /// Waits for a server that runs but does not answer yet: one that is recovering, and whose starter has ended.
    pub fn wait_until_ready(&self, socket: &Path) -> Result<(), String> {
        for tenths in 0_u32.. {
            let ready = std::fs::read_to_string(self.folder.data().join("postmaster.pid")).unwrap_or_default();
            // The eighth line has the state of the server.
            let is_ready = ready.lines().nth(7).is_some_and(|state| state.trim() == "ready");
            if is_ready && self.run_sql(socket, "postgres", "SELECT;").is_ok() {
                return Ok(());
            }
            if self.socket().is_none() {
                return Err(format!(
                    "the server ended while it started. Its log: {}",
                    self.folder.file("log").display()
                ));
            }
            if tenths == 20 {
                log::line("the server recovers: waiting for it");
            }
            // A server that is stopping, or that its user broke, would be waited for without an end.
            if tenths > 36_000 {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(format!("the server does not become ready. Its log: {}", self.folder.file("log").display()))
    }

    /// The address for programs.
    pub fn url(&self) -> Result<String, String> {
        let socket = match self.socket() {
            Some(socket) => socket,
            None => self.folder.socket_folder()?,
        };
        Ok(url_of(&socket.display().to_string(), DATABASE))
    }

    /// Makes the data, unless they exist. An interrupted attempt is repeated from the start.
    pub fn make(&self) -> Result<(), String> {
        let (data, new) = (self.folder.data(), self.folder.file(&format!("{NEW_DATA}{}", std::process::id())));
        let version = data.join("PG_VERSION");
        if version.exists() {
            return self.is_of_this_major(&std::fs::read_to_string(version).unwrap_or_default());
        }
        if data.exists() {
            return Err(with_hint(
                format!("{} has no PG_VERSION: it is not whole", data.display()),
                "Restore the folder from a backup, or name another one with --data.",
            ));
        }
        // Left by killed starts. An initdb that still runs does not need its folder any more.
        for left in std::fs::read_dir(self.folder.path()).into_iter().flatten().flatten() {
            if left.file_name().to_string_lossy().starts_with(NEW_DATA) {
                let _ = std::fs::remove_dir_all(left.path());
            }
        }
        log::line(&format!("making the data in {}", self.folder.path().display()));
        let mut arguments: Vec<_> = INITDB.map(String::from).to_vec();
        arguments.push(format!("--pgdata={}", new.display()));
        let made =
            output_of(&self.installation.program("initdb"), &arguments).and_then(|_| configuration::complete(&new));
        if let Err(why) = made {
            let _ = std::fs::remove_dir_all(&new);
            return Err(self.with_advice(&why));
        }
        std::fs::rename(&new, &data).map_err(|error| format!("{}: {error}", data.display()))
    }

    fn is_of_this_major(&self, version: &str) -> Result<(), String> {
        let major = self.installation.major()?;
        if version.trim() == major.to_string() {
            return Ok(());
        }
        Err(with_hint(
            format!(
                "the data folder {} is of PostgreSQL {}, and this memory-search brings PostgreSQL {major}",
                self.folder.path().display(),
                version.trim()
            ),
            "With the version that made it run: memory-search backup FILE. Then with this one: memory-search restore FILE \
             --data NEW_FOLDER.",
        ))
    }

    /// Starts it and waits until it answers, also if it has to recover first.
    pub fn start(&self) -> Result<(), String> {
        let socket = self.folder.socket_folder()?;
        self.remove_stale_files(&socket)?;
        configuration::write_settings(&self.folder, &self.installation, &socket)?;
        let log = self.folder.log();
        // Processes of a killed server end a moment after it, and hold its memory until then.
        for _ in 0..50 {
            let logged = std::fs::metadata(&log).map_or(0, |log| log.len());
            let outcome = self.pg_ctl(&["start", "--silent", "--wait", "--timeout=3600", "--log=log"]);
            let Err(why) = outcome else { return Ok(()) };
            let said = std::fs::read(&log).unwrap_or_default();
            let said = String::from_utf8_lossy(said.get(logged as usize..).unwrap_or_default()).into_owned();
            if !said.contains("is still in use") {
                return Err(self.did_not_start(&why, &said));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(with_hint("processes of a server that was killed do not end", format!("Its log: {}", log.display())))
    }

    fn did_not_start(&self, why: &str, logged: &str) -> String {
        let lines: Vec<&str> = logged.lines().collect();
        let last = lines[lines.len().saturating_sub(6)..].join("\n");
        let log = self.folder.file("log");
        self.with_advice(&format!("the server did not start: {why}\n{last}\nIts log: {}", log.display()))
    }

    /// Runs pg_ctl in the folder: it passes paths to a shell, which would interpret quotes in them.
    fn pg_ctl(&self, arguments: &[&str]) -> Result<String, String> {
        let program = self.installation.program("pg_ctl");
        finished(&program, command(&program).args(arguments).arg("--pgdata=data").current_dir(self.folder.path()))
    }

    /// Removes the files that a killed server left. PostgreSQL takes a process with the same id for the one that wrote
    /// the file, and in a container ids begin anew. A server in another container, whose processes are not visible
    /// here, answers on its socket or holds its lock: then nothing is removed.
    fn remove_stale_files(&self, socket: &Path) -> Result<(), String> {
        let recorded = std::fs::read_to_string(self.folder.data().join("postmaster.pid")).unwrap_or_default();
        let recorded = recorded.lines().nth(4).map(str::trim).filter(|folder| !folder.is_empty()).map(Path::new);
        for folder in [Some(socket), recorded].into_iter().flatten() {
            if UnixStream::connect(folder.join(".s.PGSQL.5432")).is_ok() {
                return Err(with_hint(
                    format!("a server that cannot be seen from here uses the data in {}", self.folder.path().display()),
                    "Stop it where it was started, as in another container: memory-search down.",
                ));
            }
        }
        let lock = socket.join(".s.PGSQL.5432.lock");
        for file in [self.folder.data().join("postmaster.pid"), lock] {
            let Ok(lines) = std::fs::read_to_string(&file) else { continue };
            let process = lines.lines().next().and_then(|line| line.trim().trim_start_matches('-').parse().ok());
            if process.is_some_and(|process: u32| !self.is_server(process)) {
                let _ = std::fs::remove_file(file);
            }
        }
        Ok(())
    }

    /// Whether a process is the server of these data: its working directory is their folder. That is not so for another
    /// program, or for a process that ended and has not been waited for.
    fn is_server(&self, process: u32) -> bool {
        // By device and inode, because one folder may have several paths.
        match (std::fs::metadata(format!("/proc/{process}/cwd")), std::fs::metadata(self.folder.data())) {
            (Ok(works_in), Ok(data)) => (works_in.dev(), works_in.ino()) == (data.dev(), data.ino()),
            _ => false,
        }
    }

    /// Stops it: open transactions are rolled back.
    pub fn stop(&self) -> Result<(), String> {
        let stop = |mode, timeout| self.pg_ctl(&["stop", "--silent", "--wait", mode, timeout]).map(drop);
        // In the middle of a recovery PostgreSQL 18 may not end by itself; after an immediate stop, the next start
        // recovers as after a crash.
        stop("--mode=fast", "--timeout=60").or_else(|_| stop("--mode=immediate", "--timeout=60"))
    }

    fn with_advice(&self, why: &str) -> String {
        let is_any = |words: &[&str]| words.iter().any(|word| why.contains(word));
        if is_any(&["No space left", "Disk quota"]) {
            let place = self.folder.path().display();
            return with_hint(why, format!("Make room on the disk of {place}, and try again: nothing was lost."));
        }
        if is_any(&["cannot be run as root", "root\" execution"]) {
            return with_hint(why, AS_ROOT);
        }
        if is_any(&["could not look up effective user", "could not look up local user", "cannot find name for user"]) {
            return with_hint(why, "The user must have a name: add it to /etc/passwd.");
        }
        why.to_owned()
    }
}

/// Advice for root.
pub const AS_ROOT: &str = "PostgreSQL does not run as root. Become an ordinary user, as by: runuser -u NAME -- \
                           memory-search ...; or name the database of another server in DATABASE_URL.";

/// The address of a database by a socket, with percent-encoding where an address needs it.
pub fn url_of(socket_folder: &str, database: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const KEPT: AsciiSet = NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    let socket_folder = utf8_percent_encode(socket_folder, &KEPT);
    // With the port, because libpq would otherwise take it from PGPORT.
    format!("postgresql://{ROLE}@/{database}?host={socket_folder}&port=5432")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_any_folder() {
        assert_eq!(
            url_of("/home/me/a b/run", "memory"),
            "postgresql://memory@/memory?host=/home/me/a%20b/run&port=5432"
        );
        let config: tokio_postgres::Config = url_of("/home/mé?&#%/run", "memory").parse().unwrap();
        let [tokio_postgres::config::Host::Unix(path)] = config.get_hosts() else { panic!("{config:?}") };
        assert_eq!(path.to_str(), Some("/home/mé?&#%/run"));
        assert_eq!((config.get_user(), config.get_dbname()), (Some("memory"), Some("memory")));
    }
}
