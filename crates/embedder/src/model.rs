//! The model: text to unit vector.

use crate::ModelError;
use crate::config::Config;
use crate::matrix::{Matrix, ModelFormat};
use crate::tokenizer::Tokenizer;

/// The bytes that are read of a text: 32 KiB, about 6,500 tokens of English.
///
/// The time of an embedding grows with the text's length. At this size it stays near 10 ms for every kind of text,
/// measured with text without spaces, of spaces
/// only, and of characters that fall back to bytes. Averages over more tokens
/// than this hardly differ from one another anyway.
pub const MAX_TEXT_BYTES: usize = 32 * 1024;

/// A static embedding model over the bytes of its matrix file.
///
/// `B` is usually a memory map; it is kept for the model's life, and only the rows of a text's tokens are read from it.
/// The tokeniser is on the heap
/// (13 MB for wordllama's 32,000 tokens); it holds no cache, so the model does
/// not grow with use. Reading a text of [`MAX_TEXT_BYTES`] takes another 5 MB,
/// which the allocator may keep for the next one.
pub struct StaticModel<B: AsRef<[u8]>> {
    file: B,
    matrix: Matrix,
    tokenizer: Tokenizer,
    /// Characters and tokens that are read of a text; model2vec only.
    limits: Option<Limits>,
}

struct Limits {
    characters: usize,
    tokens: usize,
}

impl<B: AsRef<[u8]>> StaticModel<B> {
    /// Checks the three files of a model and builds its tokeniser.
    ///
    /// * `matrix`: a safetensors file with one of the tensors
    ///   `embedding.weight` (wordllama) and `embeddings` (model2vec), each
    ///   tokens × dimensions, F16, F32, F64 or I8; a model2vec file may add
    ///   `mapping` (a row number per token, I32 or I64) and `weights` (a factor
    ///   per token).
    /// * `tokenizer_json`: a Hugging Face tokenizer.json.
    /// * `config_json`: model2vec's config.json, if there is one. Only
    ///   `max_length` is used; wordllama has no such file, and it is not read.
    ///
    /// # Errors
    /// If a file does not fit this description, if the matrix is empty or wider
    /// than [`MAX_DIMENSIONS`](crate::MAX_DIMENSIONS), or if a model2vec
    /// tokeniser and matrix differ in their number of tokens.
    pub fn load(matrix: B, tokenizer_json: &[u8], config_json: Option<&[u8]>) -> Result<Self, ModelError> {
        let file = matrix;
        let matrix = Matrix::parse(file.as_ref())?;
        let tokenizer = Tokenizer::parse(tokenizer_json)?;
        let mut limits = None;
        if matrix.format == ModelFormat::Model2vec {
            let (tokens, rows) = (tokenizer.size(), matrix.tokens());
            if tokens != rows {
                return Err(ModelError::TokenizerMismatch { tokens, rows });
            }
            limits = Config::parse(config_json)?
                .max_tokens
                .map(|tokens| Limits { characters: tokens.saturating_mul(tokenizer.median_length()), tokens });
        }
        Ok(Self { file, matrix, tokenizer, limits })
    }

    /// Length of the vectors, 1 to [`MAX_DIMENSIONS`](crate::MAX_DIMENSIONS).
    pub fn dimensions(&self) -> usize {
        self.matrix.dimensions
    }

    /// Number of token ids that have a row of the matrix.
    pub fn vocabulary_size(&self) -> usize {
        self.matrix.tokens()
    }

    /// The family the model belongs to.
    pub fn format(&self) -> ModelFormat {
        self.matrix.format
    }

    /// The embedding of a text: `dimensions()` numbers, of length 1.
    ///
    /// `None` when the text has no direction: it is empty, it holds unknown
    /// tokens only, or its rows add up to zero. At most [`MAX_TEXT_BYTES`] of
    /// the text are read, cut before the character that would exceed them; a
    /// model2vec model reads at most `max_length` tokens of that.
    ///
    /// # Errors
    /// If the tokeniser refuses the text (its tokenizer.json lacks the unknown
    /// token it names), or if the matrix file changed or is damaged.
    pub fn embed(&self, text: &str) -> Result<Option<Vec<f32>>, ModelError> {
        let mut text = cut(text, MAX_TEXT_BYTES);
        if let Some(limits) = &self.limits
            && let Some((end, _)) = text.char_indices().nth(limits.characters)
        {
            text = &text[..end];
        }
        let ids = self.tokenizer.ids(text)?;
        let file = self.file.as_ref();
        let mut sum = vec![0.0; self.matrix.dimensions];
        match self.matrix.format {
            ModelFormat::Wordllama => {
                let last = self.matrix.rows - 1;
                for id in ids {
                    let row = (id as usize).min(last);
                    self.matrix.add_token(file, row, &mut sum)?;
                }
            }
            ModelFormat::Model2vec => {
                let tokens = self.limits.as_ref().map_or(usize::MAX, |l| l.tokens);
                for id in ids.into_iter().take(tokens) {
                    if Some(id) != self.tokenizer.unknown {
                        self.matrix.add_token(file, id as usize, &mut sum)?;
                    }
                }
            }
        }
        unit(sum)
    }
}

/// At most `bytes` of a text, ending between two characters.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Scales a vector to length 1; dividing by the number of tokens first, for the
/// mean, would change nothing.
pub(crate) fn unit(mut vector: Vec<f32>) -> Result<Option<Vec<f32>>, ModelError> {
    // Squares of f32 numbers neither overflow nor vanish in f64.
    let square: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    if !square.is_finite() {
        return Err(ModelError::NotFinite);
    }
    if square == 0.0 {
        return Ok(None);
    }
    let norm = square.sqrt();
    for x in &mut vector {
        *x = (f64::from(*x) / norm) as f32;
    }
    Ok(Some(vector))
}
