//! Neighbour smoothing. In a conversation an entry rarely repeats the words of the entry before it: "Did you finish the
//! painting of the lake?" - "Yes, I finished it last year." So a matching entry may borrow a query word that it lacks
//! from the matching entries just before and after it, at a discount. This rule is only about words, measured in
//! ADR-0013: +5 points of nDCG@10 on conversations, nothing on unordered texts.
//!
//! The matches show whether order has a meaning: words are borrowed only if neighbours share words of the query more
//! often than by chance.

use crate::error::{Result, out_of_memory};
use crate::interrupt::{ROWS_PER_TICK, Tick};
use crate::rank::by_width::with_width;
use crate::timestamp::Micros;

/// The rates at which an entry borrows a word from the next and the second next matching entry.
pub(super) const FROM_BEFORE: [f32; 2] = [0.7, 0.5];
/// The rates for the entry before, and the entry before that.
pub(super) const FROM_AFTER: [f32; 2] = [0.3, 0.2];
/// Entries further apart in time are no neighbours.
pub(super) const GAP_MICROS: Micros = 30 * 60 * 1_000_000;
/// Words in more than this share of the matches are not used to compare neighbours.
const COMMON_SHARE: f64 = 0.20;
/// Shared words, relative to chance: below the first nothing is borrowed, from the second on everything is.
const LIFT: (f64, f64) = (1.2, 1.5);
/// Prior evidence, so that a few matches are not enough.
const LIFT_PRIOR: f64 = 2.0;

/// Average lengths, in distinct lexemes: up to the first, entries are as short as turns of a conversation; from the
/// second on, they are none (14 in two conversations; 27 to 30 in descriptions and web passages, 64 to 94 in
/// abstracts).
const SHORT_TURNS: f64 = 20.0;
const LONGEST_TURNS: f64 = 40.0;

/// The time of an entry, and its place among entries of the same instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival {
    /// Its creation time.
    pub created: Micros,
    /// Grows with insertion.
    pub order: i64,
    /// Distinguishes rows of one instant with the same order: any number from the row itself, so that neighbours do not
    /// depend on the places of rows.
    pub tie: u128,
}

/// The rule by which rows borrow from their neighbours.
pub struct Smoothing {
    /// The share of the discount rates that applies, above 0, at most 1.
    pub share: f32,
    /// Rows in the order of time; `None` if they are in this order already.
    by_time: Option<Vec<u32>>,
}

/// The similarity of rows to turns of a conversation, 0..1: neighbours share words, and each is short. `average_length`
/// is in distinct lexemes.
pub fn conversation(share: f32, average_length: f64) -> f64 {
    let brief = (LONGEST_TURNS - average_length) / (LONGEST_TURNS - SHORT_TURNS);
    f64::from(share) * brief.clamp(0.0, 1.0)
}

impl Smoothing {
    /// From parts: a run of one score for each lexeme, for every row. `document_frequency` counts the rows that hold
    /// each lexeme. `None` if nothing is borrowed.
    pub fn of(
        parts: &[f32],
        arrivals: &[Arrival],
        document_frequency: &[u64],
        tick: Tick<'_>,
    ) -> Result<Option<Smoothing>> {
        let (rows, width) = (arrivals.len(), document_frequency.len());
        if rows < 2 || width == 0 {
            return Ok(None);
        }
        // Mostly they lie in this order.
        let by_time = match arrivals.is_sorted() {
            true => None,
            false => {
                let mut by_time: Vec<u32> = Vec::new();
                by_time.try_reserve_exact(rows).map_err(|_| out_of_memory())?;
                by_time.extend(0..rows as u32);
                by_time.sort_by_key(|&row| arrivals[row as usize]);
                Some(by_time)
            }
        };
        tick();
        let held = held_by_time(parts, width, by_time.as_deref(), tick)?;
        let share = share_borrowed(&held, document_frequency, tick);
        Ok((share > 0.0).then_some(Smoothing { share, by_time }))
    }

