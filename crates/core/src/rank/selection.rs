//! Selects the ranked entries of an answer: the best, or the best that differ from each other.
//!
//! Without `mmr` entries are taken from the best on, without near duplicates and members of full groups. With it the
//! next entry is always the one with the greatest `mmr * score - (1 - mmr) * similarity`, where similarity is the
//! greatest cosine to those already taken, at least 0 (maximal marginal relevance: Carbonell and Goldstein, SIGIR
//! 1998).

use crate::Tick;
use crate::bounds_and_defaults;
use crate::error::Result;
use crate::rank::by_entry::{ByEntry, EntryKey};
use crate::rank::group::{AtMost, Groups};
use crate::rank::near_duplicates::{Duplicate, Embedded, NearDuplicates, similarity};

/// The number of embeddings or groups to fetch at once.
const FETCHED_AT_ONCE: usize = 500;

/// The options of a selection.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The number of wanted entries.
    pub top_ke: usize,
    /// Entries more similar than this to a better one are dropped.
    pub dedup_threshold: Option<f64>,
    /// The weight of score against difference.
    pub mmr: Option<f64>,
    /// The most entries of a group.
    pub at_most: &'a [AtMost],
}

impl Rules<'_> {
    /// Whether the selection may pass over better entries.
    pub fn passes_over(&self) -> bool {
        self.dedup_threshold.is_some() || self.mmr.is_some() || !self.at_most.is_empty()
    }

    /// The number of best entries from which `mmr` chooses: enough for a choice, and few enough to compare each with
    /// all others.
    fn pool(&self, ranked: usize) -> usize {
        (bounds_and_defaults::MMR_POOL_FACTOR * self.top_ke)
            .clamp(bounds_and_defaults::LEAST_MMR_POOL, bounds_and_defaults::MOST_MMR_POOL)
            .max(self.top_ke)
            .min(ranked)
    }
}

/// The outcome of a ranked candidate.
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
    /// Better ranked entries have all places of its group.
    OfFullGroup {
        /// The grouping.
        name: String,
        /// The number of places.
        most: usize,
    },
    /// Its score is high enough, but it is more similar to the returned entries than others are.
    LessDifferent {
        /// The id of the most similar one.
        of: String,
        /// Their cosine similarity.
        similarity: f64,
    },
}

/// Values of entries: one for each of `at_most`.
pub type GroupValues = ByEntry<Vec<Option<String>>>;

