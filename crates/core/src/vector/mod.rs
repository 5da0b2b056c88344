//! Embeddings: what one must be, and how the nearest are found without reading all of them.

pub mod binary_quantization;
pub mod embedding;
pub mod rescoring;
