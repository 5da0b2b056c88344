//! Text to vector: [`EmbeddingModel`] reads a model of either kind.
//!
//! **BERT encoders** with mean pooling ([`TextEncoder`]: all-MiniLM-L6-v2 and its
//! like): a network is evaluated for every text, which takes milliseconds.
//!
//! **Static token embeddings** ([`StaticModel`]): tokenise a text, look up one
//! row of a matrix per token, average the rows, scale the average to length 1.
//! There is no network to evaluate, so an embedding costs microseconds. Two
//! families are read:
//!
//! * **wordllama** (<https://github.com/dleemiller/WordLlama>): tensor
//!   `embedding.weight`; the result is that of
//!   `WordLlama.load(..).embed(texts, norm=True)`. Models saved by
//!   sentence-transformers' `StaticEmbedding` use the same tensor name and the
//!   same arithmetic.
//! * **model2vec** (<https://github.com/MinishLab/model2vec>, semantics of
//!   0.10): tensor `embeddings`, optionally `weights` and `mapping`; the result
//!   is that of `StaticModel.encode(texts)` scaled to length 1, whatever the
//!   model's `normalize` flag says, because callers compare by cosine.
//!
//! The crate is pure: no files, no threads, no clock, no `unsafe`. The caller
//! hands over bytes, usually a memory map of the weights, and only the rows of
//! the tokens at hand, or the layers of an encoder, are ever read from it; nothing
//! of it is copied to the heap.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use memory_search_embedder::StaticModel;
//! let matrix = std::fs::read("model.safetensors")?;
//! let tokenizer = std::fs::read("tokenizer.json")?;
//! let model = StaticModel::load(matrix, &tokenizer, None)?;
//! if let Some(vector) = model.embed("Ada moved to Lisbon in May.")? {
//!     assert_eq!(vector.len(), model.dimensions());
//! }
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bpe;
mod config;
mod element;
mod embedding_model;
mod encoder;
mod error;
mod matrix;
mod model;
mod model_files;
mod tokenizer;
mod tokenizer_json;

pub use embedding_model::EmbeddingModel;
pub use encoder::TextEncoder;
pub use error::ModelError;
pub use matrix::{MAX_DIMENSIONS, ModelFormat};
pub use model::{MAX_TEXT_BYTES, StaticModel};
pub use model_files::ModelFiles;
