//! The documents that hold words of the query, from postings, ready to be scored.

use memory_search_core::rank::bm25::{Collection, MatchingRows, Parameters};
use memory_search_core::rank::neighbour_smoothing::Arrival;
use memory_search_core::text::document::Occurrences;
use memory_search_core::text::query_lexemes::{Meaning, QueryLexemes};
use memory_search_core::{Result, error};
use memory_search_index::bitset::Bitset;
use memory_search_index::document::Wanted;
use memory_search_index::fault::Outcome;

use super::counted::Counted;
use super::open::{OpenIndex, RankedBy};
use crate::pg::interrupt;

/// The documents that hold words of the query.
pub struct Matching {
    /// What is scored.
    pub rows: MatchingRows,
    /// The statistics behind it.
    pub collection: Collection,
    /// Of each row the number of its document, ascending.
    pub documents: Vec<u32>,
    /// Of each row how many of the words it holds.
    pub held: Vec<u16>,
    /// Of each lexeme how many rows hold it.
    pub holding: Vec<u64>,
}

/// A posting that counts.
struct Hit {
    document: u32,
    frequency: f32,
}

/// The words that are looked for.
pub struct Asked {
    /// Their lexemes, as each of the indexes has them.
    of_indexes: Vec<Lexemes>,
    /// What each lexeme means, in the query's order.
    meanings: Vec<Meaning>,
    /// How many words the query has.
    words: usize,
}

/// The lexemes, under an index's key.
struct Lexemes {
    /// Hashes in ascending order.
    hashes: Wanted,
    /// Of each hash the place of its lexeme among the query's.
    in_order: Vec<usize>,
    /// What the index says of documents besides.
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

/// Finds them.
pub fn find(counted: &Counted<'_>, wanted: &Asked, parameters: Parameters) -> Outcome<Matching> {
    let width = wanted.meanings.len();
    let mut matching = Matching {
        rows: MatchingRows::none(wanted.words, parameters),
        collection: Collection { entries: counted.rows(), total_length: 0 },
        documents: Vec::new(),
        held: Vec::new(),
        holding: vec![0; width],
    };
    let mut of_parts = Vec::new();
    for part in &counted.parts {
        interrupt::check();
        let Lexemes { hashes, in_order, .. } = &wanted.of_indexes[counted.index_of_part(part)];
        let mut hits: Vec<Vec<Hit>> = Vec::new();
        hits.resize_with(width, Vec::new);
        let mut held = Bitset::empty(part.counts.size())?;
        // Most postings say one of two things.
        let nothing = (Occurrences::default(), parameters.weighted(Occurrences::default()));
        let (mut usual, mut other) = (nothing, nothing);
        let mut add = |hits: &mut Vec<Hit>, document: u32, occurrences: Occurrences| {
            if part.counts.contains(document) {
                held.insert(document);
                if occurrences != usual.0 {
                    std::mem::swap(&mut usual, &mut other);
                    if occurrences != usual.0 {
                        usual = (occurrences, parameters.weighted(occurrences));
                    }
                }
                hits.push(Hit { document, frequency: usual.1 });
            }
        };
        match counted.segment(part).map(|open| &open.segment) {
            Some(segment) => {
                for (which, &hash) in hashes.hashes().iter().enumerate() {
                    let postings = segment.postings_of(hash)?;
                    let hits = &mut hits[in_order[which]];
                    hits.try_reserve_exact(postings.count() as usize).map_err(|_| error::out_of_memory())?;
                    segment.each_posting(&postings, |document, occurrences| add(hits, document, occurrences))?;
                }
            }
            None => {
                let contents = counted.contents(part);
                for document in 0..contents.tail_documents() {
                    let (_, _, view) = contents.tail_document(document)?;
                    for hits in &mut hits {
                        hits.try_reserve(1).map_err(|_| error::out_of_memory())?;
                    }
                    view.find(hashes, |which, occurrences| add(&mut hits[in_order[which]], document, occurrences));
                }
            }
        }
        of_parts.push((held, hits));
    }
    matching.reserve(of_parts.iter().map(|(held, _)| held.count() as usize).sum(), wanted.words)?;
    // Lexemes of one word follow each other.
    let mut by_word: Vec<usize> = (0..width).collect();
    by_word.sort_by_key(|&lexeme| wanted.meanings[lexeme].word);
    for (number, (held, hits)) in of_parts.into_iter().enumerate() {
        interrupt::check();
        let ranked_by = wanted.of_indexes[counted.index_of_part(&counted.parts[number])].ranked_by;
        matching.add_part(counted, number, &held, &hits, (wanted, &by_word), ranked_by)?;
    }
    Ok(matching)
}

/// The rows of a part's documents that hold a word.
enum RowOf<'a> {
    /// Of every document, where one in eight holds a word: it is looked up more often than it takes to write it down.
    Listed(Vec<u32>),
    /// How many rows there are before each 64 documents; those among them are counted.
    Counted(&'a Bitset, Vec<u32>),
}

impl RowOf<'_> {
    /// `held` are the documents, `added` their number, and `first` the row of the first of them.
    fn new(held: &Bitset, first: u32, added: usize) -> Result<RowOf<'_>> {
        let is_listed = added > held.size() as usize / 8;
        let mut rows: Vec<u32> = Vec::new();
        let length = if is_listed { held.size() as usize } else { held.words().len() };
        rows.try_reserve_exact(length).map_err(|_| error::out_of_memory())?;
        if is_listed {
            rows.resize(length, 0);
            (first..).zip(held.iter()).for_each(|(row, document)| rows[document as usize] = row);
            return Ok(RowOf::Listed(rows));
        }
        let mut row = first;
        for word in held.words() {
            rows.push(row);
            row += word.count_ones();
        }
        Ok(RowOf::Counted(held, rows))
    }

    #[inline]
    fn document(&self, document: u32) -> u32 {
        match self {
            RowOf::Listed(rows) => rows[document as usize],
            RowOf::Counted(held, rows) => {
                let element = document as usize / 64;
                let below = held.words()[element] & ((1 << (document % 64)) - 1);
                rows[element] + below.count_ones()
            }
        }
    }
}