/// Fetches the values that a selection compares.
pub trait Compared {
    /// The embeddings of those of the entries that have one.
    fn embeddings(&mut self, entries: &[EntryKey<'_>]) -> Result<ByEntry<Embedded>>;
    /// The values by which they are grouped.
    fn groups(&mut self, entries: &[EntryKey<'_>]) -> Result<GroupValues>;
}

/// The outcome of each of the ranked `entries`, and the ranks of the returned ones in their order.
pub fn select(
    rules: Rules<'_>,
    entries: &[EntryKey<'_>],
    scores: &[f64],
    compared: &mut impl Compared,
    tick: Tick<'_>,
) -> Result<(Vec<Outcome>, Vec<usize>)> {
    match rules.mmr {
        Some(share) => by_marginal_relevance(rules, share, entries, scores, compared, tick),
        None => from_the_best_on(rules, entries, compared, tick),
    }
}

fn from_the_best_on(
    rules: Rules<'_>,
    entries: &[EntryKey<'_>],
    compared: &mut impl Compared,
    tick: Tick<'_>,
) -> Result<(Vec<Outcome>, Vec<usize>)> {
    let mut outcomes = vec![Outcome::BelowCut; entries.len()];
    let mut returned = Vec::new();
    let mut near_duplicates = rules.dedup_threshold.map(NearDuplicates::above);
    let mut groups = Groups::new(rules.at_most);
    'all: for (chunk, some) in entries.chunks(FETCHED_AT_ONCE).enumerate() {
        if returned.len() >= rules.top_ke {
            break;
        }
        let mut embeddings = if near_duplicates.is_some() { compared.embeddings(some)? } else { ByEntry::default() };
        let mut values = if rules.at_most.is_empty() { ByEntry::default() } else { compared.groups(some)? };
        for (rank, &entry) in (chunk * FETCHED_AT_ONCE..).zip(some) {
            if returned.len() >= rules.top_ke {
                break 'all;
            }
            tick();
            let values = values.remove(entry).unwrap_or_default();
            // An entry rejected by a full group must not mark later entries as duplicates of it.
            if let Some(full) = groups.full(&values) {
                outcomes[rank] = Outcome::OfFullGroup { name: full.name.clone(), most: full.most };
                continue;
            }
            let twin = near_duplicates.as_mut().and_then(|near| near.look(rank, embeddings.remove(entry)));
            if let Some(Duplicate { of, similarity }) = twin {
                outcomes[rank] = Outcome::Duplicate { of: entries[of].id.to_owned(), similarity };
                continue;
            }
            groups.take(values);
            outcomes[rank] = Outcome::Returned;
            returned.push(rank);
        }
    }
    Ok((outcomes, returned))
}

fn by_marginal_relevance(
    rules: Rules<'_>,
    share: f64,
    entries: &[EntryKey<'_>],
    scores: &[f64],
    compared: &mut impl Compared,
    tick: Tick<'_>,
) -> Result<(Vec<Outcome>, Vec<usize>)> {
    let pool = &entries[..rules.pool(entries.len())];
    let embeddings = compared.embeddings(pool)?;
    let values = if rules.at_most.is_empty() { ByEntry::default() } else { compared.groups(pool)? };
    let mut outcomes = vec![Outcome::BelowCut; entries.len()];
    let (mut returned, mut groups): (Vec<usize>, _) = (Vec::new(), Groups::new(rules.at_most));
    // For each entry, the most similar one of those taken, and their similarity; none at first.
    let mut nearest: Vec<Option<(usize, f64)>> = vec![None; pool.len()];
    let mut open: Vec<usize> = (0..pool.len()).collect();
    let of = |rank: usize| values.get(pool[rank]).cloned().unwrap_or_default();
    while returned.len() < rules.top_ke {
        tick();
        open.retain(|&rank| {
            if let Some(full) = groups.full(&of(rank)) {
                outcomes[rank] = Outcome::OfFullGroup { name: full.name.clone(), most: full.most };
                return false;
            }
            match (nearest[rank], rules.dedup_threshold) {
                (Some((twin, similarity)), Some(threshold)) if similarity > threshold => {
                    outcomes[rank] = Outcome::Duplicate { of: entries[twin].id.to_owned(), similarity };
                    false
                }
                _ => true,
            }
        });
        let gain = |rank: usize| {
            let likeness = nearest[rank].map_or(0.0, |(_, similarity)| similarity.max(0.0));
            share * scores[rank] - (1.0 - share) * likeness
        };
        // The better ranked of two entries with equal gains is taken.
        let Some(best) = open.iter().copied().reduce(|best, rank| if gain(rank) > gain(best) { rank } else { best })
        else {
            break;
        };
        open.retain(|&rank| rank != best);
        outcomes[best] = Outcome::Returned;
        groups.take(of(best));
        returned.push(best);
        for &rank in &open {
            let (Some(this), Some(taken)) = (embeddings.get(pool[rank]), embeddings.get(pool[best])) else { continue };
            if let Some(likeness) = similarity(this, taken)
                && nearest[rank].is_none_or(|(_, known)| likeness > known)
            {
                nearest[rank] = Some((best, likeness));
            }
        }
    }
    let lowest = returned.iter().map(|&rank| scores[rank]).fold(f64::INFINITY, f64::min);
    for rank in open {
        if let Some((like, similarity)) = nearest[rank].filter(|_| scores[rank] > lowest) {
            outcomes[rank] = Outcome::LessDifferent { of: entries[like].id.to_owned(), similarity };
        }
    }
    Ok((outcomes, returned))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::condition::TextField;
    use crate::rank::by_entry::{ByEntry, EntryKey};
    use crate::rank::group::GroupKey;

    /// Entries as vectors of two elements, with the user of each.
    #[derive(Debug, Clone)]
    struct Entries(Vec<(Option<[f32; 2]>, Option<String>)>);

    impl Compared for Entries {
        fn embeddings(&mut self, entries: &[EntryKey<'_>]) -> Result<ByEntry<Embedded>> {
            let mut found = ByEntry::default();
            for entry in entries {
                if let Some(vector) = self.0[entry.id.parse::<usize>().unwrap()].0 {
                    found.insert(entry.memory, entry.id.to_owned(), Embedded { model: None, vector: vector.to_vec() });
                }
            }
            Ok(found)
        }

        fn groups(&mut self, entries: &[EntryKey<'_>]) -> Result<GroupValues> {
            let mut found = ByEntry::default();
            for entry in entries {
                let values = vec![self.0[entry.id.parse::<usize>().unwrap()].1.clone()];
                found.insert(entry.memory, entry.id.to_owned(), values);
            }
            Ok(found)
        }
    }

    fn selected(rules: Rules<'_>, entries: &Entries, scores: &[f64]) -> (Vec<Outcome>, Vec<usize>) {
        let ids: Vec<String> = (0..scores.len()).map(|n| n.to_string()).collect();
        let keys: Vec<EntryKey<'_>> = ids.iter().map(|id| EntryKey { memory: 0, id }).collect();
        select(rules, &keys, scores, &mut entries.clone(), &|| ()).unwrap()
    }

    fn at_most(most: usize) -> Vec<AtMost> {
        vec![AtMost { name: "userId".into(), key: GroupKey::Column(TextField::UserId), most }]
    }

    fn rules(top_ke: usize) -> Rules<'static> {
        Rules { top_ke, dedup_threshold: None, mmr: None, at_most: &[] }
    }

    #[test]
    fn what_is_like_the_best_gives_way_to_what_differs() {
        let entries = Entries(vec![(Some([1.0, 0.0]), None), (Some([1.0, 0.05]), None), (Some([0.0, 1.0]), None)]);
        let scores = [0.9, 0.8, 0.5];
        let taken = |mmr| selected(Rules { mmr: Some(mmr), ..rules(2) }, &entries, &scores);
        assert_eq!(taken(1.0).1, [0, 1]);
        let (outcomes, returned) = taken(0.5);
        assert_eq!(returned, [0, 2]);
        assert!(matches!(&outcomes[1], Outcome::LessDifferent { of, similarity } if of == "0" && *similarity > 0.99));
    }

    #[test]
    fn a_full_group_makes_room_for_the_next_and_hides_no_twin_of_its_own() {
        let user = |name: &str| Some(name.to_owned());
        // The second is of a full group; the third is its twin, and of another user.
        let entries = Entries(vec![
            (Some([1.0, 0.0]), user("ana")),
            (Some([0.0, 1.0]), user("ana")),
            (Some([0.0, 1.0]), user("ben")),
            (None, None),
        ]);
        let limits = at_most(1);
        for mmr in [None, Some(1.0)] {
            let rules = Rules { at_most: &limits, dedup_threshold: Some(0.95), mmr, ..rules(3) };
            let (outcomes, returned) = selected(rules, &entries, &[0.9, 0.8, 0.7, 0.6]);
            assert_eq!(returned, [0, 2, 3], "{mmr:?}");
            assert_eq!(outcomes[1], Outcome::OfFullGroup { name: "userId".into(), most: 1 });
        }
    }

    /// The rule as written, without state between steps.
    fn naive(share: f64, top_ke: usize, entries: &Entries, scores: &[f64], most: usize) -> Vec<usize> {
        let mut taken: Vec<usize> = Vec::new();
        let like = |a: usize, b: usize| match (entries.0[a].0, entries.0[b].0) {
            (Some(a), Some(b)) => crate::rank::near_duplicates::cosine(&a, &b).max(0.0),
            _ => 0.0,
        };
        while taken.len() < top_ke {
            let fits = |rank: &usize| {
                let user = &entries.0[*rank].1;
                !taken.contains(rank)
                    && (user.is_none() || taken.iter().filter(|other| entries.0[**other].1 == *user).count() < most)
            };
            let gain = |rank: usize| {
                let likeness = taken.iter().map(|&other| like(rank, other)).fold(0.0, f64::max);
                share * scores[rank] - (1.0 - share) * likeness
            };
            let open = (0..scores.len()).filter(fits);
            match open.reduce(|best, rank| if gain(rank) > gain(best) { rank } else { best }) {
                Some(best) => taken.push(best),
                None => break,
            }
        }
        taken
    }

    proptest! {
        #[test]
        fn the_selection_is_the_rules(
            entries in proptest::collection::vec(
                (proptest::option::of([-1.0f32..1.0, -1.0f32..1.0]), proptest::option::of("[ab]")), 1..40),
            share in 0.0..=1.0f64, top_ke in 1..12usize, most in 1..4usize,
        ) {
            let scores: Vec<f64> = (0..entries.len()).map(|n| 1.0 / (n + 1) as f64).collect();
            let entries = Entries(entries);
            let limits = at_most(most);
            let by_mmr = Rules { mmr: Some(share), at_most: &limits, ..rules(top_ke) };
            prop_assert_eq!(selected(by_mmr, &entries, &scores).1, naive(share, top_ke, &entries, &scores, most));
            let plain = Rules { at_most: &limits, ..rules(top_ke) };
            prop_assert_eq!(selected(plain, &entries, &scores).1, naive(1.0, top_ke, &entries, &scores, most));
        }
    }
}
