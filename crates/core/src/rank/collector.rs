//! What a pass over a memory keeps of the rows that go by: the nearest, those that hold a word of the
//! query, and the statistics behind BM25. `P` says where a row lies, for who delivers the rows.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use crate::Tick;
use crate::error::{self, Result};
use crate::ids::RowId;
use crate::place::Place;
use crate::rank::bm25::{self, Collection, Matches, Score};
use crate::rank::fusion::Signals;
use crate::rank::neighbour_smoothing::Arrival;
use crate::rank::ranking::Candidate;
use crate::text::document::Document;
use crate::text::query_lexemes::QueryLexemes;
use crate::timestamp::Micros;
use crate::vector::rescoring::{self, Needed, Rescored};

/// Rows that are kept for each that is rescored at first: where estimates say less, some of them are rescored too.
const POOL: usize = 8;
/// No more than so many are kept, unless as many are to be rescored.
const LARGEST_POOL: usize = 20_000;
/// Rows of the sample that shows how much estimates say, drawn evenly from all that have one.
const SAMPLED_ROWS: usize = 256;

/// How near a row is to the query's vector, as far as the pass knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Nearness {
    /// It has no embedding that can be compared.
    None,
    /// The cosine distance.
    Distance(f64),
    /// An estimate of its likeness, by which is chosen whose distance is computed.
    Estimate(f32),
}

impl Nearness {
    /// The nearest first. All rows of a pass have the same kind, or [`Nearness::None`], which stands last.
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Nearness::Distance(a), Nearness::Distance(b)) => a.total_cmp(b),
            (Nearness::Estimate(a), Nearness::Estimate(b)) => b.total_cmp(a),
            (a, b) => a.kind().cmp(&b.kind()),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Nearness::Distance(_) => 0,
            Nearness::Estimate(_) => 1,
            Nearness::None => 2,
        }
    }
}

/// A row that goes by.
#[derive(Debug, Clone, Copy)]
pub struct Scanned<P> {
    /// Its creation time; the least there is where an adopted table does not say.
    pub created: Micros,
    /// What tells apart rows of the same instant by when they came.
    pub order: i64,
    /// 0..100.
    pub importance: f64,
    /// Whether the filters let it be found. All rows count for document frequencies: a filter must not
    /// change what is a rare word.
    pub passes: bool,
    /// How near it is, as far as the pass knows.
    pub nearness: Nearness,
    /// Where it lies, if the pass knows.
    pub place: Option<P>,
}

/// A row that may be found.
#[derive(Debug, Clone)]
struct Kept<P> {
    id: RowId,
    scanned: Scanned<P>,
    /// Its number among the rows that hold a word of the query.
    matching: Option<usize>,
    /// Whether it is rescored to show how much estimates say, and not for its own.
    is_sampled: bool,
}

/// A row of the sample: those whose hashes are least, so that the same rows are drawn whichever way they come.
struct Sampled<P> {
    hash: u64,
    kept: Kept<P>,
}

impl<P> Sampled<P> {
    fn hash(scanned: &Scanned<P>) -> u64 {
        // The finaliser of splitmix64 (Steele et al., 2014).
        let mut hash =
            (scanned.created as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (scanned.order as u64).rotate_left(32);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^ (hash >> 31)
    }
}

impl<P> Ord for Sampled<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.hash.cmp(&other.hash).then_with(|| self.kept.id.text_order(&other.kept.id))
    }
}

impl<P> PartialOrd for Sampled<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for Sampled<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<P> Eq for Sampled<P> {}

/// Collects one pass.
pub struct Collector<P> {
    matches: Option<Matches>,
    rows: u64,
    collection: Collection,
    /// How many of the query's words a row must hold to be found by them.
    required_words: usize,
    /// A row for each of `matches`; `None` where it cannot be found.
    matching: Vec<Option<Kept<P>>>,
    /// The nearest so far: `keep` of them at least, twice as many at most.
    nearest: Vec<Kept<P>>,
    keep: usize,
    /// How many of them are rescored first, where they are kept by estimates.
    rescore: usize,
    /// Rows that are further than this are not among the `keep` nearest.
    furthest: Option<Nearness>,
    /// Every estimate of a row that may be found.
    estimates: Vec<f32>,
    sample: BinaryHeap<Sampled<P>>,
}

