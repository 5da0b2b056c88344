//! Selects the ranked entries of an answer: the best, or the best that differ from each other.
//!
//! Without `mmr` entries are taken from the best on, without near duplicates and members of full groups. With it the
//! next entry is always the one with the greatest `mmr * score - (1 - mmr) * similarity` of a pool of the best entries,
//! where similarity is the greatest cosine to those already taken, at least 0 (maximal marginal relevance: Carbonell
//! and Goldstein, SIGIR 1998). An entry that the taken ones rule out leaves its place in the pool to the next of the
//! ranking.

use crate::Tick;
use crate::bounds_and_defaults;
use crate::error::Result;
use crate::rank::by_entry::{ByEntry, EntryKey};
use crate::rank::group::{AtMost, Groups};
use crate::rank::near_duplicates::{Duplicate, Embedded, NearDuplicates, similarity};

/// The most embeddings or groups to fetch at once.
const FETCHED_AT_ONCE: usize = 500;

/// The options of a selection.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The number of wanted entries.
    pub top_ke: usize,
    /// The number of candidates that the search takes from each signal at first, not fewer than `top_ke`.
    pub candidates: usize,
    /// Entries more similar than this to a better one are dropped.
    pub dedup_threshold: Option<f64>,
    /// The weight of score against difference.
    pub mmr: Option<f64>,
    /// The most entries of a group.
    pub at_most: &'a [AtMost],
}

/// The number of best entries from which `mmr` chooses, if there are so many candidates: enough for a choice, and few
/// enough to compare each with all others.
pub fn mmr_pool(top_ke: usize) -> usize {
    (bounds_and_defaults::MMR_POOL_FACTOR * top_ke)
        .clamp(bounds_and_defaults::LEAST_MMR_POOL, bounds_and_defaults::MOST_MMR_POOL)
        .max(top_ke)
}

impl Rules<'_> {
    /// Whether the selection may pass over better entries.
    pub fn passes_over(&self) -> bool {
        self.dedup_threshold.is_some() || self.mmr.is_some() || !self.at_most.is_empty()
    }

    /// The number of entries, the returned ones among them, that the rules choose from if nothing rules them out.
    pub fn pool(&self) -> usize {
        match self.mmr {
            Some(_) => mmr_pool(self.top_ke).min(self.candidates),
            None => self.top_ke,
        }
    }
}

/// A ranking to select from.
#[derive(Debug, Clone, Copy)]
pub struct InOrder<'a> {
    /// The entries, best first.
    pub entries: &'a [EntryKey<'a>],
    /// The score of each.
    pub scores: &'a [f64],
    /// The number of the first ones that come before all others, whatever the scores: those that a reranker judged.
    pub before_others: usize,
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
    /// It ranks before a returned entry, but it is more similar to the returned ones.
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

/// A selection from a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// The outcome of each ranked entry.
    pub outcomes: Vec<Outcome>,
    /// The ranks of the returned ones, in their order.
    pub returned: Vec<usize>,
    /// The number of entries that there were to choose from, of the [`Rules::pool`] that the rules want: the returned
    /// ones, and those that neither a full group nor a near duplicate ruled out.
    pub eligible: usize,
}

/// Selects from a ranking.
pub fn select(
    rules: Rules<'_>,
    ranking: InOrder<'_>,
    compared: &mut impl Compared,
    tick: Tick<'_>,
) -> Result<Selected> {
    match rules.mmr {
        Some(share) => by_marginal_relevance(rules, share, ranking, compared, tick),
        None => from_the_best_on(rules, ranking, compared, tick),
    }
}

/// An entry of a ranking with the data that a selection compares.
struct Entry {
    rank: usize,
    embedded: Option<Embedded>,
    values: Vec<Option<String>>,
    /// The rank of the most similar one of those taken, and their similarity.
    nearest: Option<(usize, f64)>,
}

impl Entry {
    fn look_at(&mut self, taken: &Entry) {
        let (Some(this), Some(other)) = (&self.embedded, &taken.embedded) else { return };
        if let Some(likeness) = similarity(this, other)
            && self.nearest.is_none_or(|(_, known)| likeness > known)
        {
            self.nearest = Some((taken.rank, likeness));
        }
    }
}

