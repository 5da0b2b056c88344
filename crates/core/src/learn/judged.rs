//! A question with its candidates and the entries that helped.

use std::collections::HashSet;

use crate::rank::candidate::Candidate;
use crate::rank::choices::Strategy;
use crate::rank::ranking::{self, Basis};
use crate::rank::scoring::{RankingRules, Scoring};

use super::ndcg::{self, DEPTH};

/// A question, all that a search knows of its candidates, and the entries that helped.
#[derive(Debug, Clone)]
pub struct JudgedQuestion {
    /// The text of the question, or of its embedding. Questions of the same words are kept together in cross-validation.
    pub query: String,
    /// The strategy that found the candidates.
    pub strategy: Strategy,
    /// The values that scores depend on, beside the rules.
    pub basis: Basis,
    /// The rules of the search; each ranking replaces their scoring.
    pub rules: RankingRules,
    /// The candidates, with the data for all boosts that can be learned.
    pub candidates: Vec<Candidate>,
    /// The ids of the entries that helped, as the store writes them.
    pub helpful: HashSet<String>,
}

impl JudgedQuestion {
    /// Whether an order of its candidates can be better than another one: some helped, and others did not.
    pub fn can_teach(&self) -> bool {
        let helped = self.candidates.iter().filter(|candidate| self.helpful.contains(&candidate.id)).count();
        helped > 0 && helped < self.candidates.len()
    }

    /// nDCG@10 of its ranking by a scoring.
    pub fn ndcg(&self, scoring: &Scoring) -> f64 {
        let rules = RankingRules { scoring: *scoring, ..self.rules };
        let ranking = ranking::rank(&rules, self.strategy, &self.basis, self.candidates.clone());
        // Two memories may have entries of one id: it helps once, at its best place.
        let mut seen = HashSet::new();
        let best = ranking.ranked.iter().take(DEPTH).map(|ranked| {
            let id = ranked.candidate.id.as_str();
            self.helpful.contains(id) && seen.insert(id)
        });
        ndcg::of(best, self.helpful.len())
    }
}
