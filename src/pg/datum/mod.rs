//! Types at the border: how SQL values become Rust values and back.

pub mod embedding;
pub mod json;
pub mod timestamp;
pub mod varlena;
pub mod vector;
