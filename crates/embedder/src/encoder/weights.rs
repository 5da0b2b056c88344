//! The places of the tensors of a BERT encoder in its safetensors file.

use std::borrow::Cow;
use std::ops::Range;

use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensors};

use super::settings::Settings;
use crate::ModelError;

/// The tensor by which a file of this family is recognized.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// The prefix of the names of an embedder's tensors; the second in a file of XLM-RoBERTa that was saved with a
/// head, which is not used.
pub(super) const OF_EMBEDDERS: [&str; 2] = ["", "roberta."];

/// The tensors by which a file with a head for scores is recognized.
const OF_SCORES: [&str; 2] = ["classifier.weight", "classifier.out_proj.weight"];

/// A safetensors file starts with the header's length in eight bytes.
const LENGTH_BYTES: usize = 8;

/// One tensor: its bytes in the file.
pub(super) type Tensor = Range<usize>;

/// A matrix (a row for each number of the result) and the bias that is added to the product.
#[derive(Debug)]
pub(super) struct Linear {
    pub(super) matrix: Tensor,
    pub(super) bias: Tensor,
}

/// The factors and summands of a layer normalisation.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) factor: Tensor,
    pub(super) bias: Tensor,
}

/// The tensors of one layer.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    pub(super) attended: Linear,
    pub(super) attended_norm: Norm,
    pub(super) inner: Linear,
    pub(super) outer: Linear,
    pub(super) outer_norm: Norm,
}

/// The tensors of the whole network.
#[derive(Debug)]
pub(super) struct Weights {
    /// Rows of `words`: token ids from 0.
    pub(super) vocabulary: usize,
    /// Rows of `positions`.
    pub(super) positions_known: usize,
    pub(super) words: Tensor,
    pub(super) positions: Tensor,
    /// Rows of `parts`.
    pub(super) parts_known: usize,
    /// A row for each part of a pair of texts; only the first is used of a text alone.
    pub(super) parts: Tensor,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
}

/// Whether a file is of this family; one that is no safetensors file is not.
pub(crate) fn is_encoder(file: &[u8]) -> bool {
    SafeTensors::read_metadata(file).is_ok_and(|(_, metadata)| prefix(&metadata, &OF_EMBEDDERS).is_some())
}

/// Refuses to embed by a network that was trained to score pairs: its means would be meaningless.
pub(crate) fn refuse_cross_encoder(file: &[u8]) -> Result<(), ModelError> {
    let Ok((_, metadata)) = SafeTensors::read_metadata(file) else { return Ok(()) };
    match OF_SCORES.into_iter().find(|name| metadata.info(name).is_some()) {
        Some(tensor) => Err(ModelError::CrossEncoder { tensor }),
        None => Ok(()),
    }
}

