//! Text to vector in the server's own process: by a local model, or by an SQL function in a setting.

mod cache;
pub mod embedder;
mod model_file;
