//! The commands for the server itself: `up`, `down`, `status` and `psql`. Others are in `backup.rs` and `upgrade.rs`.

use std::io::{Read, Write};
use std::process::Command;
use std::time::Duration;

use memory_search_client::log;
use memory_search_client::stopping::{asked_to_stop, expect_signals};
use tokio::signal::unix::{SignalKind, signal};

use crate::command_line::{EmbeddedArguments, UpArguments};
use crate::embedded::configuration::{DATABASE, ROLE};
use crate::embedded::lease::{Lease, find};
use crate::embedded::programs::{command, send};
use crate::embedded::server::Server;
use crate::embedded::with_hint;

pub use crate::embedded::backup::{backup, restore};
pub use crate::embedded::upgrade::upgrade;

/// Starts the server and prints its address. It runs until `down`, or with `--until-eof` as a lease of this program.
pub fn up(arguments: &UpArguments) -> Result<(), String> {
    if arguments.until_eof {
        expect_signals();
    }
    let lease = Lease::take(&arguments.embedded)?;
    let folder = &lease.server().folder;
    let url = lease.url()?;
    if arguments.until_eof {
        print(&url)?;
        return wait_for_end_of_input();
    }
    folder.set("kept", true)?;
    log::line(&format!("the server runs, with its data in {}; memory-search down stops it", folder.path().display()));
    print(&url)
}

/// Stops the server, even if programs use it.
pub fn down(arguments: &EmbeddedArguments) -> Result<(), String> {
    let server = existing(arguments)?;
    let _starting = server.folder.lock_starting()?;
    server.folder.set("kept", false)?;
    // Programs that still use it must not start it again.
    server.folder.set("stopped", true)?;
    if server.socket().is_none() {
        log::line("the server was not running");
        return Ok(());
    }
    server.stop()?;
    log::line(&format!("the server is stopped; its data stays in {}", server.folder.path().display()));
    Ok(())
}

/// Prints the state of the server. An error if it does not run.
pub fn status(arguments: &EmbeddedArguments) -> Result<(), String> {
    let server = existing(arguments)?;
    let path = server.folder.path().display();
    let Some(socket) = server.socket() else {
        return Err(with_hint(
            format!("the server with its data in {path} does not run"),
            "Start it: memory-search up",
        ));
    };
    let said = server.run_sql(&socket, DATABASE, ABOUT)?;
    let said: Vec<&str> = said.trim_end().split('|').collect();
    let [postgres, extension, size, connections] = said[..] else { return Err(format!("the server said {said:?}")) };
    let stays = if server.folder.has("kept") { "until memory-search down" } else { "while programs use it" };
    print(&format!(
        "data         {path}\nlog          {}\nPostgreSQL   {postgres}\nmemory_search {extension}\nsize         \
         {size}\nconnections  {connections}\nstays        {stays}\nDATABASE_URL {}",
        server.folder.file("log").display(),
        server.url()?
    ))
}

const ABOUT: &str = "
SELECT pg_catalog.current_setting('server_version'), e.extversion,
       pg_catalog.pg_size_pretty(pg_catalog.pg_database_size(pg_catalog.current_database())),
       (SELECT count(*) FROM pg_catalog.pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_catalog.pg_backend_pid())
  FROM pg_catalog.pg_extension e WHERE e.extname = 'memory_search';
";

/// Runs psql in the database, with further arguments.
pub fn psql(arguments: &EmbeddedArguments, further: &[String]) -> Result<(), String> {
    expect_signals();
    let lease = Lease::take(arguments)?;
    let server = lease.server();
    let socket = server.socket().ok_or("the server ended right after its start")?;
    let program = server.installation.program("psql");
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let mut psql = command(&program);
    psql.env_remove("LC_ALL")
        .current_dir(here)
        .arg(format!("--host={}", socket.display()))
        .args(["--port=5432", &format!("--username={ROLE}"), &format!("--dbname={DATABASE}")])
        .args(further);
    run_in_terminal("psql", &mut psql)
}

/// The time that a program has to cancel its statement.
const TO_CANCEL: Duration = Duration::from_secs(1);

/// Runs a program that talks to the person itself. A terminal sends Ctrl-C and its own end to both programs: they are
/// for that one, and this one must outlive it. A request to end comes to this program alone, which passes it on.
pub fn run_in_terminal(name: &str, command: &mut Command) -> Result<(), String> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    if *expect_signals().borrow() {
        return Err(format!("stopped before {name} began"));
    }
    let ended = runtime.block_on(async {
        let mut terminated = signal(SignalKind::terminate())?;
        let mut child = command.spawn()?;
        let process = child.id();
        let mut end = tokio::task::spawn_blocking(move || child.wait());
        loop {
            tokio::select! {
                ended = &mut end => return ended?,
                Some(()) = terminated.recv() => {
                    // psql cancels its statement only if it is interrupted: else the statement would go on without it.
                    send("INT", process);
                    if let Ok(ended) = tokio::time::timeout(TO_CANCEL, &mut end).await {
                        return ended?;
                    }
                    send("TERM", process);
                }
            }
        }
    });
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} ended with {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// The server of the arguments, if its data exist already.
pub fn existing(arguments: &EmbeddedArguments) -> Result<Server, String> {
    let server = find(arguments)?;
    if server.folder.is_there()? {
        return Ok(server);
    }
    Err(with_hint(
        format!("there is no data in {}", server.folder.path().display()),
        "Name its folder with --data, or make it: memory-search up",
    ))
}

fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|error| format!("standard output: {error}"))
}

/// Waits until standard input ends, because the program that started this one ended, or until a signal comes.
fn wait_for_end_of_input() -> Result<(), String> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let input = tokio::task::spawn_blocking(|| {
            let mut bytes = [0; 4096];
            while matches!(std::io::stdin().lock().read(&mut bytes), Ok(read) if read > 0) {}
        });
        tokio::select! {
            _ = input => {}
            () = asked_to_stop() => {}
        }
    });
    // A read of standard input cannot be cancelled.
    runtime.shutdown_background();
    Ok(())
}
