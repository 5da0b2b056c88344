//! Text to vector: [`EmbeddingModel`] reads a model of either kind.
//!
//! **BERT encoders** with mean pooling ([`TextEncoder`]: all-MiniLM-L6-v2,
//! multilingual E5 and their like): a network is evaluated for every text, which
//! takes milliseconds. Some want a prompt before each text ([`Prompts`]).
//!
//! **Static token embeddings** ([`StaticModel`]): tokenise a text, look up one
//! row of a matrix per token, average the rows, scale the average to length 1.
//! There is no network to evaluate, so an embedding costs microseconds. Two
//! families are read:
//!
//! * **wordllama** (<https://github.com/dleemiller/WordLlama>): tensor
//!   `embedding.weight`; the result equals that of `WordLlama.load(..).embed(texts, norm=True)`. Models saved by
//!   sentence-transformers' `StaticEmbedding` use the same tensor name and the
//!   same arithmetic.
//! * **model2vec** (<https://github.com/MinishLab/model2vec>, semantics of
//!   0.10): tensor `embeddings`, optionally `weights` and `mapping`; the result equals that of
//!   `StaticModel.encode(texts)`, scaled to length 1 even if the model's `normalize` flag is off, because callers
//!   compare by cosine.
//!
//! **Cross-encoders** ([`CrossEncoder`]) give no vector: they read a question and a
//! passage together, and score the pair.
//!
//! The crate brings no model. The caller hands over bytes, usually a memory map
//! of the weights, and the crate reads from it only the rows of a text's tokens, or the layers of an encoder; it copies
//! none of it to the heap.
//!
//! # Guarantees
//!
//! * **Pure**: no files, no threads, no clock, no network, no `unsafe` of its own. An embedding depends only on the model and the
//!   text; with an encoder the last digits also depend on the processor's instructions.
//! * **A vector has length 1 and finite numbers**, or there is none: a text
//!   without meaning to the model gives `None`, never a vector of zeros.
//! * **A model that cannot be read is refused** at load, in a sentence that
//!   names the file and the fault ([`ModelError`]): a file that is cut, tensors
//!   of other shapes, another kind of network, a tokeniser of another model.
//!   Neither damaged files nor texts panic.
//! * **Bounds**: [`MAX_TEXT_BYTES`] of a text are read, and an encoder reads 512
//!   tokens at most. Vectors have [`MAX_DIMENSIONS`] numbers at most, an encoder
//!   24 layers of 1,024 numbers. So the time of every text is bounded; README.md has figures.
//! * **Memory**: nothing is kept between two calls. If the memory for an encoder's text cannot be allocated, the error
//!   is [`ModelError::OutOfMemory`].
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
#![deny(missing_docs)]

mod config;
mod element;
mod embedding_model;
mod encoder;
mod error;
mod matrix;
mod model;
mod model_files;
mod prompts;
mod tokenizer;

pub use embedding_model::EmbeddingModel;
pub use encoder::{CrossEncoder, Question, Score, TextEncoder};
pub use error::ModelError;
pub use matrix::{MAX_DIMENSIONS, ModelFormat};
pub use model::{MAX_TEXT_BYTES, StaticModel};
pub use model_files::ModelFiles;
pub use prompts::Prompts;

// The examples of README.md are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
