//! What a search asks of the documents of an index: hashes are each index's own.

use memory_search_core::filter::condition::{Condition, TextField};

use super::open::{OpenIndex, SeenBy};
use crate::search::scope::Scope;

/// An index that a search reads, with what the search asks of its documents.
pub struct Opened {
    pub index: OpenIndex,
    pub conditions: Conditions,
}

/// The conditions of a search.
pub struct Conditions {
    pub visible: Condition,
    /// The filters that the index answers.
    pub filters: Condition,
    /// What it says of those that it does not, or not wholly: no row that passes them is ruled out.
    pub asked: Option<Condition>,
    /// Hashes: the term that says that an embedder is named, and the one that names the query's.
    pub embedder: Option<(u64, u64)>,
}

impl Conditions {
    /// Of a search by an index; `by_meaning`: whether embeddings are compared.
    pub fn of(scope: &Scope<'_>, open: &OpenIndex, by_meaning: bool) -> Conditions {
        let rows = scope.on_indexed_rows();
        let (mut visible, filters) = (rows.visible, rows.filters);
        if let SeenBy::User(user) = &open.seen_by {
            visible = Condition::all([visible, Condition::Equals(TextField::UserId, user.clone())]);
        }
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

    /// The same of contexts, of which `visible` says all but whether the entry stands that brought one.
    pub fn of_contexts(scope: &Scope<'_>, open: &OpenIndex, visible: Condition, by_meaning: bool) -> Conditions {
        let of_user = match &open.seen_by {
            SeenBy::User(user) => Some(Condition::Equals(TextField::UserId, user.clone())),
            SeenBy::Snapshot(_) | SeenBy::Executor => None,
        };
        let visible = Condition::all([visible].into_iter().chain(of_user));
        Conditions {
            // Unknown is what is corrected, and contexts are not.
            visible: Condition::IsTrue(Box::new(visible)),
            filters: Condition::All(Vec::new()),
            asked: None,
            embedder: embedder(scope, open, by_meaning),
        }
    }
}

/// The hashes of the query's embedder, where embeddings of others are not compared.
fn embedder(scope: &Scope<'_>, open: &OpenIndex, by_meaning: bool) -> Option<(u64, u64)> {
    let hashes = open.layout.hashes();
    let (column, name) = open.embedder.zip(scope.embedder.filter(|_| by_meaning && !scope.store.is_view))?;
    Some((hashes.presence(column), hashes.value(column, name.as_bytes())))
}
