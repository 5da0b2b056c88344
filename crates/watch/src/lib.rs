//! The work that a scheduler would otherwise start: embeds waiting rows and purges rows that are due, as one process
//! outside of the database. The program chooses the [`task::Task`], and hands in the connections.

#![forbid(unsafe_code)]

pub mod age;
pub mod batch;
pub mod task;
pub mod watcher;
pub mod work;

mod outage;
mod patience;
mod progress;
mod said;
mod statements;
mod stores;
