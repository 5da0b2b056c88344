//! What becomes of every candidate of a search: returned, below the cut, a near duplicate, below a floor.

use std::collections::HashMap;

use crate::Tick;
use crate::error::Result;
use crate::rank::candidate::Candidate;
use crate::rank::near_duplicates::{Duplicate, Embedded, NearDuplicates};
use crate::rank::ranking::{Floor, Ranked, Ranking};

/// Embeddings that are compared with those that stay, before the next are fetched.
const EMBEDDINGS_AT_ONCE: usize = 500;

/// Every candidate of a search with what became of it.
#[derive(Debug, Default)]
pub struct Settled {
    /// Best first: the winners, then whoever is below the cut, duplicates at their ranks.
    pub ranked: Vec<(Ranked, Outcome)>,
    /// Below a floor.
    pub below_floor: Vec<(Candidate, Floor)>,
}

/// What became of a ranked candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It is in the response.
    Returned,
    /// Others were better.
    BelowCut,
    /// A better ranked entry means nearly the same.
    Duplicate {
        /// That entry's id.
        of: String,
        /// Their cosine similarity.
        similarity: f64,
    },
}

impl Settled {
    /// Cuts a ranking at `top_ke` entries, near duplicates above `threshold` left out. `embeddings` gives those of
    /// the entries with these ids that have one.
    pub fn cut(
        ranking: Ranking,
        top_ke: usize,
        threshold: Option<f64>,
        mut embeddings: impl FnMut(&[&str]) -> Result<HashMap<String, Embedded>>,
        tick: Tick<'_>,
    ) -> Result<Settled> {
        let mut outcomes = vec![Outcome::Returned; ranking.ranked.len()];
        if let Some(threshold) = threshold {
            let ids: Vec<&str> = ranking.ranked.iter().map(|ranked| ranked.candidate.id.as_str()).collect();
            let mut near_duplicates = NearDuplicates::above(threshold);
            for (chunk, some) in ids.chunks(EMBEDDINGS_AT_ONCE).enumerate() {
                if near_duplicates.staying() >= top_ke {
                    break;
                }
                let mut embeddings = embeddings(some)?;
                for (rank, id) in (chunk * EMBEDDINGS_AT_ONCE..).zip(some) {
                    if near_duplicates.staying() >= top_ke {
                        break;
                    }
                    tick();
                    if let Some(Duplicate { of, similarity }) = near_duplicates.look(rank, embeddings.remove(*id)) {
                        outcomes[rank] = Outcome::Duplicate { of: ids[of].to_owned(), similarity };
                    }
                }
            }
        }
        for outcome in outcomes.iter_mut().filter(|outcome| **outcome == Outcome::Returned).skip(top_ke) {
            *outcome = Outcome::BelowCut;
        }
        Ok(Settled { ranked: ranking.ranked.into_iter().zip(outcomes).collect(), below_floor: ranking.below_floor })
    }

    /// How many entries are returned.
    pub fn returned(&self) -> usize {
        self.ranked.iter().filter(|(_, outcome)| *outcome == Outcome::Returned).count()
    }

    /// The winners, best first.
    pub fn into_winners(self) -> Vec<Ranked> {
        let returned = self.ranked.into_iter().filter(|(_, outcome)| *outcome == Outcome::Returned);
        returned.map(|(ranked, _)| ranked).collect()
    }
}