/// The prefix of each name of a tensor; `None` if no file of this family has such names.
fn prefix(metadata: &Metadata, known: &[&'static str]) -> Option<&'static str> {
    known.iter().copied().find(|prefix| metadata.info(&format!("{prefix}{WORDS}")).is_some())
}

impl Weights {
    /// Finds every tensor, by its name after one of `prefixes`, and checks its shape, without reading numbers.
    pub(super) fn parse(file: &[u8], settings: &Settings, prefixes: &[&'static str]) -> Result<Self, ModelError> {
        let (metadata, data) = Tensors::read(file)?;
        let prefix = prefix(&metadata, prefixes).or(prefixes.first().copied()).unwrap_or_default();
        let tensors = Tensors { metadata: &metadata, prefix, data };
        let (width, inner) = (settings.width, settings.inner_width);
        let (vocabulary, words) = tensors.table(WORDS, width)?;
        const POSITIONS: &str = "embeddings.position_embeddings.weight";
        let (positions_known, positions) = match settings.positions {
            Some(positions) => (positions, tensors.tensor(POSITIONS, &[positions, width])?),
            None => tensors.table(POSITIONS, width)?,
        };
        let (parts_known, parts) = tensors.table("embeddings.token_type_embeddings.weight", width)?;
        let layer = |layer: usize| {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            Ok(Layer {
                query: tensors.linear(&name("attention.self.query"), width, width)?,
                key: tensors.linear(&name("attention.self.key"), width, width)?,
                value: tensors.linear(&name("attention.self.value"), width, width)?,
                attended: tensors.linear(&name("attention.output.dense"), width, width)?,
                attended_norm: tensors.norm(&name("attention.output.LayerNorm"), width)?,
                inner: tensors.linear(&name("intermediate.dense"), inner, width)?,
                outer: tensors.linear(&name("output.dense"), width, inner)?,
                outer_norm: tensors.norm(&name("output.LayerNorm"), width)?,
            })
        };
        Ok(Self {
            vocabulary,
            positions_known,
            words,
            positions,
            parts_known,
            parts,
            norm: tensors.norm("embeddings.LayerNorm", width)?,
            layers: (0..settings.layers).map(layer).collect::<Result<_, ModelError>>()?,
        })
    }
}

/// The tensors that a file has.
pub(super) struct Tensors<'a> {
    pub(super) metadata: &'a Metadata,
    /// The prefix of each name.
    pub(super) prefix: &'static str,
    /// The beginning of the data in the file.
    pub(super) data: usize,
}

impl Tensors<'_> {
    /// The header of a file, and where its data begin.
    pub(super) fn read(file: &[u8]) -> Result<(Metadata, usize), ModelError> {
        let (header, metadata) = SafeTensors::read_metadata(file)
            .map_err(|error| ModelError::NotSafetensors { problem: error.to_string() })?;
        Ok((metadata, LENGTH_BYTES + header))
    }

    /// A matrix of so many rows and columns, with its bias.
    pub(super) fn linear(&self, name: &str, rows: usize, columns: usize) -> Result<Linear, ModelError> {
        Ok(Linear {
            matrix: self.tensor(&format!("{name}.weight"), &[rows, columns])?,
            bias: self.tensor(&format!("{name}.bias"), &[rows])?,
        })
    }

    fn norm(&self, name: &str, width: usize) -> Result<Norm, ModelError> {
        Ok(Norm {
            factor: self.tensor(&format!("{name}.weight"), &[width])?,
            bias: self.tensor(&format!("{name}.bias"), &[width])?,
        })
    }

    /// A table with any number of rows, at least one.
    fn table(&self, name: &str, columns: usize) -> Result<(usize, Tensor), ModelError> {
        let rows = match self.info(name).map(|info| info.shape.as_slice()) {
            Some(&[rows, _]) if rows > 0 && u32::try_from(rows).is_ok() => rows,
            _ => 1,
        };
        Ok((rows, self.tensor(name, &[rows, columns])?))
    }

    fn info(&self, name: &str) -> Option<&TensorInfo> {
        self.metadata.info(&format!("{}{name}", self.prefix))
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        // `read_metadata` has checked that shape × element size is the tensor's byte range, and that the file contains
        // this range.
        match self.info(name) {
            Some(TensorInfo { dtype: Dtype::F32, shape: found, data_offsets }) if found == shape => {
                Ok(self.data + data_offsets.0..self.data + data_offsets.1)
            }
            info => Err(ModelError::WrongTensor {
                tensor: format!("{}{name}", self.prefix),
                expected: format!("of shape {shape:?} and type F32"),
                found: info.map_or_else(
                    || "missing".to_owned(),
                    |info| format!("of shape {:?} and type {:?}", info.shape, info.dtype),
                ),
            }),
        }
    }
}

/// The numbers of a tensor, in place; copied only if the file's writer or the caller's buffer did not align them.
pub(super) fn numbers<'a>(file: &'a [u8], tensor: &Tensor) -> Result<Cow<'a, [f32]>, ModelError> {
    let bytes = file.get(tensor.clone()).ok_or(ModelError::MatrixShrank)?;
    if cfg!(target_endian = "little")
        && let Ok(numbers) = bytemuck::try_cast_slice(bytes)
    {
        return Ok(Cow::Borrowed(numbers));
    }
    let mut numbers = super::buffer::empty(bytes.len() / 4)?;
    numbers.extend(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
    Ok(Cow::Owned(numbers))
}
