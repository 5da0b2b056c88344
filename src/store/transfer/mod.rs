//! A memory as lines of JSON: written from one store, read into another.

mod circles;
pub mod export;
pub mod import;
