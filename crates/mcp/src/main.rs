//! The program `memory-search`: everything that runs outside of a database with memories. It is a client like any
//! other: it never runs in a backend, and has only the privileges of its role.

#![forbid(unsafe_code)]

mod command_line;
mod connecting;
mod embedded;
mod exploring;
mod follow;
mod importing;
mod mcp;
mod metrics;
mod watching;

use std::process::ExitCode;

use clap::Parser;
use memory_search_client::log;

use command_line::{Command, CommandLine};
use embedded::commands;

fn main() -> ExitCode {
    let outcome = match CommandLine::parse().command {
        Command::Mcp(arguments) => mcp::run(arguments),
        Command::Explore(arguments) => exploring::run(arguments),
        Command::Watch(arguments) => watching::run(arguments),
        Command::Search(arguments) => exploring::search_in_terminal(arguments),
        Command::Import(arguments) => importing::run(&arguments),
        Command::Up(arguments) => commands::up(&arguments),
        Command::Down(arguments) => commands::down(&arguments),
        Command::Status(arguments) => commands::status(&arguments),
        Command::Psql(arguments) => commands::psql(&arguments.embedded, &arguments.further),
        Command::Backup(arguments) => commands::backup(&arguments),
        Command::Restore(arguments) => commands::restore(&arguments),
        Command::Upgrade(arguments) => commands::upgrade(&arguments),
        Command::Follow(arguments) => follow::run(arguments),
        Command::Unfollow(arguments) => follow::unfollow(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A hint is on its own line.
            let (first, rest) = error.split_once('\n').unwrap_or((&error, ""));
            log::line(&format!("error: {first}"));
            rest.lines().for_each(log::line);
            ExitCode::FAILURE
        }
    }
}
