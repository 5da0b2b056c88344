//! The scores of rows by their own words and those that neighbours lend, each equal to the score when all rows are
//! scored.

use super::scores::Scoring;
use super::{Hit, WORDS_A_BYTE, WordMatches};
use crate::error::{Result, out_of_memory};
use crate::interrupt::{ROWS_PER_TICK, Tick};
use crate::rank::bm25::{self, Score};
use crate::rank::near::{LENDERS, RATES};
use crate::rank::neighbour_smoothing;

impl Scoring {
    /// The scores of ascending rows.
    pub(super) fn scores_of(&self, matches: &WordMatches, rows: &[usize], tick: Tick<'_>) -> Result<Vec<Score>> {
        let mut scores = Vec::new();
        scores.try_reserve_exact(rows.len()).map_err(|_| out_of_memory())?;
        let width = matches.words();
        // The row itself, and those that lend.
        const SLOTS: usize = 1 + LENDERS;
        let (mut wanted, mut needed): (Vec<(usize, usize)>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut places = [[None; SLOTS]; ROWS_PER_TICK];
        let mut with_loans: Vec<f32> = Vec::new();
        for rows in rows.chunks(ROWS_PER_TICK) {
            tick();
            wanted.clear();
            for (number, &row) in rows.iter().enumerate() {
                places[number] = [None; SLOTS];
                let lenders = self.lenders(matches, row).into_iter().enumerate();
                let lenders = lenders.filter_map(|(slot, lender)| Some((lender?, number * SLOTS + 1 + slot)));
                wanted.extend(std::iter::once((row, number * SLOTS)).chain(lenders));
            }
            wanted.sort_unstable();
            needed.clear();
            for &(row, slot) in &wanted {
                if needed.last() != Some(&row) {
                    needed.push(row);
                }
                places[slot / SLOTS][slot % SLOTS] = Some(needed.len() - 1);
            }
            let parts = self.parts(matches, &needed);
            let at = |place: usize| &parts[place * width..][..width];
            for [own, lenders @ ..] in &places[..rows.len()] {
                with_loans.clear();
                with_loans.extend_from_slice(own.map_or(&[], at));
                let bm25 = bm25::sum(&with_loans);
                for (lender, rate) in lenders.iter().zip(RATES) {
                    if let Some(lender) = *lender {
                        neighbour_smoothing::borrow(&mut with_loans, self.share_lent * rate, at(lender));
                    }
                }
                scores.push(Score { bm25, words: bm25::sum(&with_loans) });
            }
        }
        Ok(scores)
    }

    /// The neighbours that lend words to a row.
    pub(super) fn lenders(&self, matches: &WordMatches, row: usize) -> [Option<usize>; LENDERS] {
        let turn = matches.order.turn(row);
        let Some(near) = self.near.get(turn) else { return [None; LENDERS] };
        near.lenders(turn).map(|lender| lender.map(|turn| matches.order.row(turn)))
    }

    /// BM25 of every word in some ascending rows, a run for each.
    fn parts(&self, matches: &WordMatches, rows: &[usize]) -> Vec<f32> {
        let width = matches.words();
        let mut parts = vec![0.0_f32; rows.len() * width];
        for (lexeme, hits) in matches.hits.iter().enumerate() {
            let word = matches.meanings[lexeme].word;
            let (byte, bit) = (word / WORDS_A_BYTE, 1_u8 << (word % WORDS_A_BYTE));
            let held = &matches.kinds[0][byte];
            let mut rest = &hits[..];
            for (place, &row) in rows.iter().enumerate().filter(|(_, row)| held[**row] & bit != 0) {
                rest = from(rest, matches.documents[row]);
                if let Some(hit) = rest.first().filter(|hit| hit.document == matches.documents[row]) {
                    let own = &mut parts[place * width + word];
                    *own = if hit.frequency > *own { hit.frequency } else { *own };
                }
            }
        }
        for (&row, parts) in rows.iter().zip(parts.chunks_exact_mut(width)) {
            let norm = matches.parameters.norm(matches.lengths[row], self.average_length);
            for (part, &idf) in parts.iter_mut().zip(&self.idf) {
                *part = bm25::part(idf, f64::from(*part), matches.parameters.k1, norm);
            }
        }
        parts
    }
}

/// The hits from a document on, which is mostly only a few hits further.
fn from(hits: &[Hit], document: u32) -> &[Hit] {
    let is_before = |hit: &Hit| hit.document < document;
    let mut reach = 1;
    while hits.get(reach).is_some_and(is_before) {
        reach *= 2;
    }
    // The one in the middle is before.
    let begin = reach / 2;
    let within = hits.get(begin..hits.len().min(reach + 1)).unwrap_or_default();
    &hits[begin.min(hits.len()) + within.partition_point(is_before)..]
}
