//! Upper bounds of rows' scores, by the bits of their words and of those that neighbours lend.
//!
//! The score of a word rises with its frequency and falls with the row's length. So a word whose frequency is not above
//! a step has at most the score of that frequency in the shortest row, times the share that a row of this length keeps.
//! Neighbours lend at most a rate of the word's score in the shortest row.
//!
//! Every row has a bound as if all that lend to it did so at the greatest rate, which is computed for many rows at
//! once. The few rows that may be among the best by it get a tighter one.

use super::{KINDS, Kinds, STEPS, WORDS_A_BYTE, WordMatches};
use crate::interrupt::{ROWS_PER_TICK, Tick};
use crate::rank::bm25;
use crate::rank::near::{GREATEST_RATES, LENDERS, Near, REACH};

/// Values of a byte.
const BYTES: usize = 256;
/// The number of distinguished lengths: longer rows keep at most as much as the longest of these.
const LENGTHS: usize = 256;
/// The rounding error of a bound is below this.
const ROUNDING: f32 = 1.0001;

/// For each kind of frequencies, the greatest sum of scores for the words of a byte.
type OfByte = [[f32; BYTES]; KINDS];

/// The sums of scores for the words of one byte.
struct Sums {
    /// The bounds of a row's own words.
    own: OfByte,
    /// The most that neighbours lend: of words that the row lacks, and what they add where they say one more often.
    lent: OfByte,
}

/// Upper bounds of rows' scores.
pub(super) struct Bounds {
    of_bytes: Vec<Sums>,
    /// For each kind, the share of its words' scores that a row of a length keeps.
    kept: [[f32; LENGTHS]; KINDS],
    share: f32,
}

impl Bounds {
    /// `share` is the share that neighbours lend.
    pub(super) fn of(matches: &WordMatches, norm: &impl Fn(u32) -> f64, idf: &[f64], share: f32) -> Bounds {
        let shortest = matches.lengths.iter().copied().min().unwrap_or(0);
        let greatest_of = |greatest: f32| [STEPS[0], STEPS[1], greatest.max(STEPS[1])];
        let greatest = greatest_of(matches.greatest.iter().fold(0.0, |all, &of_word| all.max(of_word)));
        let of_byte = |first: usize| {
            let mut own: OfByte = [[0.0; BYTES]; KINDS];
            for (kind, sums) in own.iter_mut().enumerate() {
                let gives: [f32; WORDS_A_BYTE] = std::array::from_fn(|word| {
                    let Some(&greatest) = matches.greatest.get(first + word) else { return 0.0 };
                    let frequency = f64::from(greatest_of(greatest)[kind]);
                    bm25::part(idf[first + word], frequency, matches.parameters.k1, norm(shortest)) * ROUNDING
                });
                for byte in 1..BYTES {
                    sums[byte] = sums[byte & (byte - 1)] + gives[byte.trailing_zeros() as usize];
                }
            }
            let rate = share * GREATEST_RATES[0] * ROUNDING;
            let lent = std::array::from_fn(|kind| {
                std::array::from_fn(|byte| rate * (own[kind][byte] - if kind == 0 { 0.0 } else { own[kind - 1][byte] }))
            });
            Sums { own, lent }
        };
        let kept = greatest.map(|frequency| {
            std::array::from_fn(|length| {
                let (frequency, length) = (f64::from(frequency), shortest.max(length as u32));
                let kept = (frequency + norm(shortest)) / (frequency + norm(length));
                // A neighbour may lend more of a word that the row holds than the row has itself.
                (kept as f32 * ROUNDING).max(share * GREATEST_RATES[0])
            })
        });
        Bounds { of_bytes: (0..idf.len()).step_by(WORDS_A_BYTE).map(of_byte).collect(), kept, share }
    }

