//! The documents that hold words of the query, from postings, ready to be scored.

use memory_search_core::error;
use memory_search_core::rank::bm25::{Collection, Parameters};
use memory_search_core::rank::word_matches::WordMatches;
use memory_search_core::text::query_lexemes::{Meaning, QueryLexemes};
use memory_search_index::document::Wanted;
use memory_search_index::fault::Outcome;
use memory_search_index::segment::Postings;

use super::arrival_times::ArrivalTimes;
use super::counted::{Counted, Part};
use super::open::{OpenIndex, RankedBy};
use crate::pg::interrupt;

/// The documents that hold words of the query.
pub struct Matching {
    /// The rows to score.
    pub rows: WordMatches,
    /// The statistics for it.
    pub collection: Collection,
    /// The times at which the rows were added.
    pub times: ArrivalTimes,
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
    let mut rows = WordMatches::none(wanted.words, wanted.meanings.clone(), parameters);
    let mut collection = Collection { entries: counted.rows(), total_length: 0 };
    let mut of_parts = Vec::with_capacity(counted.parts.len());
    let lists = counted.parts.iter().map(|part| lists_of(counted, part, wanted)).collect::<Outcome<Vec<_>>>()?;
    rows.reserve(&counts(counted, &lists, wanted))?;
    for (part, lists) in counted.parts.iter().zip(&lists) {
        let Lexemes { hashes, in_order, ranked_by } = &wanted.of_indexes[counted.index_of_part(part)];
        let before = rows.len();
        rows.begin_part(part.first, part.counts.size())?;
        match counted.segment(part).map(|open| &open.segment) {
            Some(segment) => {
                for (which, postings) in lists.iter().enumerate() {
                    interrupt::check();
                    let mut adder = rows.adder(in_order[which], postings.count() as usize)?;
                    segment.each_posting(postings, |document, occurrences| {
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
        add_lengths(counted, part, before, &mut rows, &mut collection)?;
        of_parts.push((before..rows.len(), *ranked_by));
    }
    let times = ArrivalTimes::of(counted, &rows.documents, &of_parts)?;
    Ok(Matching { rows, collection, times })
}

/// The postings of the wanted lexemes in a segment, in the order of their hashes; none for a tail.
fn lists_of(counted: &Counted<'_>, part: &Part, wanted: &Asked) -> Outcome<Vec<Postings>> {
    let Some(open) = counted.segment(part) else { return Ok(Vec::new()) };
    let hashes = wanted.of_indexes[counted.index_of_part(part)].hashes.hashes();
    let list = |&hash| {
        interrupt::check();
        open.segment.postings_of(hash)
    };
    hashes.iter().map(list).collect()
}

/// The number of documents in the lists of each lexeme, including those that do not count.
fn counts(counted: &Counted<'_>, lists: &[Vec<Postings>], wanted: &Asked) -> Vec<usize> {
    let mut counts = vec![0; wanted.meanings.len()];
    for (part, lists) in counted.parts.iter().zip(lists) {
        let Lexemes { in_order, .. } = &wanted.of_indexes[counted.index_of_part(part)];
        for (list, &lexeme) in lists.iter().zip(in_order) {
            counts[lexeme] += list.count() as usize;
        }
    }
    counts
}

/// Adds the lengths of a part's rows, which begin at `before`, and those of all its documents to the sum.
fn add_lengths(
    counted: &Counted<'_>,
    part: &Part,
    before: usize,
    rows: &mut WordMatches,
    collection: &mut Collection,
) -> Outcome<()> {
    interrupt::check();
    let WordMatches { documents, lengths, .. } = rows;
    let documents = &documents[before..];
    lengths.try_reserve(documents.len()).map_err(|_| error::out_of_memory())?;
    if let Some(open) = counted.segment(part) {
        let column = open.segment.lengths()?;
        let of_rows = documents.iter().map(|document| document - part.first);
        column.each_of(of_rows, |length| lengths.push(length.unwrap_or(0) as u32));
        collection.total_length += column.sum(&part.counts);
        return Ok(());
    }
    let contents = counted.contents(part);
    let mut of_rows = documents.iter().peekable();
    for document in part.counts.iter() {
        let (_, _, view) = contents.tail_document(document)?;
        collection.total_length += u64::from(view.length());
        if of_rows.next_if(|row| **row == part.first + document).is_some() {
            lengths.push(view.length());
        }
    }
    Ok(())
}