impl Matching {
    /// Makes room for so many rows.
    fn reserve(&mut self, rows: usize, width: usize) -> Result<()> {
        let reserved = (self.rows.frequencies.try_reserve_exact(rows * width))
            .and_then(|()| self.rows.lengths.try_reserve_exact(rows))
            .and_then(|()| self.rows.arrivals.try_reserve_exact(rows))
            .and_then(|()| self.documents.try_reserve_exact(rows))
            .and_then(|()| self.held.try_reserve_exact(rows));
        reserved.map_err(|_| error::out_of_memory())
    }

    /// Adds the rows of a part, for which there is room.
    fn add_part(
        &mut self,
        counted: &Counted<'_>,
        number: usize,
        held: &Bitset,
        hits: &[Vec<Hit>],
        (wanted, by_word): (&Asked, &[usize]),
        ranked_by: RankedBy,
    ) -> Outcome<()> {
        let part = &counted.parts[number];
        let (before, added, width) = (self.documents.len(), held.count() as usize, wanted.words);
        let rows = &mut self.rows;
        rows.frequencies.resize((before + added) * width, 0.0);
        self.held.resize(before + added, 0);
        let row_of = RowOf::new(held, before as u32, added)?;
        for lexemes in by_word.chunk_by(|one, next| wanted.meanings[*one].word == wanted.meanings[*next].word) {
            // A document may hold several lexemes of a word.
            let mut seen = match lexemes.len() {
                1 => None,
                _ => Some(Bitset::empty(part.counts.size())?),
            };
            for &lexeme in lexemes {
                let Meaning { word, weight } = wanted.meanings[lexeme];
                self.holding[lexeme] += hits[lexeme].len() as u64;
                for hit in &hits[lexeme] {
                    let row = row_of.document(hit.document) as usize;
                    rows.raise(row * width + word, hit.frequency, weight);
                    if seen.as_ref().is_none_or(|seen| !seen.contains(hit.document)) {
                        rows.document_frequency[word] += 1;
                        self.held[row] += 1;
                    }
                    if let Some(seen) = &mut seen {
                        seen.insert(hit.document);
                    }
                }
            }
        }
        let length_of = match counted.segment(part).map(|open| &open.segment) {
            Some(segment) => {
                let lengths = segment.lengths()?;
                let column = |number: Option<usize>| number.map(|number| segment.numbers(number)).transpose();
                let (created, order) = (column(ranked_by.created)?, column(ranked_by.order)?);
                self.documents.extend(held.iter().map(|document| part.first + document));
                lengths.each_of(held.iter(), |length| rows.lengths.push(length.unwrap_or(0) as u32));
                let nothing = Arrival { created: i64::MIN, order: 0, tie: 0 };
                rows.arrivals.resize(before + added, nothing);
                let mut arrivals = rows.arrivals[before..].iter_mut();
                if let Some(created) = created {
                    created.each_of(held.iter(), |created| {
                        if let (Some(arrival), Some(created)) = (arrivals.next(), created) {
                            arrival.created = created;
                        }
                    });
                }
                let mut arrivals = rows.arrivals[before..].iter_mut();
                if let Some(order) = order {
                    order.each_of(held.iter(), |order| {
                        if let (Some(arrival), Some(order)) = (arrivals.next(), order) {
                            arrival.order = order;
                        }
                    });
                }
                lengths.sum(&part.counts)
            }
            None => {
                let mut total = 0;
                let contents = counted.contents(part);
                for document in part.counts.iter() {
                    let (_, _, view) = contents.tail_document(document)?;
                    total += u64::from(view.length());
                    if held.contains(document) {
                        self.documents.push(part.first + document);
                        rows.lengths.push(view.length());
                        rows.arrivals.push(Arrival {
                            created: ranked_by.created.and_then(|created| view.number(created)).unwrap_or(i64::MIN),
                            order: ranked_by.order.and_then(|order| view.number(order)).unwrap_or(0),
                            tie: 0,
                        });
                    }
                }
                total
            }
        };
        self.collection.total_length += length_of;
        Ok(())
    }

    /// Rows that came in one instant and have the same order: which of them is the first, their ids say.
    pub fn tied(&self) -> Result<Vec<usize>> {
        let arrivals = &self.rows.arrivals;
        // Parts mostly come in the order of time.
        if arrivals.is_sorted_by(|earlier, later| earlier < later) {
            return Ok(Vec::new());
        }
        let mut by_time: Vec<u32> = Vec::new();
        by_time.try_reserve_exact(arrivals.len()).map_err(|_| error::out_of_memory())?;
        by_time.extend(0..arrivals.len() as u32);
        // Runs of the parts, which a stable sort finds.
        by_time.sort_by_key(|&row| arrivals[row as usize]);
        let mut tied: Vec<usize> = Vec::new();
        for pair in by_time.windows(2) {
            if arrivals[pair[0] as usize] == arrivals[pair[1] as usize] {
                for row in pair {
                    if tied.last() != Some(&(*row as usize)) {
                        tied.push(*row as usize);
                    }
                }
            }
        }
        Ok(tied)
    }
}
