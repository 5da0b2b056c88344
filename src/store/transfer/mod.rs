//! A memory as lines of JSON: written from one store, read into another.

pub mod export;
pub mod import;
