//! The network of a BERT encoder: a vector for each token of a text or of a pair of texts.

use pulp::Arch;

use super::batches::{Batch, Group, batches};
use super::buffer::{Aligned, empty};
use super::curves::Normalise;
use super::layer::Work;
use super::panels::{LANES, place_of};
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

/// Gets the number of a text, and panels with the vectors of its tokens.
pub(super) type Found<'a> = dyn FnMut(usize, &[f32]) -> Result<(), ModelError> + 'a;

/// Numbers of vectors that are in memory at once, of several texts: 16 MB.
const MOST_NUMBERS: usize = 1 << 22;

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

    /// Gives `found` the number of each text, in any order, and panels with the vectors of its wanted tokens behind the
    /// last layer. `pause` is called at first, and in and behind each layer.
    pub(super) fn vectors(
        &self,
        texts: &[Vec<Token>],
        wanted: Wanted,
        pause: &mut dyn FnMut(),
        found: &mut Found<'_>,
    ) -> Result<(), ModelError> {
        pause();
        let most_panels = MOST_NUMBERS / (self.settings.width * LANES);
        for batch in batches(texts, most_panels)? {
            self.batch(texts, &batch, wanted, pause, found)?;
        }
        Ok(())
    }

    fn batch(
        &self,
        texts: &[Vec<Token>],
        batch: &Batch,
        wanted: Wanted,
        pause: &mut dyn FnMut(),
        found: &mut Found<'_>,
    ) -> Result<(), ModelError> {
        let groups = &batch.groups;
        let mut vectors = empty(groups.len())?;
        for group in groups {
            vectors.push(self.first_vectors(texts, group)?);
        }
        let panels = groups.iter().map(Group::panels).max().unwrap_or(0);
        let longest = groups.iter().flat_map(|group| &group.places).map(|text| text.tokens).max().unwrap_or(0);
        let mut work = Work::new(batch.method, self.arch, &self.settings, longest, panels, groups.len() > 1)?;
        let last = self.weights.layers.len() - 1;
        for (at, layer) in self.weights.layers.iter().enumerate() {
            let only_first = at == last && wanted == Wanted::First;
            work.begin();
            for (group, vectors) in groups.iter().zip(&mut vectors) {
                work.run(self.arch, self.file.as_ref(), layer, &group.places, only_first, vectors, pause)?;
                pause();
            }
        }
        let panel = LANES * self.settings.width;
        for (group, vectors) in groups.iter().zip(&vectors) {
            let mut left = &vectors[..];
            for (number, text) in group.numbers.iter().zip(&group.places) {
                let panels = if wanted == Wanted::First { 1 } else { text.panels() };
                let (of_text, others) = left.split_at(panels * panel);
                found(*number, of_text)?;
                left = others;
            }
        }
        Ok(())
    }

    /// A vector for each token of a group: the sum for its word, its position and its part of a pair.
    fn first_vectors(&self, texts: &[Vec<Token>], group: &Group) -> Result<Aligned, ModelError> {
        let width = self.settings.width;
        let mut vectors = Aligned::zeros(group.panels() * LANES * width)?;
        for (number, text) in group.numbers.iter().zip(&group.places) {
            self.first_of_text(&texts[*number], &mut vectors[text.first * LANES * width..])?;
        }
        let (file, norm) = (self.file.as_ref(), &self.weights.norm);
        self.arch.dispatch(Normalise {
            numbers: &mut vectors,
            factor: &numbers(file, &norm.factor)?,
            bias: &numbers(file, &norm.bias)?,
            epsilon: self.settings.epsilon,
        });
        Ok(vectors)
    }

    fn first_of_text(&self, tokens: &[Token], vectors: &mut [f32]) -> Result<(), ModelError> {
        let (weights, width) = (&self.weights, self.settings.width);
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
        Ok(())
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
    use crate::encoder::panels::panels_of;

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
        let [all, first] = [Wanted::All, Wanted::First].map(|wanted| {
            let mut vectors = Vec::new();
            let found: &mut Found<'_> = &mut |_, found: &[f32]| {
                vectors.extend_from_slice(found);
                Ok(())
            };
            network.vectors(std::slice::from_ref(&tokens), wanted, &mut || (), found).unwrap();
            vectors
        });
        let width = network.settings.width;
        assert_eq!([all.len(), first.len()], [panels_of(TOKENS), 1].map(|panels| panels * width * LANES));
        for number in 0..width {
            let (all, first) = (all[place_of(width, 0, number)], first[place_of(width, 0, number)]);
            assert!((all - first).abs() < 1e-3, "number {number}: {first} alone, {all} with the others'");
        }
    }

    /// Texts of every method, in an order that mixes them.
    #[test]
    fn a_texts_vectors_are_the_same_alone_and_beside_others() {
        let network = network();
        let texts: Vec<Vec<Token>> = [100, 3, 40, 99, 64, 1, 80, 33, 17, 100, 48]
            .iter()
            .enumerate()
            .map(|(text, &tokens)| {
                (0..tokens).map(|at| Token { id: ((at * at + text) % 151) as u32, part: 0 }).collect()
            })
            .collect();
        for wanted in [Wanted::All, Wanted::First] {
            let vectors = |texts: &[Vec<Token>]| {
                let mut all = vec![Vec::new(); texts.len()];
                let found: &mut Found<'_> = &mut |number, found: &[f32]| {
                    all[number].extend_from_slice(found);
                    Ok(())
                };
                network.vectors(texts, wanted, &mut || (), found).unwrap();
                all
            };
            for (together, text) in vectors(&texts).iter().zip(&texts) {
                let alone = vectors(std::slice::from_ref(text));
                let panels = if wanted == Wanted::First { 1 } else { panels_of(text.len()) };
                assert_eq!(together.len(), panels * network.settings.width * LANES);
                assert_eq!(together, &alone[0], "{} tokens", text.len());
            }
        }
        network.vectors(&[], Wanted::All, &mut || (), &mut |_, _| panic!("there is no text")).unwrap();
    }
}
