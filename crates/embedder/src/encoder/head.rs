//! The head of a cross-encoder: from the first token's vector to one number.

use pulp::Arch;

use super::products::{Products, Rows};
use super::settings::Settings;
use super::weights::{Linear, Tensors, numbers};
use crate::ModelError;

/// The tensors of a head for one score: BERT's pooler and classifier, or the two parts of XLM-RoBERTa's classifier.
/// Both compute the same.
#[derive(Debug)]
pub(super) struct Head {
    dense: Linear,
    score: Linear,
}

impl Head {
    /// Finds the tensors and checks their shapes.
    pub(super) fn parse(file: &[u8], settings: &Settings) -> Result<Self, ModelError> {
        let (metadata, data) = Tensors::read(file)?;
        let tensors = Tensors { metadata: &metadata, prefix: "", data };
        let (dense, score) = match settings.padding {
            None => ("bert.pooler.dense", "classifier"),
            Some(_) => ("classifier.dense", "classifier.out_proj"),
        };
        // The score first: by it a model without a head, or with another one, is told.
        let score = tensors.linear(score, 1, settings.width)?;
        Ok(Self { dense: tensors.linear(dense, settings.width, settings.width)?, score })
    }

    /// The logit of a pair: `score(tanh(dense(first)))`.
    pub(super) fn logit(&self, arch: Arch, file: &[u8], first: &[f32]) -> Result<f32, ModelError> {
        let mut pooled = Self::linear(arch, file, &self.dense, first)?;
        for number in &mut pooled {
            *number = number.tanh();
        }
        let logit = Self::linear(arch, file, &self.score, &pooled)?[0];
        if logit.is_finite() { Ok(logit) } else { Err(ModelError::NotFinite) }
    }

    fn linear(arch: Arch, file: &[u8], linear: &Linear, vector: &[f32]) -> Result<Vec<f32>, ModelError> {
        let (matrix, bias) = (numbers(file, &linear.matrix)?, numbers(file, &linear.bias)?);
        let mut out = super::buffer::zeros(bias.len())?;
        arch.dispatch(Products {
            left: Rows::whole(vector, vector.len()),
            right: Rows::whole(&matrix, vector.len()),
            out: &mut out,
            out_stride: bias.len(),
            out_first: 0,
        });
        out.iter_mut().zip(&*bias).for_each(|(number, bias)| *number += bias);
        Ok(out)
    }
}
