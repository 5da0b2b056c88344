//! Ranking: from the signals of candidates to an order that is total, so that equal inputs give
//! equal bytes.

pub mod bm25;
pub mod boosts;
pub mod collector;
pub mod fusion;
pub mod near_duplicates;
pub mod neighbour_smoothing;
pub mod outcome;
pub mod ranking;
pub mod strategy;