/// Rows of a pass by signal, best first.
pub struct Collected<P> {
    matching: Vec<Option<Kept<P>>>,
    scores: Vec<Score>,
    nearest: Vec<Kept<P>>,
    /// The next by estimate, in no order.
    pool: Vec<Kept<P>>,
    /// Indexes into `matching`.
    best_by_words: Vec<usize>,
    estimates: Vec<f32>,
    /// What rescoring found.
    rescored: Vec<Rescored>,
}

impl<P: Copy> Collector<P> {
    /// For the words of a query, where it has any; the `nearest` nearest rows are kept, and some more of those that
    /// are known by estimates.
    pub fn new(
        lexemes: Option<&QueryLexemes>,
        parameters: bm25::Parameters,
        required_words: usize,
        nearest: usize,
        by_estimate: bool,
    ) -> Self {
        Collector {
            matches: lexemes.map(|lexemes| Matches::new(lexemes, parameters)),
            rows: 0,
            collection: Collection::default(),
            required_words,
            matching: Vec::new(),
            nearest: Vec::new(),
            keep: if by_estimate { nearest.max((nearest * POOL).min(LARGEST_POOL)) } else { nearest },
            rescore: nearest,
            furthest: None,
            estimates: Vec::new(),
            sample: BinaryHeap::new(),
        }
    }

    /// Takes a row in. Its id is asked for only where it may be found; a row without one cannot be named.
    pub fn add(
        &mut self,
        scanned: Scanned<P>,
        document: Option<&impl Document>,
        id: impl FnOnce() -> Result<Option<RowId>>,
    ) -> Result<()> {
        self.rows += 1;
        // Asked for once.
        let mut ask = Some(id);
        let mut known: Option<RowId> = None;
        let mut id = || -> Result<Option<RowId>> {
            if let Some(ask) = ask.take() {
                known = ask()?;
            }
            Ok(known.clone())
        };
        let mut number = None;
        let mut has_words = false;
        if let Some(matches) = &mut self.matches {
            self.collection.entries += 1;
            if let Some(document) = document {
                self.collection.total_length += document.lexeme_count() as u64;
                let held = matches.add(document, || {
                    let tie = id()?.map_or(0, |id| id.tie());
                    Ok(Arrival { created: scanned.created, order: scanned.order, tie })
                })?;
                number = (held > 0).then(|| matches.len() - 1);
                has_words = held >= self.required_words;
            }
        }
        let is_near = scanned.passes && self.may_be_near(scanned.nearness);
        let drawn = self.draw(&scanned)?;
        if !is_near && number.is_none() && drawn.is_none() {
            return Ok(());
        }
        let kept = match scanned.passes {
            true => id()?.map(|id| Kept { id, scanned, matching: number, is_sampled: false }),
            false => None,
        };
        if let (Some(hash), Some(kept)) = (drawn, &kept) {
            self.sample.push(Sampled { hash, kept: kept.clone() });
            if self.sample.len() > SAMPLED_ROWS {
                self.sample.pop();
            }
        }
        // A memory may hold more rows than this backend can: an ERROR, not an abort.
        if is_near && let Some(kept) = &kept {
            self.nearest.try_reserve(1).map_err(|_| error::out_of_memory())?;
            self.nearest.push(kept.clone());
            if self.nearest.len() >= self.keep.saturating_mul(2) {
                self.drop_the_furthest();
            }
        }
        if number.is_some() {
            self.matching.try_reserve(1).map_err(|_| error::out_of_memory())?;
            self.matching.push(kept.filter(|_| has_words));
        }
        Ok(())
    }

    /// Notes the row's estimate, if it has one; gives its hash when it may be of the sample.
    fn draw(&mut self, scanned: &Scanned<P>) -> Result<Option<u64>> {
        let Nearness::Estimate(estimate) = scanned.nearness else { return Ok(None) };
        if !scanned.passes || self.keep == 0 {
            return Ok(None);
        }
        if self.estimates.len() == self.estimates.capacity() {
            self.estimates.try_reserve(self.estimates.len().max(1024)).map_err(|_| error::out_of_memory())?;
        }
        self.estimates.push(estimate);
        let hash = Sampled::hash(scanned);
        let is_full = self.sample.len() >= SAMPLED_ROWS;
        Ok((!is_full || self.sample.peek().is_some_and(|last| hash <= last.hash)).then_some(hash))
    }

