//! Text to vector in the server's own process: a local model, or an SQL function that a setting names.

mod cache;
pub mod embedder;
mod model_file;