    /// Calls `each` with every row and its parts, including borrowed ones, in the order of time. A row lends only its
    /// own words, so no word spreads further than two rows.
    pub fn each_row(
        &self,
        parts: &[f32],
        arrivals: &[Arrival],
        width: usize,
        tick: Tick<'_>,
        each: impl FnMut(usize, &[f32]),
    ) {
        match &self.by_time {
            None => with_width!(width, with_loans(self.share, parts, arrivals, |index| index, width, tick, each)),
            Some(by_time) => {
                let at = |index: usize| by_time[index] as usize;
                with_width!(width, with_loans(self.share, parts, arrivals, at, width, tick, each));
            }
        }
    }
}

/// [`Smoothing::each_row`]; `at` gives the row at a place in the order of time, `WIDTH` is the number of lexemes, or 0
/// for any.
fn with_loans<const WIDTH: usize>(
    share: f32,
    parts: &[f32],
    arrivals: &[Arrival],
    at: impl Fn(usize) -> usize,
    width: usize,
    tick: Tick<'_>,
    mut each: impl FnMut(usize, &[f32]),
) {
    let width = if WIDTH == 0 { width } else { WIDTH };
    let last = arrivals.len() - 1;
    let of = |index: usize| &parts[at(index) * width..][..width];
    let is_near = |earlier: usize, later: usize| {
        let apart = arrivals[at(later)].created.saturating_sub(arrivals[at(earlier)].created);
        later > earlier && apart <= GAP_MICROS
    };
    // A zero changes nothing, and without a branch there is no misprediction.
    let rate = |is_near: bool, rate: f32| if is_near { share * rate } else { 0.0 };
    let mut own = vec![0.0; width];
    // Whether the row before is near this one, the one before that near this one, and the one before near the next.
    let (mut first_before, mut second_before, mut before_next) = (false, false, false);
    for index in 0..=last {
        if index % ROWS_PER_TICK == 0 {
            tick();
        }
        let own = &mut own[..width];
        own.copy_from_slice(of(index));
        let (next, second_next) = ((index + 1).min(last), (index + 2).min(last));
        let first_after = is_near(index, next);
        let second_after = second_next == index + 2 && is_near(index, second_next);
        borrow(own, rate(first_before, FROM_BEFORE[0]), of(index.saturating_sub(1)));
        borrow(own, rate(first_after, FROM_AFTER[0]), of(next));
        borrow(own, rate(second_before, FROM_BEFORE[1]), of(index.saturating_sub(2)));
        borrow(own, rate(second_after, FROM_AFTER[1]), of(second_next));
        each(at(index), own);
        (first_before, second_before, before_next) = (first_after, before_next, second_after);
    }
}

/// Raises the parts of a row to a rate of those that another row lends.
#[inline(always)]
pub(super) fn borrow(own: &mut [f32], rate: f32, lender: &[f32]) {
    for (own, lender) in own.iter_mut().zip(lender) {
        let borrowed = rate * lender;
        *own = if borrowed > *own { borrowed } else { *own };
    }
}

/// The number of lexemes with a bit in one byte of a row.
const LEXEMES_A_BYTE: usize = 8;

/// The lexemes that rows hold, in the order of time: a byte of every row for each eight lexemes, one bit each.
fn held_by_time(parts: &[f32], width: usize, by_time: Option<&[u32]>, tick: Tick<'_>) -> Result<Vec<Vec<u8>>> {
    let rows = parts.len() / width;
    let reserved = || {
        let mut bytes: Vec<u8> = Vec::new();
        bytes.try_reserve_exact(rows).map(|()| bytes).map_err(|_| out_of_memory())
    };
    let mut held = Vec::new();
    for _ in 0..width.div_ceil(LEXEMES_A_BYTE) {
        held.push(reserved()?);
    }
    with_width!(width, add_held(&mut held, parts, width, tick));
    if let Some(by_time) = by_time {
        for bytes in &mut held {
            tick();
            let mut sorted = reserved()?;
            sorted.extend(by_time.iter().map(|&row| bytes[row as usize]));
            *bytes = sorted;
        }
    }
    Ok(held)
}

