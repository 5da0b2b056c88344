//! Conversion of types between SQL values and Rust values.

pub mod array;
pub mod embedding;
mod embedding_array;
mod embedding_message;
pub mod id;
pub mod id_array;
pub mod interval;
pub mod json;
pub mod place;
pub mod relation;
pub mod text;
pub mod text_array;
pub mod timestamp;
pub mod uuid;
pub mod varlena;
pub mod vector;
