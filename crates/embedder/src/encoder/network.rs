//! The network of a BERT encoder: a vector for each token of a text or of a pair of texts.

use pulp::Arch;

use super::buffer::Aligned;
use super::curves::Normalise;
use super::layer::Work;
use super::panels::{LANES, panels_of, place_of};
use super::positions::Positions;
use super::settings::Settings;
use super::weights::{Tensor, Weights, numbers};
use crate::ModelError;

/// A token and the part of a pair that it is in: 0, or 1 in the second text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) id: u32,
    pub(super) part: usize,
}

/// The tokens whose vectors the last layer computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    All,
    First,
}

/// A network over the bytes of its safetensors file.
pub(super) struct Network<B: AsRef<[u8]>> {
    pub(super) file: B,
    pub(super) settings: Settings,
    pub(super) weights: Weights,
    /// The widest instructions of this processor.
    pub(super) arch: Arch,
}

impl<B: AsRef<[u8]>> Network<B> {
    /// Finds the tensors, whose names begin with one of `prefixes`. At least `around` + 1 tokens must have a position.
    pub(super) fn parse(
        file: B,
        mut settings: Settings,
        prefixes: &[&'static str],
        around: usize,
    ) -> Result<Self, ModelError> {
        let weights = Weights::parse(file.as_ref(), &settings, prefixes)?;
        settings.tokens = settings.tokens.min(Positions::new(settings.padding).left(weights.positions_known));
        if settings.tokens <= around {
            return Err(ModelError::NoTokens { tokens: settings.tokens });
        }
        Ok(Self { file, settings, weights, arch: Arch::new() })
    }

    /// Panels with the vectors of the wanted tokens behind the last layer. `pause` is called before the first layer, in
    /// each layer, and behind the last.
    pub(super) fn vectors(
        &self,
        tokens: &[Token],
        wanted: Wanted,
        pause: &mut dyn FnMut(),
    ) -> Result<Aligned, ModelError> {
        pause();
        let mut vectors = self.first_vectors(tokens)?;
        let mut work = Work::new(&self.settings, tokens.len())?;
        let last = self.weights.layers.len() - 1;
        for (at, layer) in self.weights.layers.iter().enumerate() {
            let is_short = at == last && wanted == Wanted::First;
            let panels = if is_short { 1 } else { panels_of(tokens.len()) };
            work.run(self.arch, self.file.as_ref(), layer, panels, &mut vectors, pause)?;
            vectors.truncate(panels * LANES * self.settings.width);
            pause();
        }
        Ok(vectors)
    }

    /// A vector for each token: the sum for its word, its position and its part of a pair.
    fn first_vectors(&self, tokens: &[Token]) -> Result<Aligned, ModelError> {
        let (weights, width) = (&self.weights, self.settings.width);
        let mut vectors = Aligned::zeros(panels_of(tokens.len()) * LANES * width)?;
        let mut positions = Positions::new(self.settings.padding);
        for (at, token) in tokens.iter().enumerate() {
            let place = positions.next(token.id);
            let id = token.id as usize;
            if id >= weights.vocabulary {
                let problem = format!("token number {id} has no row among {}", weights.vocabulary);
                return Err(ModelError::Tokenising { problem });
            }
            let (word, place) = (self.row(&weights.words, id)?, self.row(&weights.positions, place)?);
            let part = self.row(&weights.parts, token.part)?;
            for (column, ((word, place), part)) in word.iter().zip(&*place).zip(&*part).enumerate() {
                vectors[place_of(width, at, column)] = word + (place + part);
            }
        }
        self.arch.dispatch(Normalise {
            numbers: &mut vectors,
            factor: &numbers(self.file.as_ref(), &weights.norm.factor)?,
            bias: &numbers(self.file.as_ref(), &weights.norm.bias)?,
            epsilon: self.settings.epsilon,
        });
        Ok(vectors)
    }

    /// A row of a table.
    fn row(&self, table: &Tensor, row: usize) -> Result<std::borrow::Cow<'_, [f32]>, ModelError> {
        let bytes = self.settings.width * size_of::<f32>();
        let start = table.start + row * bytes;
        numbers(self.file.as_ref(), &(start..start + bytes))
    }
}

#[cfg(test)]
mod tests {
    use safetensors::tensor::TensorView;
    use safetensors::{SafeTensors, serialize};

    use super::*;
    use crate::ModelFiles;

    const WEIGHTS: &[u8] = include_bytes!("../../tests/cross_encoder/model.safetensors");
    const CONFIG: &[u8] = include_bytes!("../../tests/cross_encoder/config.json");
    const TOKENS: usize = 100;

    /// The cross-encoder of the tests, whose table of positions is repeated until all tokens have one.
    fn network() -> Network<Vec<u8>> {
        const POSITIONS: &str = "bert.embeddings.position_embeddings.weight";
        let short = SafeTensors::deserialize(WEIGHTS).unwrap();
        let table = short.tensor(POSITIONS).unwrap();
        let (rows, width) = (table.shape()[0], table.shape()[1]);
        let times = TOKENS.div_ceil(rows);
        let positions = table.data().repeat(times);
        let longer = TensorView::new(table.dtype(), vec![rows * times, width], &positions).unwrap();
        let others = short.tensors().into_iter().filter(|(name, _)| name != POSITIONS);
        let file = serialize(others.chain([(POSITIONS.to_owned(), longer)]), None).unwrap();
        let files = ModelFiles { config: Some(CONFIG), ..ModelFiles::default() };
        Network::parse(file, Settings::of_cross_encoder(&files).unwrap(), &["bert."], 3).unwrap()
    }

    /// The last layer then multiplies one panel by f32, with keys and values that integers may have computed.
    #[test]
    fn the_first_tokens_vector_is_the_same_if_no_other_is_wanted() {
        let network = network();
        let tokens: Vec<Token> =
            (0..TOKENS).map(|at| Token { id: (at * at % 151) as u32, part: usize::from(at > 20) }).collect();
        let [all, first] =
            [Wanted::All, Wanted::First].map(|wanted| network.vectors(&tokens, wanted, &mut || ()).unwrap());
        let width = network.settings.width;
        assert_eq!([all.len(), first.len()], [panels_of(TOKENS), 1].map(|panels| panels * width * LANES));
        for number in 0..width {
            let (all, first) = (all[place_of(width, 0, number)], first[place_of(width, 0, number)]);
            assert!((all - first).abs() < 1e-3, "number {number}: {first} alone, {all} with the others'");
        }
    }
}
