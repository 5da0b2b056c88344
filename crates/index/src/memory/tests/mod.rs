//! Histories of a few memories, compared with what their rows say.

mod documents;
mod histories;
mod readers;
mod world;
