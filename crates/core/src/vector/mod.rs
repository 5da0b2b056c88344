//! Embeddings: their checks, and their notations.

pub mod embedding;
pub mod embedding_text;
