//! Ranking: from the signals of candidates to an order that is total, so that equal inputs give
//! equal bytes.

pub mod bm25;
pub mod boosts;
pub mod fusion;
pub mod near_duplicates;
pub mod neighbour_smoothing;
pub mod ranking;
