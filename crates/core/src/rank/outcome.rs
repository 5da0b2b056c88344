//! The outcome of every candidate of a search: returned, below the cut, a near duplicate, below a floor.

use crate::Tick;
use crate::error::Result;
use crate::rank::by_entry::EntryKey;
use crate::rank::candidate::Candidate;
use crate::rank::ranking::{Floor, Ranked, Ranking};
use crate::rank::selection::{self, Compared, InOrder, Outcome, Rules, Selected};

/// Every candidate of a search with its outcome.
#[derive(Debug, Default)]
pub struct Settled {
    /// Best first: the winners, then the others below the cut, duplicates at their ranks.
    pub ranked: Vec<(Ranked, Outcome)>,
    /// Below a floor.
    pub below_floor: Vec<(Candidate, Floor)>,
    /// The number of entries that there were to choose from.
    pub eligible: usize,
}

/// The choice that a selection had.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    ranked: usize,
    eligible: usize,
}

impl Settled {
    /// Selects the winners from a ranking, and puts them first.
    pub fn select(ranking: Ranking, rules: Rules<'_>, compared: &mut impl Compared, tick: Tick<'_>) -> Result<Settled> {
        let entries: Vec<EntryKey<'_>> = ranking.ranked.iter().map(|ranked| ranked.candidate.key()).collect();
        let scores: Vec<f64> = ranking.ranked.iter().map(|ranked| ranked.score).collect();
        let in_order = InOrder { entries: &entries, scores: &scores, before_others: ranking.reranked };
        let Selected { outcomes, returned, eligible } = selection::select(rules, in_order, compared, tick)?;
        let mut all: Vec<Option<(Ranked, Outcome)>> = ranking.ranked.into_iter().zip(outcomes).map(Some).collect();
        let mut ranked = Vec::with_capacity(all.len());
        // The order of the ranking is kept, but where difference decided it.
        if rules.mmr.is_some() {
            ranked.extend(returned.into_iter().filter_map(|rank| all[rank].take()));
        }
        ranked.extend(all.into_iter().flatten());
        Ok(Settled { ranked, below_floor: ranking.below_floor, eligible })
    }

    /// The entries to choose from.
    pub fn reach(&self) -> Reach {
        Reach { ranked: self.ranked.len(), eligible: self.eligible }
    }

    /// Whether full groups and near duplicates left the selection fewer entries than the rules choose from, and more
    /// candidates may give it some. `before`: what the selection from fewer candidates had; if that was no less, still
    /// more candidates are not worth their time: they are below a floor, or the memory has no further groups. Entries
    /// below a floor are not replaced.
    pub fn needs_more(&self, rules: Rules<'_>, before: Option<Reach>) -> bool {
        let passed_over =
            |ranked: &(Ranked, Outcome)| matches!(ranked.1, Outcome::Duplicate { .. } | Outcome::OfFullGroup { .. });
        let has_gained = |before: Reach| match self.returned() < rules.top_ke {
            true => self.ranked.len() > before.ranked,
            false => self.eligible > before.eligible,
        };
        self.eligible < rules.pool() && self.ranked.iter().any(passed_over) && before.is_none_or(has_gained)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::condition::TextField;
    use crate::rank::by_entry::ByEntry;
    use crate::rank::group::{AtMost, GroupKey};
    use crate::rank::near_duplicates::Embedded;
    use crate::rank::ranking::{self, Basis};
    use crate::rank::selection::GroupValues;
    use crate::request::presets;

    /// Each tenth entry has a user of its own, all others have one user.
    struct OfUsers;

    impl Compared for OfUsers {
        fn embeddings(&mut self, _: &[EntryKey<'_>]) -> Result<ByEntry<Embedded>> {
            Ok(ByEntry::default())
        }

        fn groups(&mut self, entries: &[EntryKey<'_>]) -> Result<GroupValues> {
            let mut found = ByEntry::default();
            for entry in entries {
                let user = if entry.id.ends_with('0') { entry.id } else { "ana" };
                found.insert(entry.memory, entry.id.to_owned(), vec![Some(user.to_owned())]);
            }
            Ok(found)
        }
    }

    #[test]
    fn more_candidates_are_taken_only_while_they_replace_what_was_passed_over() {
        let at_most = [AtMost { name: "userId".into(), key: GroupKey::Column(TextField::UserId), most: 1 }];
        let settled = |candidates: usize, rules: Rules<'_>| {
            let all = (0..candidates).map(|n| Candidate { id: format!("{n:03}"), ..Candidate::default() });
            let ranking = ranking::rank_recent(&presets::context_ranking(), &Basis::default(), all.collect());
            Settled::select(ranking, rules, &mut OfUsers, &|| ()).unwrap()
        };
        let plain = Rules { top_ke: 5, candidates: 75, dedup_threshold: None, mmr: None, at_most: &[] };
        let grouped = Rules { at_most: &at_most, ..plain };
        let few = settled(10, grouped);
        assert_eq!((few.returned(), few.eligible), (2, 2));
        assert!(few.needs_more(grouped, None));
        // There were more entries, and then there were no more.
        assert!(settled(20, grouped).needs_more(grouped, Some(few.reach())));
        assert!(!settled(10, grouped).needs_more(grouped, Some(few.reach())));
        // Nothing was passed over: all others are below a floor.
        assert!(!settled(3, plain).needs_more(plain, None));
        assert!(!settled(40, grouped).needs_more(grouped, Some(few.reach())), "the answer is full");
        // The answer is full, but the choice is not: as long as more candidates make it larger.
        let diverse = Rules { top_ke: 3, mmr: Some(0.5), ..grouped };
        let full = settled(25, diverse);
        assert_eq!((full.returned(), full.eligible), (3, 4));
        assert!(full.needs_more(diverse, None));
        assert!(settled(40, diverse).needs_more(diverse, Some(full.reach())));
        assert!(!settled(29, diverse).needs_more(diverse, Some(full.reach())));
    }
}