/// Adds the lexemes of each row, in the order of rows; `WIDTH` is the number of lexemes, or 0 for any.
fn add_held<const WIDTH: usize>(held: &mut [Vec<u8>], parts: &[f32], width: usize, tick: Tick<'_>) {
    let bits = |parts: &[f32]| (0..).zip(parts).fold(0, |bits, (bit, &part)| bits | u8::from(part > 0.0) << bit);
    for parts in parts.chunks(ROWS_PER_TICK * width) {
        tick();
        let rows = parts.chunks_exact(width);
        match held {
            [bytes] if WIDTH > 0 => bytes.extend(rows.map(bits_of_few::<WIDTH>)),
            _ => {
                for (number, bytes) in held.iter_mut().enumerate() {
                    let of_byte = |row: &[f32]| row.chunks(LEXEMES_A_BYTE).nth(number).map_or(0, bits);
                    bytes.extend(rows.clone().map(of_byte));
                }
            }
        }
    }
}

/// At most eight lexemes of a row, from a vector of numbers, which is wider than single bytes.
#[inline(always)]
fn bits_of_few<const WIDTH: usize>(row: &[f32]) -> u8 {
    let row: &[f32; WIDTH] = row.try_into().unwrap_or(&[0.0; WIDTH]);
    let bits: [u16; WIDTH] = std::array::from_fn(|lexeme| if row[lexeme] > 0.0 { 1 << lexeme } else { 0 });
    bits.iter().fold(0, |all, bit| all | bit) as u8
}

/// The share of the discount rates that applies, 0..1, by how much neighbours share words beyond chance. `held` has, in
/// the order of time, a byte of every row for each eight words; there are at least two rows.
pub(super) fn share_borrowed(held: &[Vec<u8>], document_frequency: &[u64], tick: Tick<'_>) -> f32 {
    let rows = held.first().map_or(0, Vec::len);
    let mut telling = vec![0_u8; held.len()];
    let (mut observed, mut expected, mut by_chance) = (0_u64, 0.0, 0.0);
    for (lexeme, &df) in document_frequency.iter().enumerate() {
        if df >= 2 && (df as f64) < COMMON_SHARE * rows as f64 {
            telling[lexeme / LEXEMES_A_BYTE] |= 1 << (lexeme % LEXEMES_A_BYTE);
            by_chance += (df as f64).powi(2);
        }
    }
    for distance in 1..=2usize.min(rows - 1) {
        for (bytes, &telling) in held.iter().zip(&telling) {
            let some = bytes[..rows - distance].chunks(ROWS_PER_TICK);
            for (earlier, later) in some.zip(bytes[distance..].chunks(ROWS_PER_TICK)) {
                tick();
                observed += shared(earlier, later, telling);
            }
        }
        expected += by_chance / rows as f64;
    }
    let lift = (observed as f64 + LIFT_PRIOR) / (expected + LIFT_PRIOR);
    ((lift - LIFT.0) / (LIFT.1 - LIFT.0)).clamp(0.0, 1.0) as f32
}

