//! The conditions of a search on the documents of an index: each index has its own hashes.

use memory_search_core::filter::condition::{Condition, TextField};

use super::open::OpenIndex;
use crate::search::scope::Scope;

/// An index that a search reads, with the search's conditions on its documents.
pub struct Opened {
    pub index: OpenIndex,
    pub conditions: Conditions,
}

/// The conditions of a search.
pub struct Conditions {
    pub visible: Condition,
    /// The filters that the index answers.
    pub filters: Condition,
    /// The condition that approximates filters which the index does not answer, or not completely: it rules out no row
    /// that passes them.
    pub asked: Option<Condition>,
    /// Hashes: the term for any named embedder, and the term for the query's.
    pub embedder: Option<(u64, u64)>,
}

impl Conditions {
    /// The conditions of a search on an index; `by_meaning`: whether embeddings are compared.
    pub fn of(scope: &Scope<'_>, open: &OpenIndex, by_meaning: bool) -> Conditions {
        let rows = scope.on_indexed_rows();
        let of_user = of_user(open);
        let visible = Condition::all([rows.visible].into_iter().chain(of_user.clone()));
        // Beside filters, so that a search whose filters no row of the user passes ends at once.
        let filters = Condition::all([rows.filters].into_iter().chain(of_user.filter(|_| scope.has_filters())));
        let (known, asked): (Vec<Condition>, Vec<Condition>) = match filters {
            Condition::All(filters) => filters.into_iter().partition(|filter| open.layout.knows(filter)),
            filter if open.layout.knows(&filter) => (vec![filter], Vec::new()),
            filter => (Vec::new(), vec![filter]),
        };
        Conditions {
            visible,
            filters: Condition::All(known),
            asked: if asked.is_empty() { None } else { Some(open.layout.weakened(&Condition::All(asked))) },
            embedder: embedder(scope, open, by_meaning),
        }
    }

    /// The conditions on contexts. `visible` is everything except whether the entry that a context came with is
    /// present.
    pub fn of_contexts(scope: &Scope<'_>, open: &OpenIndex, visible: Condition, by_meaning: bool) -> Conditions {
        let visible = Condition::all([visible].into_iter().chain(of_user(open)));
        Conditions {
            // Whether a row is corrected is unknown, but contexts are never corrected.
            visible: Condition::IsTrue(Box::new(visible)),
            filters: Condition::All(Vec::new()),
            asked: None,
            embedder: embedder(scope, open, by_meaning),
        }
    }
}

/// The condition that a row belongs to the user whose rows the caller sees, under the policy of
/// `memory_enable_row_security()`.
fn of_user(open: &OpenIndex) -> Option<Condition> {
    open.user().map(|user| Condition::Equals(TextField::UserId, user.to_owned()))
}

/// The hashes of the query's embedder, if embeddings of others are not compared.
fn embedder(scope: &Scope<'_>, open: &OpenIndex, by_meaning: bool) -> Option<(u64, u64)> {
    let hashes = open.layout.hashes();
    let (column, name) = open.embedder.zip(scope.embedder.filter(|_| by_meaning && !scope.store.is_view))?;
    Some((hashes.presence(column), hashes.value(column, name.as_bytes())))
}
