//! The program `memory-search`: what stands beside a database with memories. It is a client as any other: it never
//! runs in a backend, and may do what its role may.

#![forbid(unsafe_code)]

mod command_line;
mod database;
mod explore;
mod listening;
mod log;
mod mcp;
mod stopping;

use std::process::ExitCode;

use clap::Parser;

use command_line::{Command, CommandLine};

fn main() -> ExitCode {
    let outcome = match CommandLine::parse().command {
        Command::Mcp(arguments) => mcp::run(arguments),
        Command::Explore(arguments) => explore::run(arguments),
        Command::Search(arguments) => explore::search_in_terminal(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log::line(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
