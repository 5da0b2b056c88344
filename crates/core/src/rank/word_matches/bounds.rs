//! Upper bounds of rows' scores, by the bits of their words and of those that neighbours lend.
//!
//! The score of a word rises with its frequency and falls with the row's length. So a word whose frequency is not above
//! a step has at most the score of that frequency in the shortest row, times the share that a row of this length keeps.
//! Neighbours lend at most a rate of the word's score in the shortest row.

use super::{KINDS, Kinds, STEPS, WORDS_A_BYTE, WordMatches};
use crate::interrupt::{ROWS_PER_TICK, Tick};
use crate::rank::bm25;
use crate::rank::near::{GREATEST_RATES, Near};

/// Values of a byte.
const BYTES: usize = 256;
/// The number of distinguished lengths: longer rows keep at most as much as the longest of these.
const LENGTHS: usize = 256;
/// The rounding error of a bound is below this.
const ROUNDING: f32 = 1.0001;

/// For each kind of frequencies, the greatest sum of scores for the words of a byte.
type OfByte = [[f32; BYTES]; KINDS];

/// Upper bounds of rows' scores.
pub(super) struct Bounds {
    of_bytes: Vec<OfByte>,
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
            let mut found: OfByte = [[0.0; BYTES]; KINDS];
            for (kind, sums) in found.iter_mut().enumerate() {
                let gives: [f32; WORDS_A_BYTE] = std::array::from_fn(|word| {
                    let Some(&greatest) = matches.greatest.get(first + word) else { return 0.0 };
                    let frequency = f64::from(greatest_of(greatest)[kind]);
                    bm25::part(idf[first + word], frequency, matches.parameters.k1, norm(shortest)) * ROUNDING
                });
                for byte in 1..BYTES {
                    sums[byte] = sums[byte & (byte - 1)] + gives[byte.trailing_zeros() as usize];
                }
            }
            found
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
        for (byte, of_byte) in self.of_bytes.iter().enumerate() {
            let kinds = kinds.each_ref().map(|bits| &bits[byte][..rows]);
            for (chunk, uppers) in uppers.chunks_mut(ROWS_PER_TICK).enumerate() {
                tick();
                for (turn, upper) in (chunk * ROWS_PER_TICK..).zip(uppers) {
                    let length = (length(turn) as usize).min(LENGTHS - 1);
                    let [held, above_one, above_two] = kinds.map(|bytes| bytes[turn]);
                    let own = [held & !above_one, above_one & !above_two, above_two];
                    for kind in 0..KINDS {
                        *upper += self.kept[kind][length] * of_byte[kind][usize::from(own[kind])];
                    }
                    if let Some(near) = near.get(turn).filter(|near| near.is_any()) {
                        *upper += self.share * lent(of_byte, &kinds, turn, *near);
                    }
                }
            }
        }
    }
}

/// The most that neighbours lend to a row, before the share.
#[inline(always)]
fn lent(of_byte: &OfByte, kinds: &[&[u8]; KINDS], turn: usize, near: Near) -> f32 {
    let [before, after, second_before, second_after] = near.bytes_of(kinds[0], turn);
    let mut has = kinds[0][turn];
    let mut lent = 0.0;
    // For each word, the neighbour that lends most counts.
    let lenders = [before, second_before, after | second_after];
    for (lender, rate) in lenders.iter().zip(GREATEST_RATES) {
        lent += rate * of_byte[0][usize::from(lender & !has)];
        has |= lender;
    }
    for kind in 1..KINDS {
        let [before, after, second_before, second_after] = near.bytes_of(kinds[kind], turn);
        let words = usize::from((before | after | second_before | second_after) & !kinds[kind][turn]);
        lent += GREATEST_RATES[0] * (of_byte[kind][words] - of_byte[kind - 1][words]);
    }
    lent
}
