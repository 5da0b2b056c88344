//! `memory-search import`: the importers of the Python package, with the database that this program would use.

use std::process::Command;

use memory_search_client::stopping::expect_signals;

use crate::command_line::ImportArguments;
use crate::embedded::commands::run_in_terminal;
use crate::embedded::{Lease, with_hint};

/// Runs `memory-search-import`, which is next to this program if both were installed together.
pub fn run(arguments: &ImportArguments) -> Result<(), String> {
    expect_signals();
    let (database, _lease) = match arguments.database.named() {
        Some(database) => (database.to_owned(), None),
        None => {
            let lease = Lease::take(&arguments.database.embedded)?;
            (lease.url()?, Some(lease))
        }
    };
    let beside = std::env::current_exe().ok().and_then(|program| program.canonicalize().ok());
    let beside =
        beside.map(|program| program.with_file_name("memory-search-import")).filter(|program| program.exists());
    let program = beside.unwrap_or_else(|| "memory-search-import".into());
    let mut command = Command::new(&program);
    command.args(&arguments.further).env("DATABASE_URL", database);
    run_in_terminal("memory-search-import", &mut command).map_err(|why| {
        with_hint(why, "memory-search import --help; the importers come with pip install 'memory-search[server]'")
    })
}
