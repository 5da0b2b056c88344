//! The documents that hold words of the query, from postings, ready to be scored.

use memory_search_core::error;
use memory_search_core::rank::bm25::{Collection, Parameters};
use memory_search_core::rank::word_matches::WordMatches;
use memory_search_core::text::query_lexemes::{Meaning, QueryLexemes};
use memory_search_index::document::Wanted;
use memory_search_index::fault::Outcome;

use super::counted::Counted;
use super::open::{OpenIndex, RankedBy};
use crate::pg::interrupt;

/// The documents that hold words of the query.
pub struct Matching {
    /// The rows to score.
    pub rows: WordMatches,
    /// The statistics for it.
    pub collection: Collection,
}

/// The words to look up.
pub struct Asked {
    /// Their lexemes, in the form of each index.
    of_indexes: Vec<Lexemes>,
    /// The word that each lexeme stands for, in the query's order.
    meanings: Vec<Meaning>,
    /// The number of the query's words.
    words: usize,
}

/// The lexemes, under an index's key.
struct Lexemes {
    /// Hashes in ascending order.
    hashes: Wanted,
    /// For each hash, the position of its lexeme among the query's.
    in_order: Vec<usize>,
    /// The number columns of the index for ranking.
    ranked_by: RankedBy,
}

impl Asked {
    /// A query's words, for these indexes.
    pub fn of<'a>(lexemes: &QueryLexemes, indexes: impl Iterator<Item = &'a OpenIndex>) -> Outcome<Asked> {
        let of_indexes = indexes.map(|index| Lexemes::of(lexemes, index)).collect::<Outcome<_>>()?;
        Ok(Asked { of_indexes, meanings: lexemes.meanings().collect(), words: lexemes.words() })
    }
}

impl Lexemes {
    fn of(lexemes: &QueryLexemes, open: &OpenIndex) -> Outcome<Lexemes> {
        let hashes = open.index.hashes();
        let mut sorted: Vec<(u64, usize)> =
            lexemes.iter().enumerate().map(|(place, lexeme)| (hashes.lexeme(lexeme.as_bytes()), place)).collect();
        sorted.sort_unstable();
        let (sorted, in_order): (Vec<u64>, Vec<usize>) = sorted.into_iter().unzip();
        Ok(Lexemes { hashes: Wanted::new(&sorted)?, in_order, ranked_by: open.ranked_by })
    }
}

/// Finds the documents.
pub fn find(counted: &Counted<'_>, wanted: &Asked, parameters: Parameters) -> Outcome<Matching> {
    let mut matching = Matching {
        rows: WordMatches::none(wanted.words, wanted.meanings.clone(), parameters),
        collection: Collection { entries: counted.rows(), total_length: 0 },
    };
    for (number, part) in counted.parts.iter().enumerate() {
        let Lexemes { hashes, in_order, ranked_by } = &wanted.of_indexes[counted.index_of_part(part)];
        let rows = &mut matching.rows;
        rows.begin_part(part.first, part.counts.size())?;
        match counted.segment(part).map(|open| &open.segment) {
            Some(segment) => {
                for (which, &hash) in hashes.hashes().iter().enumerate() {
                    interrupt::check();
                    let postings = segment.postings_of(hash)?;
                    let mut adder = rows.adder(in_order[which], postings.count() as usize)?;
                    segment.each_posting(&postings, |document, occurrences| {
                        if part.counts.contains(document) {
                            adder.add(document, occurrences);
                        }
                    })?;
                }
            }
            None => {
                interrupt::check();
                let contents = counted.contents(part);
                for document in part.counts.iter() {
                    let (_, _, view) = contents.tail_document(document)?;
                    let mut added = Ok(());
                    view.find(hashes, |which, occurrences| match rows.adder(in_order[which], 1) {
                        Ok(mut adder) => adder.add(document, occurrences),
                        Err(error) => added = Err(error),
                    });
                    added?;
                }
            }
        }
        rows.end_part()?;
        matching.complete_part(counted, number, *ranked_by)?;
    }
    Ok(matching)
}

impl Matching {
    /// Adds the lengths of a part's rows, and their order of insertion.
    fn complete_part(&mut self, counted: &Counted<'_>, number: usize, ranked_by: RankedBy) -> Outcome<()> {
        interrupt::check();
        let part = &counted.parts[number];
        let WordMatches { documents, lengths, arrivals, .. } = &mut self.rows;
        let documents = &documents[lengths.len()..];
        lengths.try_reserve(documents.len()).map_err(|_| error::out_of_memory())?;
        arrivals.reserve(documents.len())?;
        // The values for a missing number.
        let (no_time, no_order) = (i64::MIN, 0);
        let Some(segment) = counted.segment(part).map(|open| &open.segment) else {
            let contents = counted.contents(part);
            let mut of_rows = documents.iter().peekable();
            for document in part.counts.iter() {
                let (_, _, view) = contents.tail_document(document)?;
                self.collection.total_length += u64::from(view.length());
                if of_rows.next_if(|row| **row == part.first + document).is_some() {
                    lengths.push(view.length());
                    arrivals.created.push(ranked_by.created.and_then(|column| view.number(column)).unwrap_or(no_time));
                    arrivals.order.push(ranked_by.order.and_then(|column| view.number(column)).unwrap_or(no_order));
                }
            }
            return Ok(());
        };
        let of_rows = || documents.iter().map(|document| document - part.first);
        let column = segment.lengths()?;
        column.each_of(of_rows(), |length| lengths.push(length.unwrap_or(0) as u32));
        self.collection.total_length += column.sum(&part.counts);
        for (column, numbers, nothing) in
            [(ranked_by.created, &mut arrivals.created, no_time), (ranked_by.order, &mut arrivals.order, no_order)]
        {
            match column {
                Some(column) => {
                    segment.numbers(column)?.each_of(of_rows(), |number| numbers.push(number.unwrap_or(nothing)));
                }
                None => numbers.resize(lengths.len(), nothing),
            }
        }
        Ok(())
    }
}
