//! A program's use of the server: it runs as long as a program uses it, or `up` keeps it.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

use memory_search_client::database::own_server::OwnServer;
use memory_search_client::log;

use crate::command_line::EmbeddedArguments;
use crate::embedded::data_folder::DataFolder;
use crate::embedded::installation::Installation;
use crate::embedded::server::{AS_ROOT, Server};
use crate::embedded::with_hint;

/// The server, in use until this is dropped. Then it is stopped, unless others use it or it is kept.
pub struct Lease {
    server: Server,
    users: Mutex<Option<File>>,
}

impl Lease {
    /// Starts the server of the arguments, unless it runs. The first start makes its data, which takes some seconds.
    pub fn take(arguments: &EmbeddedArguments) -> Result<Self, String> {
        let server = find(arguments)?;
        server.folder.make()?;
        let starting = server.folder.lock_starting()?;
        server.folder.set("stopped", false)?;
        ensure_running(&server)?;
        let users = server.folder.users()?;
        users.lock_shared().map_err(|error| format!("{}: {error}", server.folder.file("users").display()))?;
        drop(starting);
        Ok(Lease { server, users: Mutex::new(Some(users)) })
    }

    /// The address of the database.
    pub fn url(&self) -> Result<String, String> {
        self.server.url()
    }

    /// The server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    fn release(&self) -> Result<(), String> {
        let Some(users) = self.users.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(());
        };
        let _starting = self.server.folder.lock_starting()?;
        users.unlock().map_err(|error| error.to_string())?;
        if users.try_lock().is_err() || self.server.folder.has("kept") {
            return Ok(());
        }
        let Some(socket) = self.server.socket() else { return Ok(()) };
        // Programs without a lease, such as a user's psql.
        if self.server.lasting_connections(&socket)? > 0 {
            return Ok(());
        }
        self.server.stop()
    }
}

impl OwnServer for Lease {
    fn revive(&self) -> bool {
        let revive = || {
            let _starting = self.server.folder.lock_starting()?;
            if self.server.socket().is_some() || self.server.folder.has("stopped") {
                return Ok(());
            }
            log::line("the server had ended; it is started again");
            ensure_running(&self.server)
        };
        if let Err(why) = revive() {
            log::line(&why);
        }
        self.server.socket().is_some()
    }

    /// Before this is dropped, because tasks that nobody waits for may hold it until the process ends.
    fn end(&self) {
        if let Err(why) = self.release() {
            log::line(&format!("the server was not stopped: {why}"));
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.end();
    }
}

/// The server of the arguments, whether it exists or not.
pub fn find(arguments: &EmbeddedArguments) -> Result<Server, String> {
    let installation = Installation::find(arguments)?;
    if is_root()? {
        return Err(with_hint("memory-search's own PostgreSQL cannot be used by root", AS_ROOT));
    }
    Ok(Server { folder: DataFolder::named(arguments)?, installation })
}

fn is_root() -> Result<bool, String> {
    use std::os::unix::fs::MetadataExt;
    Ok(std::fs::metadata("/proc/self").map_err(|error| format!("/proc/self: {error}"))?.uid() == 0)
}

/// Makes and starts the server if necessary. The caller holds the lock `starting`.
pub fn ensure_running(server: &Server) -> Result<(), String> {
    let runs_already = server.socket().is_some();
    if !runs_already {
        server.make()?;
        server.start()?;
    }
    let socket = server.socket().ok_or("the server ended right after its start")?;
    if runs_already {
        server.wait_until_ready(&socket)?;
    }
    server.prepare(&socket).inspect_err(|_| {
        // No other process would stop a server that was started in vain.
        if !runs_already {
            let _ = server.stop();
        }
    })
}
