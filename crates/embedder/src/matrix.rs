//! The matrix file: the byte ranges of its rows, weights and mapping.

use std::ops::Range;

use safetensors::tensor::TensorInfo;
use safetensors::{Dtype, SafeTensors};

use crate::ModelError;
use crate::element::Element;

/// Largest accepted number of dimensions of a vector (pgvector's limit for the
/// type `vector`).
pub const MAX_DIMENSIONS: usize = 16_000;

/// A safetensors file starts with the header's length in eight bytes
/// (<https://github.com/huggingface/safetensors#format>).
const LENGTH_BYTES: usize = 8;

/// Tensor names shown in an error before the rest is only counted.
const NAMES_SHOWN: usize = 5;

/// The family of a model, recognized by the name of its embedding tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFormat {
    /// Tensor `embedding.weight`: wordllama, or sentence-transformers'
    /// `StaticEmbedding`.
    Wordllama,
    /// Tensor `embeddings`: model2vec.
    Model2vec,
}

impl ModelFormat {
    const fn tensor(self) -> &'static str {
        match self {
            Self::Wordllama => "embedding.weight",
            Self::Model2vec => "embeddings",
        }
    }
}

/// The places of the parts of the matrix file; ranges are in bytes from its start.
#[derive(Debug)]
pub(crate) struct Matrix {
    pub(crate) format: ModelFormat,
    pub(crate) rows: usize,
    pub(crate) dimensions: usize,
    start: usize,
    element: Element,
    /// One weight per token id.
    weights: Option<(Element, Range<usize>)>,
    /// One row number per token id; small, and checked, so it is kept decoded.
    mapping: Option<Vec<u32>>,
}

impl Matrix {
    /// Reads the header and, if there is one, the mapping; no row is touched.
    pub(crate) fn parse(file: &[u8]) -> Result<Self, ModelError> {
        let (header, metadata) =
            SafeTensors::read_metadata(file).map_err(|e| ModelError::NotSafetensors { problem: e.to_string() })?;
        let data = LENGTH_BYTES + header;
        let find = |name| metadata.info(name);
        let wordllama = find(ModelFormat::Wordllama.tensor());
        let model2vec = find(ModelFormat::Model2vec.tensor());
        let (format, info) = match (wordllama, model2vec) {
            (Some(info), None) => (ModelFormat::Wordllama, info),
            (None, Some(info)) => (ModelFormat::Model2vec, info),
            _ => {
                return Err(ModelError::UnknownFormat { found: listed(metadata.offset_keys()) });
            }
        };
        let (rows, dimensions, element) = shape(format.tensor(), info)?;
        let mut matrix =
            Self { format, rows, dimensions, start: data + info.data_offsets.0, element, weights: None, mapping: None };
        if format == ModelFormat::Model2vec {
            if let Some(info) = find("mapping") {
                matrix.mapping = Some(mapping(info, range(info, data), file, rows)?);
            }
            if let Some(info) = find("weights") {
                let element = vector("weights", info, matrix.tokens())?;
                matrix.weights = Some((element, range(info, data)));
            }
        }
        Ok(matrix)
    }

    /// Number of token ids that have a row, directly or through the mapping.
    pub(crate) fn tokens(&self) -> usize {
        self.mapping.as_ref().map_or(self.rows, Vec::len)
    }

    /// Adds the row of a token to `sum` (length `dimensions`), times its weight.
    ///
    /// A token without a row adds nothing.
    ///
    /// # Errors
    /// [`ModelError::MatrixShrank`] if `file` is not the file that was parsed.
    pub(crate) fn add_token(&self, file: &[u8], token: usize, sum: &mut [f32]) -> Result<(), ModelError> {
        let row = match &self.mapping {
            Some(mapping) => mapping.get(token).map_or(self.rows, |&row| row as usize),
            None => token,
        };
        if row >= self.rows {
            return Ok(());
        }
        let weight = match &self.weights {
            Some((element, range)) => element.one(numbers(file, range.start, *element, token, 1)?),
            None => 1.0,
        };
        let first = row * self.dimensions;
        let row = numbers(file, self.start, self.element, first, self.dimensions)?;
        self.element.add_scaled(row, weight, sum);
        Ok(())
    }
}

/// The bytes of `count` numbers after the first `skip` of a tensor.
fn numbers(file: &[u8], start: usize, element: Element, skip: usize, count: usize) -> Result<&[u8], ModelError> {
    let from = start + skip * element.bytes();
    file.get(from..from + count * element.bytes()).ok_or(ModelError::MatrixShrank)
}

fn range(info: &TensorInfo, data: usize) -> Range<usize> {
    data + info.data_offsets.0..data + info.data_offsets.1
}

fn shape(tensor: &'static str, info: &TensorInfo) -> Result<(usize, usize, Element), ModelError> {
    // `read_metadata` has checked that shape × element size is the tensor's byte range, and that the file contains this
    // range.
    match (info.shape.as_slice(), Element::from_dtype(info.dtype)) {
        (&[rows, dimensions @ 1..=MAX_DIMENSIONS], Some(element)) if rows > 0 && u32::try_from(rows).is_ok() => {
            Ok((rows, dimensions, element))
        }
        _ => Err(wrong(
            tensor,
            info,
            format!("a table of at least 1 row and 1 to {MAX_DIMENSIONS} columns of type {}", Element::NAMES),
        )),
    }
}

fn vector(tensor: &'static str, info: &TensorInfo, length: usize) -> Result<Element, ModelError> {
    Element::from_dtype(info.dtype).filter(|_| info.shape == [length]).ok_or_else(|| {
        let expected = format!("a list of {length} numbers of type {}", Element::NAMES);
        wrong(tensor, info, expected)
    })
}

fn mapping(info: &TensorInfo, range: Range<usize>, file: &[u8], rows: usize) -> Result<Vec<u32>, ModelError> {
    let expected = || format!("a list of row numbers from 0 to {} (I32 or I64)", rows - 1);
    let bytes = file.get(range).ok_or(ModelError::MatrixShrank)?;
    let numbers: Vec<i64> = match (info.shape.len(), info.dtype) {
        (1, Dtype::I32) => bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b).into()).collect(),
        (1, Dtype::I64) => bytes.as_chunks().0.iter().map(|b| i64::from_le_bytes(*b)).collect(),
        _ => return Err(wrong("mapping", info, expected())),
    };
    let row = |number: i64| u32::try_from(number).ok().filter(|&n| (n as usize) < rows);
    let checked: Result<Vec<u32>, i64> = numbers.iter().map(|&n| row(n).ok_or(n)).collect();
    checked.map_err(|n| ModelError::WrongTensor {
        tensor: "mapping".to_owned(),
        expected: expected(),
        found: format!("a list with the number {n}"),
    })
}

fn wrong(tensor: &'static str, info: &TensorInfo, expected: String) -> ModelError {
    ModelError::WrongTensor {
        tensor: tensor.to_owned(),
        expected,
        found: format!("of shape {:?} and type {:?}", info.shape, info.dtype),
    }
}

fn listed(names: Vec<String>) -> String {
    let shown: Vec<String> =
        names.iter().take(NAMES_SHOWN).map(|n| format!("{:?}", n.chars().take(60).collect::<String>())).collect();
    match names.len().saturating_sub(NAMES_SHOWN) {
        _ if names.is_empty() => "no tensor at all".to_owned(),
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