    /// Computes the bound of each row, in the order of time, which is that of the bits; `length` gives a row's length
    /// by its turn, `near` the neighbours that lend to it (empty if none does).
    pub(super) fn fill(
        &self,
        kinds: &Kinds,
        length: impl Fn(usize) -> u32,
        near: &[Near],
        uppers: &mut [f32],
        tick: Tick<'_>,
    ) {
        let rows = uppers.len();
        for (byte, sums) in self.of_bytes.iter().enumerate() {
            let kinds = kinds.each_ref().map(|bits| &bits[byte][..rows]);
            for (chunk, uppers) in uppers.chunks_mut(ROWS_PER_TICK).enumerate() {
                tick();
                let first = chunk * ROWS_PER_TICK;
                let [held, above_one, above_two] = kinds.map(|bytes| &bytes[first..first + uppers.len()]);
                for (place, upper) in uppers.iter_mut().enumerate() {
                    let words = [held[place], above_one[place], above_two[place]];
                    *upper += self.own(sums, words, length(first + place));
                }
                let Some(near) = near.get(first..first + uppers.len()) else { continue };
                for (of_kind, lent) in kinds.iter().zip(&sums.lent) {
                    let mut said = [0; ROWS_PER_TICK];
                    said_by_lenders(of_kind, first, near, &mut said);
                    for (upper, said) in uppers.iter_mut().zip(said) {
                        *upper += lent[usize::from(said)];
                    }
                }
            }
        }
    }

    /// The most that words of a byte give to a row of a length: those that it holds, and those above each step.
    #[inline(always)]
    fn own(&self, sums: &Sums, [held, above_one, above_two]: [u8; KINDS], length: u32) -> f32 {
        let length = (length as usize).min(LENGTHS - 1);
        let own = [held & !above_one, above_one & !above_two, above_two];
        own.into_iter()
            .zip(&self.kept)
            .zip(&sums.own)
            .map(|((own, kept), sums)| kept[length] * sums[usize::from(own)])
            .sum()
    }

    /// The bound of a row with the rows that lend to it.
    pub(super) fn with_lenders(&self, matches: &WordMatches, row: usize, lenders: [Option<usize>; LENDERS]) -> f32 {
        let mut upper = 0.0;
        for (byte, sums) in self.of_bytes.iter().enumerate() {
            let kinds = matches.kinds.each_ref().map(|bits| &bits[byte][..]);
            upper += self.own(sums, kinds.map(|bytes| bytes[row]), matches.lengths[row]);
            upper += self.share * lent(&sums.own, kinds, row, lenders);
        }
        upper
    }
}

/// For the rows from a turn on, the words that the rows do not hold and those do that lend to them. `held` is in the
/// order of time.
fn said_by_lenders(held: &[u8], first: usize, near: &[Near], said: &mut [u8; ROWS_PER_TICK]) {
    const WINDOW: usize = ROWS_PER_TICK + 2 * REACH;
    let rows = near.len();
    // Beyond the first and the last row is nothing.
    let mut window = [0; WINDOW];
    let (from, to) = (first.saturating_sub(REACH), (first + rows + REACH).min(held.len()));
    let at = from + REACH - first;
    window[at..at + to - from].copy_from_slice(&held[from..to]);
    let [second_before, before, own, after, second_after] = std::array::from_fn(|slot| &window[slot..slot + rows]);
    for (row, (said, near)) in said[..rows].iter_mut().zip(near).enumerate() {
        let masks = near.masks();
        let of_first = before[row] & masks[0] | after[row] & masks[1];
        let of_second = second_before[row] & masks[2] | second_after[row] & masks[3];
        *said = (of_first | of_second) & !own[row];
    }
}

/// The most that some neighbours lend to a row, before the share.
fn lent(sums: &OfByte, kinds: [&[u8]; KINDS], row: usize, lenders: [Option<usize>; LENDERS]) -> f32 {
    let bytes_of = |kind: usize| lenders.map(|lender| lender.map_or(0, |lender| kinds[kind][lender]));
    let [before, after, second_before, second_after] = bytes_of(0);
    let mut has = kinds[0][row];
    let mut lent = 0.0;
    // For each word, the neighbour that lends most counts.
    let lenders = [before, second_before, after | second_after];
    for (lender, rate) in lenders.iter().zip(GREATEST_RATES) {
        lent += rate * sums[0][usize::from(lender & !has)];
        has |= lender;
    }
    for kind in 1..KINDS {
        let [before, after, second_before, second_after] = bytes_of(kind);
        let words = usize::from((before | after | second_before | second_after) & !kinds[kind][row]);
        lent += GREATEST_RATES[0] * (sums[kind][words] - sums[kind - 1][words]);
    }
    lent
}