/// The entries of a ranking from the best on, with what is compared, which is fetched for some at a time.
struct Upcoming<'a> {
    entries: &'a [EntryKey<'a>],
    next: usize,
    fetched: usize,
    /// The number to fetch next.
    at_once: usize,
    with_embeddings: bool,
    with_values: bool,
    embeddings: ByEntry<Embedded>,
    values: GroupValues,
}

impl<'a> Upcoming<'a> {
    fn of(entries: &'a [EntryKey<'a>], rules: Rules<'_>, at_once: usize) -> Self {
        Upcoming {
            entries,
            next: 0,
            fetched: 0,
            at_once: at_once.clamp(1, FETCHED_AT_ONCE),
            with_embeddings: rules.mmr.is_some() || rules.dedup_threshold.is_some(),
            with_values: !rules.at_most.is_empty(),
            embeddings: ByEntry::default(),
            values: ByEntry::default(),
        }
    }

    fn next(&mut self, compared: &mut impl Compared) -> Result<Option<Entry>> {
        let Some(&entry) = self.entries.get(self.next) else { return Ok(None) };
        if self.next == self.fetched {
            let until = self.entries.len().min(self.fetched + self.at_once);
            let some = &self.entries[self.fetched..until];
            if self.with_embeddings {
                self.embeddings = compared.embeddings(some)?;
            }
            if self.with_values {
                self.values = compared.groups(some)?;
            }
            self.fetched = until;
            self.at_once = (2 * self.at_once).min(FETCHED_AT_ONCE);
        }
        let rank = self.next;
        self.next += 1;
        let values = self.values.remove(entry).unwrap_or_default();
        Ok(Some(Entry { rank, embedded: self.embeddings.remove(entry), values, nearest: None }))
    }
}

fn from_the_best_on(
    rules: Rules<'_>,
    ranking: InOrder<'_>,
    compared: &mut impl Compared,
    tick: Tick<'_>,
) -> Result<Selected> {
    let entries = ranking.entries;
    let mut outcomes = vec![Outcome::BelowCut; entries.len()];
    let mut returned = Vec::new();
    let mut near_duplicates = rules.dedup_threshold.map(NearDuplicates::above);
    let mut groups = Groups::new(rules.at_most);
    let mut upcoming = Upcoming::of(entries, rules, FETCHED_AT_ONCE);
    while returned.len() < rules.top_ke {
        tick();
        let Some(Entry { rank, embedded, values, .. }) = upcoming.next(compared)? else { break };
        // An entry rejected by a full group must not mark later entries as duplicates of it.
        if let Some(full) = groups.full(&values) {
            outcomes[rank] = Outcome::OfFullGroup { name: full.name.clone(), most: full.most };
            continue;
        }
        let twin = near_duplicates.as_mut().and_then(|near| near.look(rank, embedded));
        if let Some(Duplicate { of, similarity }) = twin {
            outcomes[rank] = Outcome::Duplicate { of: entries[of].id.to_owned(), similarity };
            continue;
        }
        groups.take(values);
        outcomes[rank] = Outcome::Returned;
        returned.push(rank);
    }
    let eligible = returned.len();
    Ok(Selected { outcomes, returned, eligible })
}

