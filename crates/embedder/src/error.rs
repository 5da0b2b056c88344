//! The faults of a model, in sentences for its administrator.

use thiserror::Error;

/// The reason for which a model cannot be loaded or a text cannot be embedded.
///
/// The message names the kind of file, the expected and the actual contents. It never contains text that was to be
/// embedded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The matrix file is not a whole, well-formed safetensors file.
    #[error("the embedding matrix is not a complete safetensors file: {problem}")]
    NotSafetensors {
        /// The parser's problem.
        problem: String,
    },
    /// The matrix file has no tensor under a name of a supported family, or it
    /// has one of each.
    #[error(
        "the embedding matrix file should hold exactly one of the tensors \
         \"embedding.weight\" (wordllama), \"embeddings\" (model2vec) and \
         \"embeddings.word_embeddings.weight\" (BERT); it holds {found}"
    )]
    UnknownFormat {
        /// The tensors of the file, e.g. "a, b and 3 more".
        found: String,
    },
    /// A tensor has the wrong number of axes, a size out of range, or an
    /// element type that is not supported.
    #[error("tensor \"{tensor}\" of the embedding matrix file should be {expected}; it is {found}")]
    WrongTensor {
        /// Name of the tensor.
        tensor: String,
        /// The expected value.
        expected: String,
        /// The value that was found.
        found: String,
    },
    /// tokenizer.json cannot be read.
    #[error("the tokenizer file is not a usable Hugging Face tokenizer.json: {problem}")]
    Tokenizer {
        /// The fault.
        problem: String,
    },
    /// tokenizer.json and the matrix belong to different models.
    #[error(
        "the tokenizer file has {tokens} tokens and the embedding matrix file {rows}; \
         they should have the same number, so they probably belong to different models"
    )]
    TokenizerMismatch {
        /// Tokens in tokenizer.json.
        tokens: usize,
        /// Tokens the matrix file has a row or a mapping entry for.
        rows: usize,
    },
    /// config.json cannot be read.
    #[error("the model's config file is not a usable model2vec config.json: {problem}")]
    Config {
        /// The fault.
        problem: String,
    },
    /// A file with the settings of a transformer is missing, cannot be read, or
    /// describes a network of another kind.
    #[error("the model's {file} cannot be used: {problem}")]
    Settings {
        /// Its name in the model's folder.
        file: &'static str,
        /// The fault.
        problem: String,
    },
    /// A model that scores pairs was loaded as an embedder.
    #[error(
        "it is a cross-encoder, which scores a question with a passage and embeds no text: it has the tensor \"{tensor}\""
    )]
    CrossEncoder {
        /// The tensor that shows it.
        tensor: &'static str,
    },
    /// A cross-encoder whose tokenizer makes pairs of two parts, and whose weights know one.
    #[error(
        "tensor \"bert.embeddings.token_type_embeddings.weight\" should have 2 rows, for question and passage; \
         it has {found}"
    )]
    OnePart {
        /// Rows of the table of parts.
        found: usize,
    },
    /// The model has so few positions or tokens that none is left for a text.
    #[error("the model reads {tokens} tokens, which leaves no text between the two around it; its files are damaged")]
    NoTokens {
        /// Tokens that fit.
        tokens: usize,
    },
    /// A model that may want prompts before its texts does not say which.
    #[error(
        "it may need a prompt before each query and each passage, as E5 does, and no file says so: \
         its folder should have a prompts.json, {{\"query\": \"query: \", \"passage\": \"passage: \"}} for E5, \
         {{\"query\": \"\", \"passage\": \"\"}} for a model that needs none"
    )]
    NoPrompts,
    /// The memory for a text could not be allocated.
    #[error("there is no memory for the {numbers} numbers that embedding this text needs")]
    OutOfMemory {
        /// Numbers of four bytes each.
        numbers: usize,
    },
    /// The tokeniser refused a text, which means that tokenizer.json is
    /// incomplete (for example, it has no entry for unknown words).
    #[error(
        "the model's tokenizer cannot read this text, its tokenizer.json is probably \
         incomplete: {problem}"
    )]
    Tokenising {
        /// The tokeniser's problem.
        problem: String,
    },
    /// The bytes of the matrix are shorter than they were at load.
    #[error(
        "the embedding matrix file became shorter while it was in use; \
         replace model files by renaming, never by overwriting"
    )]
    MatrixShrank,
    /// A row of the matrix holds NaN or infinity, or numbers too large to add.
    #[error(
        "the embedding matrix file holds numbers that are not finite (NaN or infinity) \
         or too large to add up; it is probably damaged"
    )]
    NotFinite,
}
