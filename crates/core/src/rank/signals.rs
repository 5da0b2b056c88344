//! The two signals of a candidate, and their scales.

/// The signals of one candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// Cosine similarity; `None` without an embedding.
    pub cosine: Option<f64>,
    /// BM25 of the entry's own words; `None` where no word matches.
    pub bm25: Option<f64>,
    /// The score after neighbour smoothing, which is used for ranking.
    pub words: Option<f64>,
    /// Place among the best by meaning, from 1; `None` if it was not among them.
    pub semantic_rank: Option<usize>,
    /// Place among the best by words, from 1.
    pub keyword_rank: Option<usize>,
}

/// The statistics of all rows that count, for the scale of words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordStatistics {
    /// Rows of the memory, independent of filters.
    pub entries: u64,
    /// The BM25 of a row of average length that holds every word of the query once.
    pub full_match: f64,
    /// The similarity of its rows to turns of a conversation, 0..1; see [`crate::rank::neighbour_smoothing`].
    pub conversation: f64,
}