fn by_marginal_relevance(
    rules: Rules<'_>,
    share: f64,
    InOrder { entries, scores, before_others }: InOrder<'_>,
    compared: &mut impl Compared,
    tick: Tick<'_>,
) -> Result<Selected> {
    let mut outcomes = vec![Outcome::BelowCut; entries.len()];
    let mut groups = Groups::new(rules.at_most);
    let mut upcoming = Upcoming::of(entries, rules, rules.pool());
    // Both in the order of the ranking, or of the answer.
    let (mut open, mut taken): (Vec<Entry>, Vec<Entry>) = (Vec::new(), Vec::new());
    let mut eligible = 0;
    while taken.len() < rules.top_ke {
        tick();
        let ruled_out = |entry: &Entry| {
            if let Some(full) = groups.full(&entry.values) {
                return Some(Outcome::OfFullGroup { name: full.name.clone(), most: full.most });
            }
            let twin = entry.nearest.filter(|(_, likeness)| rules.dedup_threshold.is_some_and(|most| *likeness > most));
            twin.map(|(of, similarity)| Outcome::Duplicate { of: entries[of].id.to_owned(), similarity })
        };
        open.retain(|entry| match ruled_out(entry) {
            Some(outcome) => {
                outcomes[entry.rank] = outcome;
                false
            }
            None => true,
        });
        while taken.len() + open.len() < rules.pool() {
            tick();
            let Some(mut entry) = upcoming.next(compared)? else { break };
            taken.iter().for_each(|other| entry.look_at(other));
            match ruled_out(&entry) {
                Some(outcome) => outcomes[entry.rank] = outcome,
                None => open.push(entry),
            }
        }
        eligible = taken.len() + open.len();
        let gain = |entry: &Entry| {
            let likeness = entry.nearest.map_or(0.0, |(_, similarity)| similarity.max(0.0));
            share * scores[entry.rank] - (1.0 - share) * likeness
        };
        let choice = match open.partition_point(|entry| entry.rank < before_others) {
            0 => &open[..],
            first => &open[..first],
        };
        // The better ranked of two entries with equal gains is taken.
        let better = |best: usize, at: usize| if gain(&choice[at]) > gain(&choice[best]) { at } else { best };
        let Some(best) = (0..choice.len()).reduce(better) else { break };
        let best = open.remove(best);
        outcomes[best.rank] = Outcome::Returned;
        groups.take(best.values.clone());
        open.iter_mut().for_each(|entry| entry.look_at(&best));
        taken.push(best);
    }
    let last = taken.iter().map(|entry| entry.rank).max();
    for entry in open {
        if let Some((like, similarity)) = entry.nearest.filter(|_| Some(entry.rank) < last) {
            outcomes[entry.rank] = Outcome::LessDifferent { of: entries[like].id.to_owned(), similarity };
        }
    }
    let returned = taken.into_iter().map(|entry| entry.rank).collect();
    Ok(Selected { outcomes, returned, eligible })
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

    fn selected_of(rules: Rules<'_>, entries: &Entries, scores: &[f64], before_others: usize) -> Selected {
        let ids: Vec<String> = (0..scores.len()).map(|n| n.to_string()).collect();
        let keys: Vec<EntryKey<'_>> = ids.iter().map(|id| EntryKey { memory: 0, id }).collect();
        let ranking = InOrder { entries: &keys, scores, before_others };
        select(rules, ranking, &mut entries.clone(), &|| ()).unwrap()
    }

    fn selected(rules: Rules<'_>, entries: &Entries, scores: &[f64]) -> (Vec<Outcome>, Vec<usize>) {
        let selected = selected_of(rules, entries, scores, 0);
        (selected.outcomes, selected.returned)
    }

    fn at_most(most: usize) -> Vec<AtMost> {
        vec![AtMost { name: "userId".into(), key: GroupKey::Column(TextField::UserId), most }]
    }

    fn rules(top_ke: usize) -> Rules<'static> {
        Rules { top_ke, candidates: 75, dedup_threshold: None, mmr: None, at_most: &[] }
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

    #[test]
    fn what_full_groups_and_near_duplicates_rule_out_leaves_its_place_in_the_pool_to_the_next() {
        // Sixty entries of one user, all alike, fit best: more than the pool holds.
        let alike = (0..60).map(|n| (Some([1.0, n as f32 * 1e-4]), Some("ana".to_owned())));
        let others = (0..5).map(|n| (Some([0.2 * n as f32 - 0.5, 1.0]), Some(format!("ben{n}"))));
        let entries = Entries(alike.chain(others).collect());
        let scores: Vec<f64> = (0..65).map(|n| 1.0 - f64::from(n) / 65.0).collect();
        let limits = at_most(1);
        for mmr in [None, Some(1.0), Some(0.7)] {
            let by_user = Rules { mmr, at_most: &limits, ..rules(6) };
            let by_likeness = Rules { mmr, dedup_threshold: Some(0.999), ..rules(6) };
            for (rules, outcome) in [(by_user, "OfFullGroup"), (by_likeness, "Duplicate")] {
                let (outcomes, mut returned) = selected(rules, &entries, &scores);
                returned.sort_unstable();
                assert_eq!(returned, [0, 60, 61, 62, 63, 64], "{rules:?}");
                let passed_over = outcomes.iter().filter(|of| format!("{of:?}").starts_with(outcome)).count();
                assert_eq!(passed_over, 59, "{rules:?}");
            }
        }
    }

    #[test]
    fn entries_that_a_reranker_judged_come_before_better_scores() {
        let entries = Entries(vec![(Some([1.0, 0.0]), None), (Some([1.0, 0.1]), None), (Some([0.0, 1.0]), None)]);
        let scores = [0.1, 0.05, 0.7];
        for (mmr, before_others, expected) in
            [(1.0, 2, [0, 1, 2]), (0.5, 2, [0, 1, 2]), (0.5, 0, [2, 0, 1]), (0.5, 3, [2, 0, 1])]
        {
            let selected = selected_of(Rules { mmr: Some(mmr), ..rules(3) }, &entries, &scores, before_others);
            assert_eq!(selected.returned, expected, "{mmr} {before_others}");
        }
    }

    /// The rule as written, without state between steps: the returned entries, and the number to choose from.
    fn naive(rules: Rules<'_>, entries: &Entries, scores: &[f64], before_others: usize) -> (Vec<usize>, usize) {
        let share = rules.mmr.unwrap_or(1.0);
        let (mut taken, mut eligible): (Vec<usize>, usize) = (Vec::new(), 0);
        let like = |a: usize, b: usize| match (entries.0[a].0, entries.0[b].0) {
            (Some(a), Some(b)) => crate::rank::near_duplicates::cosine(&a, &b),
            _ => 0.0,
        };
        let both_have_one = |a: usize, b: usize| entries.0[a].0.is_some() && entries.0[b].0.is_some();
        while taken.len() < rules.top_ke {
            let fits = |rank: &usize| {
                let user = &entries.0[*rank].1;
                let of_user = taken.iter().filter(|other| entries.0[**other].1 == *user).count();
                let is_twin = |other: &usize| {
                    both_have_one(*rank, *other) && rules.dedup_threshold.is_some_and(|most| like(*rank, *other) > most)
                };
                !taken.contains(rank)
                    && (user.is_none() || rules.at_most.iter().all(|limit| of_user < limit.most))
                    && !taken.iter().any(is_twin)
            };
            let gain = |rank: usize| {
                let likeness = taken.iter().map(|&other| like(rank, other)).fold(0.0, f64::max);
                share * scores[rank] - (1.0 - share) * likeness
            };
            let mut open: Vec<usize> = (0..scores.len()).filter(fits).collect();
            if rules.mmr.is_some() {
                open.truncate(rules.pool() - taken.len());
                eligible = taken.len() + open.len();
            }
            if open.first().is_some_and(|first| *first < before_others) {
                open.retain(|rank| *rank < before_others);
            }
            match open.into_iter().reduce(|best, rank| if gain(rank) > gain(best) { rank } else { best }) {
                Some(best) => taken.push(best),
                None => break,
            }
        }
        let eligible = if rules.mmr.is_some() { eligible } else { taken.len() };
        (taken, eligible)
    }

    proptest! {
        #[test]
        fn the_selection_is_the_rules(
            entries in proptest::collection::vec(
                (proptest::option::of([-1.0f32..1.0, -1.0f32..1.0]), proptest::option::of("[ab]")), 1..40),
            share in 0.0..=1.0f64, top_ke in 1..12usize, most in 1..4usize, further in 0..20usize,
            dedup_threshold in proptest::option::of(0.5..1.0f64), judged in 0..12usize,
        ) {
            let before_others = judged.min(entries.len());
            // Each of the two parts has its own scale.
            let score = |n: usize| if n < before_others { 0.1 } else { 1.0 } / (n + 1) as f64;
            let scores: Vec<f64> = (0..entries.len()).map(score).collect();
            let entries = Entries(entries);
            let limits = at_most(most);
            // A pool smaller than the ranking.
            let rules = Rules { candidates: top_ke + further, dedup_threshold, at_most: &limits, ..rules(top_ke) };
            let diverse = Rules { mmr: Some(share), ..rules };
            for rules in [rules, diverse, Rules { at_most: &[], ..diverse }] {
                let selected = selected_of(rules, &entries, &scores, before_others);
                let expected = naive(rules, &entries, &scores, before_others);
                prop_assert_eq!((&selected.returned, selected.eligible), (&expected.0, expected.1));
                let of_outcome = selected.outcomes.iter().filter(|outcome| **outcome == Outcome::Returned).count();
                prop_assert_eq!(of_outcome, selected.returned.len());
            }
            let by_score = Rules { mmr: Some(1.0), ..rules };
            prop_assert_eq!(
                selected_of(by_score, &entries, &scores, before_others).returned,
                selected_of(rules, &entries, &scores, before_others).returned
            );
        }
    }
}