    fn may_be_near(&self, nearness: Nearness) -> bool {
        nearness != Nearness::None
            && self.keep > 0
            && self.furthest.is_none_or(|furthest| nearness.order(&furthest) != Ordering::Greater)
    }

    fn drop_the_furthest(&mut self) {
        if self.nearest.len() > self.keep {
            self.nearest.select_nth_unstable_by(self.keep - 1, nearer_first);
            self.nearest.truncate(self.keep);
            self.furthest = self.nearest.last().map(|kept| kept.scanned.nearness);
        }
    }

    /// How many rows went by, and how many of them hold a word of the query.
    pub fn counts(&self) -> (u64, u64) {
        (self.rows, self.matching.len() as u64)
    }

    /// Scores the words, and puts the `limit` best by them in order. `with_smoothing`: whether
    /// neighbours lend words.
    pub fn finish(mut self, with_smoothing: bool, limit: usize, tick: Tick<'_>) -> Result<Collected<P>> {
        self.drop_the_furthest();
        let scores = match &self.matches {
            Some(matches) if !matches.is_empty() => matches.scores(self.collection, with_smoothing, tick)?,
            _ => Vec::new(),
        };
        tick();
        let mut best_by_words: Vec<usize> = Vec::new();
        best_by_words.try_reserve_exact(self.matching.len()).map_err(|_| error::out_of_memory())?;
        best_by_words.extend((0..self.matching.len()).filter(|&row| self.matching[row].is_some()));
        let order = |a: &usize, b: &usize| {
            let by_words = scores[*b].words.total_cmp(&scores[*a].words);
            by_words.then_with(|| match (&self.matching[*a], &self.matching[*b]) {
                (Some(a), Some(b)) => newer_first(a, b),
                _ => Ordering::Equal,
            })
        };
        if best_by_words.len() > limit {
            best_by_words.select_nth_unstable_by(limit, order);
            best_by_words.truncate(limit);
        }
        best_by_words.sort_by(order);
        tick();
        let (mut nearest, mut pool) = (self.nearest, Vec::new());
        if self.estimates.len() > self.rescore {
            // What was drawn is rescored beside the best by estimate.
            if nearest.len() > self.rescore {
                nearest.select_nth_unstable_by(self.rescore - 1, nearer_first);
                pool = nearest.split_off(self.rescore);
            }
            let drawn = self.sample.into_iter().map(|drawn| Kept { is_sampled: true, ..drawn.kept });
            let known: HashSet<RowId> = nearest.iter().map(|kept| kept.id.clone()).collect();
            let drawn: Vec<Kept<P>> = drawn.filter(|kept| !known.contains(&kept.id)).collect();
            let known: HashSet<&RowId> = drawn.iter().map(|kept| &kept.id).collect();
            pool.retain(|kept| !known.contains(&kept.id));
            nearest.extend(drawn);
        }
        nearest.sort_by(nearer_first);
        tick();
        Ok(Collected {
            matching: self.matching,
            scores,
            nearest,
            pool,
            best_by_words,
            estimates: self.estimates,
            rescored: Vec::new(),
        })
    }
}

impl<P: Copy + Into<Place>> Collected<P> {
    /// The rows whose distance is still to be computed: the nearest by estimate, and the best by words.
    pub fn estimated(&self) -> impl Iterator<Item = (&RowId, Option<P>)> {
        let best_by_words = self.best_by_words.iter().filter_map(|&row| self.matching[row].as_ref());
        // Who stands in both is asked for once.
        let near: HashSet<&RowId> = self.nearest.iter().map(|kept| &kept.id).collect();
        let others: Vec<&Kept<P>> = best_by_words.filter(|kept| !near.contains(&kept.id)).collect();
        self.nearest
            .iter()
            .chain(others)
            .filter(|kept| matches!(kept.scanned.nearness, Nearness::Estimate(_)))
            .map(|kept| (&kept.id, kept.scanned.place))
    }

