//! Models in the server's own process: text to vector by a local model, or by an SQL function in a setting; question and
//! passage to score by a cross-encoder.

mod cache;
pub mod cross_encoder;
pub mod embedder;
mod model_file;
