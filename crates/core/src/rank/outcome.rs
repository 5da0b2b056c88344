//! The outcome of every candidate of a search: returned, below the cut, a near duplicate, below a floor.

use crate::Tick;
use crate::error::Result;
use crate::rank::by_entry::EntryKey;
use crate::rank::candidate::Candidate;
use crate::rank::ranking::{Floor, Ranked, Ranking};
use crate::rank::selection::{self, Compared, Outcome, Rules};

/// Every candidate of a search with its outcome.
#[derive(Debug, Default)]
pub struct Settled {
    /// Best first: the winners, then the others below the cut, duplicates at their ranks.
    pub ranked: Vec<(Ranked, Outcome)>,
    /// Below a floor.
    pub below_floor: Vec<(Candidate, Floor)>,
}

impl Settled {
    /// Selects the winners from a ranking, and puts them first.
    pub fn select(ranking: Ranking, rules: Rules<'_>, compared: &mut impl Compared, tick: Tick<'_>) -> Result<Settled> {
        let entries: Vec<EntryKey<'_>> = ranking.ranked.iter().map(|ranked| ranked.candidate.key()).collect();
        let scores: Vec<f64> = ranking.ranked.iter().map(|ranked| ranked.score).collect();
        let (outcomes, returned) = selection::select(rules, &entries, &scores, compared, tick)?;
        let mut all: Vec<Option<(Ranked, Outcome)>> = ranking.ranked.into_iter().zip(outcomes).map(Some).collect();
        let mut ranked = Vec::with_capacity(all.len());
        // The order of the ranking is kept, but where difference decided it.
        if rules.mmr.is_some() {
            ranked.extend(returned.into_iter().filter_map(|rank| all[rank].take()));
        }
        ranked.extend(all.into_iter().flatten());
        Ok(Settled { ranked, below_floor: ranking.below_floor })
    }

    /// The number of returned entries.
    pub fn returned(&self) -> usize {
        self.ranked.iter().filter(|(_, outcome)| *outcome == Outcome::Returned).count()
    }

    /// The winners, best first.
    pub fn into_winners(self) -> Vec<Ranked> {
        let returned = self.ranked.into_iter().filter(|(_, outcome)| *outcome == Outcome::Returned);
        returned.map(|(ranked, _)| ranked).collect()
    }
}
