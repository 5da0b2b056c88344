//! Ranking: from the signals of candidates to an order that is total, so that equal inputs give
//! equal bytes.

pub mod arrivals;
pub mod association;
pub mod best_rows;
pub mod bm25;
pub mod boosts;
pub mod by_entry;
mod by_width;
pub mod candidate;
pub mod choices;
pub mod collector;
pub mod evidence;
pub mod feedback;
pub mod fusion;
pub mod group;
pub mod leading_signal;
pub mod lift;
mod near;
pub mod near_duplicates;
pub mod neighbour_smoothing;
pub mod newest_first;
pub mod outcome;
pub mod ranking;
pub mod reranking;
pub mod scoring;
pub mod selection;
pub mod signals;
pub mod strategy;
pub mod word_matches;