/// The number of used bits that are set in both, eight rows at once.
fn shared(earlier: &[u8], later: &[u8], telling: u8) -> u64 {
    let ((earlier, rest), (later, rest_of_later)) = (earlier.as_chunks::<8>(), later.as_chunks::<8>());
    let all = u64::from_ne_bytes([telling; 8]);
    let eights =
        earlier.iter().zip(later).map(|(one, other)| u64::from_ne_bytes(*one) & u64::from_ne_bytes(*other) & all);
    let ones = rest.iter().zip(rest_of_later).map(|(one, other)| u64::from(one & other & telling));
    eights.chain(ones).map(|bits| u64::from(bits.count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINUTE: Micros = 60_000_000;

    fn arrivals(minutes: &[i64]) -> Vec<Arrival> {
        minutes
            .iter()
            .enumerate()
            .map(|(order, at)| Arrival { created: at * MINUTE, order: order as i64, tie: 0 })
            .collect()
    }

    fn frequencies(parts: &[f32], width: usize) -> Vec<u64> {
        (0..width).map(|lexeme| parts.chunks(width).filter(|row| row[lexeme] > 0.0).count() as u64).collect()
    }

    /// The parts of rows after borrowing, and the share of the rates that applies; `None` if nothing is borrowed.
    fn lend(parts: &[f32], arrivals: &[Arrival], document_frequency: &[u64]) -> Option<(Vec<f32>, f32)> {
        let smoothing = Smoothing::of(parts, arrivals, document_frequency, &|| ()).unwrap()?;
        let (mut lent, width) = (parts.to_vec(), document_frequency.len());
        smoothing.each_row(parts, arrivals, width, &|| (), |row, with_loans| {
            lent[row * width..][..width].copy_from_slice(with_loans);
        });
        Some((lent, smoothing.share))
    }

    /// A conversation: word 0 in pairs of neighbours, word 1 elsewhere.
    fn turns() -> (Vec<f32>, Vec<Arrival>) {
        let mut parts = Vec::new();
        for row in 0..60 {
            let paired = row % 20 < 2;
            parts.extend([if paired { 2.0 } else { 0.0 }, if paired && row % 2 == 0 { 0.0 } else { 1.0 }]);
        }
        (parts, arrivals(&(0..60).collect::<Vec<_>>()))
    }

    #[test]
    fn a_word_said_just_before_counts_at_a_discount() {
        let (parts, arrivals) = turns();
        let (lent, _) = lend(&parts, &arrivals, &frequencies(&parts, 2)).unwrap();
        assert_eq!(lent[2 * 2], 0.7 * 2.0, "the row behind the pair borrows from the nearest");
        assert_eq!(lent[3 * 2], 0.5 * 2.0, "the one behind it from the second nearest");
        assert_eq!(lent[4 * 2], 0.0, "nothing spreads further");
        assert_eq!(lent[19 * 2], 0.3 * 2.0, "the row before the next pair borrows less");
    }

    #[test]
    fn a_conversation_is_of_short_entries_whose_neighbours_share_words() {
        assert_eq!(conversation(1.0, 14.0), 1.0);
        assert_eq!(conversation(0.5, 30.0), 0.25);
        assert_eq!(conversation(1.0, 64.0), 0.0);
        assert_eq!(conversation(0.0, 5.0), 0.0);
        let (parts, arrivals) = turns();
        assert_eq!(lend(&parts, &arrivals, &frequencies(&parts, 2)).unwrap().1, 1.0);
    }

    #[test]
    fn up_to_half_an_hour_apart_entries_are_near_and_a_microsecond_more_is_too_far() {
        let (parts, near) = turns();
        let apart_by = |gap: Micros| {
            let apart: Vec<Arrival> =
                near.iter().map(|arrival| Arrival { created: arrival.order * gap, ..*arrival }).collect();
            lend(&parts, &apart, &frequencies(&parts, 2)).unwrap().0
        };
        let lent = apart_by(30 * MINUTE);
        assert_eq!((lent[2 * 2], lent[3 * 2]), (0.7 * 2.0, 0.0), "the next is near, the one behind it an hour away");
        assert_eq!(apart_by(30 * MINUTE + 1), parts);
    }

    #[test]
    fn where_order_means_nothing_nothing_is_borrowed() {
        let mut parts = vec![0.0f32; 120];
        for row in (0..60).step_by(7) {
            parts[row * 2] = 2.0;
        }
        let arrivals = arrivals(&(0..60).collect::<Vec<_>>());
        assert_eq!(lend(&parts, &arrivals, &frequencies(&parts, 2)), None);
    }

    #[test]
    fn two_matches_prove_nothing() {
        let parts = [1.0, 1.0];
        assert_eq!(lend(&parts, &arrivals(&[0, 1]), &[2]), None);
    }

    /// [`share_borrowed`] by its definition: shared words of neighbours are counted one by one. `said[row][lexeme]`,
    /// rows in the order of time.
    fn share_by_definition(said: &[Vec<bool>], df: &[u64]) -> f64 {
        let rows = said.len();
        let telling: Vec<usize> =
            (0..df.len()).filter(|&lexeme| df[lexeme] >= 2 && (df[lexeme] as f64) < 0.2 * rows as f64).collect();
        let (mut observed, mut expected) = (0.0, 0.0);
        for distance in [1, 2] {
            for &lexeme in &telling {
                observed +=
                    (distance..rows).filter(|&row| said[row][lexeme] && said[row - distance][lexeme]).count() as f64;
                expected += (df[lexeme] * df[lexeme]) as f64 / rows as f64;
            }
        }
        let lift = (observed + 2.0) / (expected + 2.0);
        ((lift - 1.2) / 0.3).clamp(0.0, 1.0)
    }

    proptest! {
        /// 70 lexemes are more than one element of bits; few are said, so that shares between nothing and all of it
        /// occur.
        #[test]
        fn how_much_is_borrowed_is_by_how_far_neighbours_share_words_beyond_chance(
            said in proptest::collection::vec(proptest::collection::vec(proptest::bool::weighted(0.06), 70), 20..60),
            repeats in proptest::collection::vec((0..60usize, 0..70usize), 0..40),
        ) {
            let (mut said, rows) = (said.clone(), said.len());
            for (row, lexeme) in repeats {
                (said[row % rows][lexeme], said[(row + 1) % rows][lexeme]) = (true, true);
            }
            let parts: Vec<f32> = said.iter().flatten().map(|said| if *said { 1.5 } else { 0.0 }).collect();
            let df = frequencies(&parts, 70);
            let share = lend(&parts, &arrivals(&(0..rows as i64).collect::<Vec<_>>()), &df).map_or(0.0, |(_, share)| share);
            prop_assert!((f64::from(share) - share_by_definition(&said, &df)).abs() < 1e-6);
        }

        #[test]
        fn no_score_falls_and_the_order_of_rows_does_not_matter(
            words in proptest::collection::vec(proptest::collection::vec(proptest::bool::weighted(0.2), 3), 2..60), turn in 0..60usize,
        ) {
            let rows = words.len();
            let parts: Vec<f32> = words.iter().flatten().map(|said| if *said { 1.5 } else { 0.0 }).collect();
            let at = arrivals(&(0..rows as i64).collect::<Vec<_>>());
            let df = frequencies(&parts, 3);
            let lent = lend(&parts, &at, &df).map_or_else(|| parts.clone(), |(lent, _)| lent);
            for (own, lent) in parts.iter().zip(&lent) {
                prop_assert!(lent >= own && *lent <= 1.5);
            }
            let turned = |row: usize| (row + turn) % rows;
            let parts_turned: Vec<f32> = (0..rows).flat_map(|row| parts[turned(row) * 3..turned(row) * 3 + 3].to_vec()).collect();
            let at_turned: Vec<Arrival> = (0..rows).map(|row| at[turned(row)]).collect();
            let lent_turned = lend(&parts_turned, &at_turned, &df).map_or_else(|| parts_turned.clone(), |(lent, _)| lent);
            for row in 0..rows {
                prop_assert_eq!(&lent_turned[row * 3..row * 3 + 3], &lent[turned(row) * 3..turned(row) * 3 + 3]);
            }
        }
    }
}
