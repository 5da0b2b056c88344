//! Embeddings: what one must be, and how one is written.

pub mod embedding;
pub mod embedding_text;
