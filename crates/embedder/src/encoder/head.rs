//! The head of a cross-encoder: from the first token's vector to one number.

use pulp::Arch;

use super::buffer::Aligned;
use super::linear::{Into, Multiplier};
use super::method::By;
use super::panels::LANES;
use super::settings::Settings;
use super::weights::{Linear, Tensors};
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
        // The score first, because it shows a model without a head, or with another one.
        let score = tensors.linear(score, 1, settings.width)?;
        Ok(Self { dense: tensors.linear(dense, settings.width, settings.width)?, score })
    }

    /// The logit of a pair: `score(tanh(dense(first)))`. The first token's vector is in the panel's first lane.
    pub(super) fn logit(&self, arch: Arch, file: &[u8], panel: &[f32]) -> Result<f32, ModelError> {
        let mut pooled = Aligned::zeros(panel.len())?;
        let mut score = Aligned::zeros(LANES)?;
        let mut multiplier = Multiplier { arch, file, by: &mut By::Floats };
        multiplier.linear(&self.dense, panel, &mut pooled, Into::Place, &mut || ())?;
        for number in pooled.iter_mut().step_by(LANES) {
            *number = number.tanh();
        }
        multiplier.linear(&self.score, &pooled, &mut score, Into::Place, &mut || ())?;
        let logit = score[0];
        if logit.is_finite() { Ok(logit) } else { Err(ModelError::NotFinite) }
    }
}
