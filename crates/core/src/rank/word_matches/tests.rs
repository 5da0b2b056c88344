//! Tests scores by bounds against the scores of all rows.

use proptest::prelude::*;

use super::*;
use crate::rank::arrivals::Arrivals;
use crate::rank::best_rows::with_best_scores;
use crate::rank::bm25::{MatchingRows, Score};
use crate::rank::neighbour_smoothing::Arrival;

/// A document: the frequency of each lexeme (mostly 0), its length and its arrival.
type Document = (Vec<u16>, u32, i64);

const MINUTE: i64 = 60_000_000;

/// Lexeme `n` counts for word `n` modulo the number of words; further ones count less than one.
fn meanings(lexemes: usize, words: usize) -> Vec<Meaning> {
    (0..lexemes).map(|at| Meaning { word: at % words, weight: if at < words { 1.0 } else { 0.6 } }).collect()
}

fn occurrences(count: u16) -> Occurrences {
    // Odd counts in the text, even ones in the metadata too.
    Occurrences { by_weight: [u16::from(count.is_multiple_of(2)), 0, count, 0] }
}

fn added(parts: &[Vec<Document>], meanings: &[Meaning], words: usize) -> (WordMatches, Vec<i64>) {
    let mut arrivals = Arrivals::default();
    let mut matches = WordMatches::none(words, meanings.to_vec(), Parameters::default());
    let mut first = 0;
    for part in parts {
        let before = matches.len();
        matches.begin_part(first, part.len() as u32).unwrap();
        for lexeme in 0..meanings.len() {
            let mut adder = matches.adder(lexeme, part.len()).unwrap();
            for (number, (counts, ..)) in part.iter().enumerate().filter(|(_, (counts, ..))| counts[lexeme] > 0) {
                adder.add(number as u32, occurrences(counts[lexeme]));
            }
        }
        matches.end_part().unwrap();
        for row in before..matches.len() {
            let (_, length, created) = &part[(matches.documents[row] - first) as usize];
            matches.lengths.push(*length);
            arrivals.created.push(*created);
            arrivals.order.push(i64::from(matches.documents[row]));
        }
        first += part.len() as u32;
    }
    matches.order = arrivals.time_order().unwrap();
    (matches, arrivals.created)
}

/// Prepares to score rows with these creation times.
fn prepared(matches: &WordMatches, collection: Collection, with_smoothing: bool, created: &[i64]) -> Scoring {
    matches.scoring(collection, with_smoothing, || Ok::<_, crate::Error>(created.to_vec()), &|| ()).unwrap()
}

/// All rows, the frequency of each word in each, and the number of words in each.
fn all_rows(parts: &[Vec<Document>], meanings: &[Meaning], words: usize) -> (MatchingRows, Vec<usize>) {
    let mut rows = MatchingRows::none(words, Parameters::default());
    let mut held = Vec::new();
    for (number, (counts, length, created)) in parts.iter().flatten().enumerate() {
        let mut frequencies = vec![0.0_f32; words];
        for (meaning, &count) in meanings.iter().zip(counts).filter(|(_, count)| **count > 0) {
            let own = &mut frequencies[meaning.word];
            *own = own.max(frequency(&rows.parameters, occurrences(count), meaning.weight));
        }
        if frequencies.iter().all(|&frequency| frequency == 0.0) {
            continue;
        }
        held.push(frequencies.iter().filter(|frequency| **frequency > 0.0).count());
        for (df, frequency) in rows.document_frequency.iter_mut().zip(&frequencies) {
            *df += u64::from(*frequency > 0.0);
        }
        rows.frequencies.extend(frequencies);
        rows.lengths.push(*length);
        rows.arrivals.push(Arrival { created: *created, order: number as i64, tie: 0 });
    }
    (rows, held)
}

fn documents(lexemes: usize) -> impl Strategy<Value = Vec<Vec<Document>>> {
    let counts = prop::collection::vec(prop_oneof![8 => Just(0_u16), 3 => Just(1), 1 => 2..9_u16], lexemes);
    let document = (counts, prop_oneof![9 => 1..30_u32, 1 => 200..400_u32], 0..400_i64);
    prop::collection::vec(prop::collection::vec(document, 0..120), 1..4)
}

