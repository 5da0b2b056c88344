//! Embeddings: what one must be.

pub mod embedding;
