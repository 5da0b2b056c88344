//! Models in the server's own process. A local model, or an SQL function that a setting names, makes vectors of texts.
//! A cross-encoder scores a question and a passage.

mod cache;
pub mod cross_encoder;
pub mod embedder;
mod model_file;