proptest! {
    #[test]
    fn the_best_rows_and_their_scores_are_those_of_all_rows(
        (words, lexemes, parts) in (1..20_usize, 0..4_usize)
            .prop_flat_map(|(words, more)| (Just(words), Just(words + more), documents(words + more))),
        repeats in prop::collection::vec((0..300_usize, 0..20_usize), 0..60),
        count in 1..40_usize, every in 2..9_usize, in_order: bool, with_smoothing: bool,
    ) {
        let mut parts = parts;
        // Neighbours share words beyond chance, so that something is lent.
        for part in parts.iter_mut().filter(|part| part.len() > 2) {
            for &(document, lexeme) in &repeats {
                let (document, lexeme) = (document % (part.len() - 1), lexeme % lexemes);
                part[document].0[lexeme] = 1 + (document % 3) as u16;
                part[document + 1].0[lexeme] = 1;
            }
        }
        let mut at = 0;
        for (_, _, created) in parts.iter_mut().flatten() {
            at += *created % 40;
            *created = MINUTE * if in_order { at } else { *created };
        }
        let meanings = meanings(lexemes, words);
        let (matches, created) = added(&parts, &meanings, words);
        let (mut rows, held) = all_rows(&parts, &meanings, words);
        prop_assert_eq!(&matches.document_frequency, &rows.document_frequency);
        prop_assert_eq!(Vec::from_iter((0..matches.len()).map(|row| matches.words_held(row))), held);
        let collection = Collection { entries: 500, total_length: 6_000 };
        let expected = rows.scores(collection, with_smoothing, &|| ()).unwrap();
        let mut scoring = prepared(&matches, collection, with_smoothing, &created);
        prop_assert_eq!(scoring.share_lent, expected.share_lent);
        let bits = |score: Score| (score.bm25.to_bits(), score.words.to_bits());
        for (row, score) in expected.of_rows.iter().enumerate() {
            let upper = scoring.upper_by_lenders(&matches, row);
            prop_assert!(f64::from(upper) >= score.words);
            // Roundings differ.
            prop_assert!(scoring.upper(row) * 1.000_01 >= upper);
        }
        // One row in some may not be taken.
        let may_be_taken = |row: usize| row % every != 1;
        let mut left = Vec::from_iter((0..matches.len()).filter(|&row| may_be_taken(row)));
        loop {
            let taken = scoring.take_best(&matches, may_be_taken, count, &|| ()).unwrap();
            let mut best = with_best_scores(&mut left, count, |row| expected.of_rows[row].words).unwrap();
            best.sort_unstable();
            prop_assert_eq!(&taken.rows, &best);
            for &row in &taken.rows {
                prop_assert_eq!(scoring.score(row).map(bits), Some(bits(expected.of_rows[row])));
            }
            if taken.are_all {
                prop_assert!(left.is_empty());
                break;
            }
            // Rows beyond the count are taken with the next ones.
            let beyond = taken.rows.get(count..).unwrap_or_default();
            scoring.put_back(beyond);
            left.extend(beyond);
            left.sort_unstable();
        }
        let some: Vec<usize> = (0..matches.len()).step_by(3).collect();
        let mut scoring = prepared(&matches, collection, with_smoothing, &created);
        scoring.score_rows(&matches, &some, &|| ()).unwrap();
        for row in some {
            prop_assert_eq!(scoring.score(row).map(bits), Some(bits(expected.of_rows[row])));
        }
    }
}

#[test]
fn most_rows_are_not_scored() {
    // One document in ten holds both words, which makes its score the best.
    let part = (0..10_000_i64).map(|at| (vec![1, u16::from(at % 10 == 0)], 10 + (at % 7) as u32, at * 3_600_000_000));
    let (matches, created) = added(&[part.collect()], &meanings(2, 2), 2);
    let mut scoring = prepared(&matches, Collection { entries: 20_000, total_length: 240_000 }, true, &created);
    let ticks = std::cell::Cell::new(0);
    let tick = || ticks.set(ticks.get() + 1);
    let taken = scoring.take_best(&matches, |_| true, 75, &tick).unwrap().rows;
    assert!(taken.iter().all(|row| row % 10 == 0) && taken.len() >= 75);
    assert!(ticks.get() <= 4, "at most 3,000 of 10,000 rows were scored: {}", ticks.get());
}