    /// Puts in the distances of [`Collected::estimated`]; a row without one, or with none that is a number,
    /// has no rank by meaning.
    pub fn set_distances(&mut self, distances: &HashMap<RowId, f64>, tick: Tick<'_>) {
        for kept in &self.nearest {
            if let (Nearness::Estimate(estimate), Some(distance)) = (kept.scanned.nearness, distances.get(&kept.id))
                && !distance.is_nan()
            {
                self.rescored.push(Rescored { estimate, cosine: 1.0 - distance, is_sampled: kept.is_sampled });
            }
        }
        let known = |kept: &mut Kept<P>| {
            tick();
            if matches!(kept.scanned.nearness, Nearness::Estimate(_)) {
                kept.scanned.nearness = match distances.get(&kept.id) {
                    Some(distance) if !distance.is_nan() => Nearness::Distance(*distance),
                    _ => Nearness::None,
                };
            }
        };
        self.nearest.iter_mut().for_each(known);
        for &row in &self.best_by_words {
            if let Some(kept) = &mut self.matching[row] {
                known(kept);
            }
        }
        self.nearest.retain(|kept| kept.scanned.nearness != Nearness::None);
        self.nearest.sort_by(nearer_first);
    }

    /// Whether the `wanted` nearest rows are among the `rescored` best by estimate and the sample.
    /// `vector` is the query's.
    pub fn needed(&self, rescored: usize, wanted: usize, vector: &[f32]) -> Needed {
        let (largest, squares) = vector.iter().fold((0.0f64, 0.0), |(largest, squares), &element| {
            let element = f64::from(element);
            (element.abs().max(largest), squares + element * element)
        });
        let largest = if squares > 0.0 { largest / squares.sqrt() } else { 0.0 };
        rescoring::needed(&self.estimates, self.rescored.clone(), rescored, wanted, largest)
    }

    /// Takes so many more rows to be rescored; `false` when not as many are at hand.
    pub fn take_more(&mut self, rows: usize) -> bool {
        if rows > self.pool.len() {
            return false;
        }
        if rows > 0 && rows < self.pool.len() {
            self.pool.select_nth_unstable_by(rows - 1, nearer_first);
        }
        self.nearest.extend(self.pool.drain(..rows));
        true
    }

    /// The `limit` best of each signal, each with both of its signals.
    pub fn into_candidates(self, limit: usize, tick: Tick<'_>) -> Vec<Candidate> {
        // A row with its ranks by meaning and by words, from 1.
        type WithRanks<'a, P> = (&'a Kept<P>, Option<usize>, Option<usize>);
        let mut by_id: BTreeMap<String, WithRanks<'_, P>> = BTreeMap::new();
        for (rank, kept) in self.nearest.iter().take(limit).enumerate() {
            tick();
            by_id.insert(kept.id.to_text(), (kept, Some(rank + 1), None));
        }
        let best_by_words = self.best_by_words.iter().filter_map(|&row| self.matching[row].as_ref());
        for (rank, kept) in best_by_words.enumerate() {
            tick();
            by_id.entry(kept.id.to_text()).or_insert((kept, None, None)).2 = Some(rank + 1);
        }
        by_id
            .into_iter()
            .map(|(id, (kept, semantic_rank, keyword_rank))| {
                tick();
                let score = kept.matching.map(|number| self.scores[number]);
                Candidate {
                    id,
                    created: kept.scanned.created,
                    importance: kept.scanned.importance,
                    access_count: 0,
                    place: kept.scanned.place.map(Into::into),
                    signals: Signals {
                        cosine: match kept.scanned.nearness {
                            Nearness::Distance(distance) => Some(1.0 - distance),
                            _ => None,
                        },
                        semantic_rank,
                        bm25: score.map(|score| score.bm25),
                        words: score.map(|score| score.words),
                        keyword_rank,
                    },
                }
            })
            .collect()
    }
}

fn nearer_first<P>(a: &Kept<P>, b: &Kept<P>) -> Ordering {
    a.scanned.nearness.order(&b.scanned.nearness).then_with(|| newer_first(a, b))
}

fn newer_first<P>(a: &Kept<P>, b: &Kept<P>) -> Ordering {
    b.scanned.created.cmp(&a.scanned.created).then_with(|| a.id.text_order(&b.id))
}
