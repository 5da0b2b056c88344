//! PostgreSQL's programs, run to their end.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use memory_search_client::stopping::expect_signals;

/// A command whose result depends on the caller's environment only by the time zone: libpq's variables would lead it to
/// another server, and another language would change its output.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("PG") || name_text.starts_with("LC_") || name_text == "RUST_BACKTRACE" {
            command.env_remove(&name);
        }
    }
    // In /, because a server must not keep the folder busy in which it was started.
    command.env("LC_ALL", "C.UTF-8").current_dir("/");
    command
}

/// The standard output of a program that succeeds, else the reason of the failure.
pub fn output_of<Argument: AsRef<OsStr>>(program: &Path, arguments: &[Argument]) -> Result<String, String> {
    finished(program, command(program).args(arguments))
}

/// Like [`output_of`], for a command that the caller completed.
pub fn finished(program: &Path, command: &mut Command) -> Result<String, String> {
    said(program, command.stdin(Stdio::null()).output())
}

/// Like [`output_of`], for a program that may take long: it ends when this one is asked to stop, and the caller then
/// removes what is left of it.
pub fn output_unless_stopped<Argument: AsRef<OsStr>>(program: &Path, arguments: &[Argument]) -> Result<String, String> {
    let requested = expect_signals();
    let mut command = command(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    let process = child.id();
    let end = std::thread::spawn(move || child.wait_with_output());
    while !end.is_finished() {
        if *requested.borrow() {
            send("TERM", process);
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = end.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()));
    if *requested.borrow() { Err("stopped before the end".to_owned()) } else { said(program, output) }
}

/// Sends a signal to a process. The standard library can only kill one; every system with PostgreSQL has this shell.
pub fn send(signal: &str, process: u32) {
    let _ = Command::new("/bin/sh").args(["-c", &format!("kill -s {signal} {process}")]).status();
}

/// Like [`output_of`], for a program that reads `input`.
pub fn output_with_input<Argument: AsRef<OsStr>>(
    program: &Path,
    arguments: &[Argument],
    input: &str,
) -> Result<String, String> {
    let run = || {
        let mut child = command(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that ended before it read everything reports the reason on standard error.
            let _ = stdin.write_all(input.as_bytes());
        }
        child.wait_with_output()
    };
    said(program, run())
}

fn said(program: &Path, output: std::io::Result<Output>) -> Result<String, String> {
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    Err(format!(
        "{name} failed: {}",
        if said.trim().is_empty() { output.status.to_string() } else { said.trim().to_owned() }
    ))
}
