//! The folder with the server's data: its files, its owner, and the locks by which programs share it.
//!
//! ```text
//! memory-search/            0700
//!   memory-search.json      marks the folder as ours, with the version that made it
//!   data/                   made by initdb; it has this name only when it is complete
//!   server.conf             settings, rewritten at each start
//!   log                     the server's log; log.old is the one before
//!   run/                    the socket, where its path is short enough
//!   starting                locked while a process starts or stops the server
//!   users                   locked, shared, by each program that uses the server
//!   kept                    there while the server stays without users
//!   stopped                 there from `down` until the next start
//! ```

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use memory_search_client::log;
use serde_json::{Value, json};

use crate::command_line::EmbeddedArguments;
use crate::embedded::with_hint;

/// The version of this layout.
const LAYOUT: u64 = 1;
const MARKER: &str = "memory-search.json";
/// The name of the marker before it is complete: this, and the id of the process that writes it.
const NEW_MARKER: &str = ".memory-search.json.";

/// The most bytes of a socket's path on Linux: sockaddr_un has 108, including the final 0.
const LONGEST_SOCKET_PATH: usize = 107;
/// The name of the socket's lock file, which is longer than the socket's own.
const SOCKET_NAME: &str = "/.s.PGSQL.5432.lock";

/// The most bytes of a log; a longer one is renamed at the next start.
const LONGEST_LOG: u64 = 10 << 20;

