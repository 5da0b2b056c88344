//! Which source a pass reads. What each costs is in docs/performance.md.
//!
//! | searched | filters | by meaning | reads |
//! |---|---|---|---|
//! | contexts | | | the table |
//! | entries of an adopted table, or of a store without the index's columns | | | the table |
//! | entries | on columns that the index lacks, or phrases | | the table |
//! | entries | on columns of the index, or none | not asked | the index |
//! | | | below 128 dimensions: one bit each says too little | the table |
//! | | | else | the index, then the nearest by estimate are rescored |
//! | | | where the rescored rows show that estimates say too little | the index with more rescored, then the table |

use memory_search_core::vector::rescoring::Needed;

use super::pass::Wanted;
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// The way a pass reads.
#[derive(Debug, Clone, Copy)]
pub enum Path {
    /// The search index; so many of the nearest by estimate are rescored at first.
    Index { rescored: usize },
    /// The rows of the relation, every distance computed.
    Table,
}

/// The first choice.
pub fn choose(scope: &Scope<'_>, wanted: &Wanted<'_>) -> Path {
    let is_indexed =
        wanted.searched == Searched::Entries && scope.store.has_scan_columns && scope.filters_are_indexed();
    match wanted.vector {
        _ if !is_indexed => Path::Table,
        None => Path::Index { rescored: 0 },
        Some(vector) => by_estimate(vector.len(), wanted.limit),
    }
}

/// What to read after a pass whose rescored rows say what is needed; `None` when nothing is.
pub fn after(needed: Needed, is_first: bool) -> Option<Path> {
    match needed {
        Needed::Nothing => None,
        Needed::Rescore(rescored) if is_first => Some(Path::Index { rescored }),
        Needed::Rescore(_) | Needed::Everything => Some(Path::Table),
    }
}

/// The index where its estimates say enough: how many rows are rescored first decides whether it is
/// ([`memory_search_core::vector::rescoring`]). Measured on 107,000 and on 4,300 embeddings
/// (ADR 0016): of 256 dimensions, 0.995 of the 10 nearest are among the 500 nearest by estimate; of
/// 128, 0.98 among 1,000; of 64, 0.94.
fn by_estimate(dimensions: usize, limit: usize) -> Path {
    let enough = 450 + 4 * limit;
    match dimensions {
        256.. => Path::Index { rescored: enough },
        128.. => Path::Index { rescored: 2 * enough },
        _ => Path::Table,
    }
}