/// The folder.
#[derive(Debug, Clone)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// The folder of the arguments, which need not exist yet: [default: $XDG_DATA_HOME/memory-search].
    pub fn named(arguments: &EmbeddedArguments) -> Result<Self, String> {
        let named = match &arguments.data {
            Some(path) if path.as_os_str().is_empty() => return Err("--data must not be empty".to_owned()),
            Some(path) => path.clone(),
            None => default_path()?,
        };
        let path = std::path::absolute(&named).map_err(|error| format!("{}: {error}", named.display()))?;
        // PostgreSQL reads the path from a configuration file and from an address.
        match path.to_str() {
            Some(text) if !text.contains(char::is_control) => Ok(DataFolder { path }),
            _ => Err(format!("the data folder {} must be named in UTF-8, without control characters", path.display())),
        }
    }

    /// Makes the folder if it does not exist. A folder with other contents is refused, and not changed.
    pub fn make(&self) -> Result<(), String> {
        let failed = |error: std::io::Error| self.failed("make", &error);
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path).map_err(failed)?;
        if self.marker()?.is_some() {
            return self.is_ours();
        }
        let found = std::fs::read_dir(&self.path).map_err(failed)?.flatten().map(|found| found.file_name());
        let found: Vec<String> = found.map(|name| name.to_string_lossy().into_owned()).collect();
        // Another program may have initialised it meanwhile, or be about to.
        let foreign =
            found.iter().find(|name| !found.iter().any(|name| name == MARKER) && !name.starts_with(NEW_MARKER));
        if let Some(found) = foreign {
            return Err(with_hint(
                format!("the folder {} is not one of memory-search: it holds {}", self.path.display(), found),
                "Name a new or empty folder with --data.",
            ));
        }
        self.is_ours()?;
        // An existing empty folder may be accessible to others.
        std::fs::set_permissions(&self.path, Permissions::from_mode(0o700)).map_err(failed)?;
        let marker = json!({"layout": LAYOUT, "made_by": env!("CARGO_PKG_VERSION")});
        let new = self.file(&format!("{NEW_MARKER}{}", std::process::id()));
        std::fs::write(&new, format!("{marker}\n")).map_err(failed)?;
        std::fs::rename(new, self.file(MARKER)).map_err(failed)
    }

    /// Whether a data folder of this program exists. One with a later layout, or of another user, is refused.
    pub fn is_there(&self) -> Result<bool, String> {
        if !self.path.exists() || self.marker()?.is_none() {
            return Ok(false);
        }
        self.is_ours()?;
        Ok(true)
    }

    fn marker(&self) -> Result<Option<Value>, String> {
        let text = match std::fs::read_to_string(self.file(MARKER)) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(self.failed("read", &error)),
        };
        let marker: Value = serde_json::from_str(&text).map_err(|error| {
            with_hint(
                format!("{} is damaged: {error}", self.file(MARKER).display()),
                "If data/ beside it is whole, write {\"layout\": 1} into the file.",
            )
        })?;
        match marker["layout"].as_u64() {
            Some(LAYOUT) => Ok(Some(marker)),
            layout => Err(with_hint(
                format!(
                    "the data folder {} has layout {}, and this version of memory-search knows layout {LAYOUT}",
                    self.path.display(),
                    layout.map_or_else(|| marker["layout"].to_string(), |layout| layout.to_string())
                ),
                "Install a newer version of memory-search.",
            )),
        }
    }

    /// PostgreSQL refuses to run as root, and refuses the files of another user.
    fn is_ours(&self) -> Result<(), String> {
        let owner = std::fs::metadata(&self.path).map_err(|error| self.failed("read", &error))?.uid();
        let user = std::fs::metadata("/proc/self").map_err(|error| format!("/proc/self: {error}"))?.uid();
        if owner == user {
            return Ok(());
        }
        Err(with_hint(
            format!("the data folder {} belongs to user {owner}, and this is user {user}", self.path.display()),
            "Name a folder of your own with --data, or become that user.",
        ))
    }

    fn failed(&self, what: &str, error: &std::io::Error) -> String {
        let hint = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "Make room, and try again: nothing was lost.",
            _ => "Name another folder with --data.",
        };
        with_hint(format!("cannot {what} the data folder {}: {error}", self.path.display()), hint)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file or folder in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The folder that initdb makes.
    pub fn data(&self) -> PathBuf {
        self.file("data")
    }

    /// The server's log, after a long one was renamed.
    pub fn log(&self) -> PathBuf {
        let log = self.file("log");
        if std::fs::metadata(&log).is_ok_and(|log| log.len() > LONGEST_LOG) {
            let _ = std::fs::rename(&log, self.file("log.old"));
        }
        log
    }

    /// The folder of the socket, which exists when this returns.
    pub fn socket_folder(&self) -> Result<PathBuf, String> {
        let run = self.file("run");
        // libpq treats a comma as the end of one host.
        let has_comma = run.as_os_str().as_encoded_bytes().contains(&b',');
        let folder = if !has_comma && run.as_os_str().len() + SOCKET_NAME.len() <= LONGEST_SOCKET_PATH {
            run
        } else {
            // The hash of the path, so that two data folders never share a socket folder.
            let hash =
                self.path.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                    (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
                });
            let above = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_dir());
            above.unwrap_or_else(|| PathBuf::from("/tmp")).join(format!("memory-search-{hash:016x}"))
        };
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(format!("cannot make the socket's folder {}: {error}", folder.display()));
            }
            _ => {}
        }
        // In /tmp another user may have made it.
        let found = std::fs::symlink_metadata(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let user = std::fs::metadata(&self.path).map_err(|error| self.failed("read", &error))?.uid();
        if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
            return Ok(folder);
        }
        Err(with_hint(
            format!("the socket's folder {} must be a folder of user {user} alone", folder.display()),
            "Remove it, or name a data folder with a shorter path by --data.",
        ))
    }

    /// Waits until no other process starts or stops the server; the returned file keeps others from it.
    pub fn lock_starting(&self) -> Result<File, String> {
        let file = self.open("starting")?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(self.failed("lock", &error)),
        }
        // A start takes a second or two, but a recovery takes long; without a message the program would seem to hang.
        for tenths in 0_u32.. {
            if tenths == 20 {
                log::line("another memory-search starts or stops the server: waiting for it");
            }
            std::thread::sleep(Duration::from_millis(100));
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(self.failed("lock", &error)),
            }
        }
        Ok(file)
    }

    /// The file on which each user of the server has a shared lock.
    pub fn users(&self) -> Result<File, String> {
        self.open("users")
    }

    fn open(&self, name: &str) -> Result<File, String> {
        // Another user who may open it could lock it.
        let opened = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(self.file(name));
        opened.map_err(|error| self.failed("open", &error))
    }

    /// Whether a flag is set: `kept` or `stopped`.
    pub fn has(&self, flag: &str) -> bool {
        self.file(flag).exists()
    }

    /// Sets or removes a flag.
    pub fn set(&self, flag: &str, is_set: bool) -> Result<(), String> {
        let outcome = if is_set {
            File::create(self.file(flag)).map(drop)
        } else {
            match std::fs::remove_file(self.file(flag)) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        };
        outcome.map_err(|error| self.failed("change", &error))
    }
}

fn default_path() -> Result<PathBuf, String> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    // The XDG Base Directory Specification: a relative path is ignored.
    let above = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    above.map(|above| above.join("memory-search")).ok_or_else(|| {
        with_hint("there is no folder for the data: neither XDG_DATA_HOME nor HOME is set", "Name one with --data.")
    })
}
