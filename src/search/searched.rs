//! The relations that can be searched: entries and contexts. They differ in their columns, but are searched in the same
//! way.

use memory_search_core::Result;
use memory_search_core::bounds_and_defaults;
use memory_search_core::ids::IdKind;
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::text::demands::Demands;

use crate::pg::row::Row;
use crate::pg::spi::Statement;
use crate::search::scope::Scope;

/// A relation that can be searched: entries, or contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Searched {
    Entries,
    Contexts,
}

impl Searched {
    pub fn relation(self, scope: &Scope<'_>) -> String {
        match self {
            Searched::Entries => scope.store.relation("entries").into(),
            Searched::Contexts => scope.contexts_to_rank(),
        }
    }

    /// The name for diagnostics.
    pub fn name(self) -> &'static str {
        match self {
            Searched::Entries => "entries",
            Searched::Contexts => "contexts",
        }
    }

    /// Its index among the parts of a partition.
    pub fn part(self) -> usize {
        match self {
            Searched::Entries => 0,
            Searched::Contexts => 1,
        }
    }

    /// The alias that conditions use.
    pub fn alias(self) -> &'static str {
        match self {
            Searched::Entries => "e",
            Searched::Contexts => "c",
        }
    }

    pub fn id(self) -> &'static str {
        match self {
            Searched::Entries => "e.entry_id",
            Searched::Contexts => "c.context_id",
        }
    }

    pub fn importance(self) -> String {
        match self {
            // Null only in adopted tables.
            Searched::Entries => {
                format!("COALESCE(e.importance, {})::pg_catalog.float8", bounds_and_defaults::DEFAULT_IMPORTANCE)
            }
            Searched::Contexts => "0::pg_catalog.float8".to_owned(),
        }
    }

    /// Whether a row is as near as its nearest passage. Contexts and adopted tables have no embeddings of passages.
    pub fn compares_passages(self, scope: &Scope<'_>) -> bool {
        match self {
            Searched::Entries => !scope.store.is_adopted() && !scope.plan.whole_texts,
            Searched::Contexts => false,
        }
    }

    /// The type of its ids.
    pub fn id_type(self, scope: &Scope<'_>) -> IdKind {
        match self {
            Searched::Contexts => scope.context_id_type(),
            Searched::Entries => scope.store.ids.entry,
        }
    }

    /// The column that orders rows of the same instant by insertion.
    pub fn order(self) -> &'static str {
        match self {
            Searched::Entries => "e.entry_order::pg_catalog.int8",
            Searched::Contexts => "0::pg_catalog.int8",
        }
    }

    /// The memory's visible rows, including corrected ones: the scope of statistics.
    pub fn that_stand(self, scope: &Scope<'_>, statement: &mut Statement) -> String {
        match self {
            Searched::Entries => scope.entries_that_stand(statement),
            Searched::Contexts => scope.contexts_that_stand(statement),
        }
    }

    /// The condition for rows that may be found, without the query's demands on their words.
    pub fn filters(self, scope: &Scope<'_>, statement: &mut Statement) -> String {
        match self {
            Searched::Entries => scope.filters(statement),
            Searched::Contexts => "true".to_owned(),
        }
    }

    /// The query's demands on their words.
    pub fn demands<'a>(self, scope: &Scope<'a>) -> Option<&'a Demands> {
        match self {
            Searched::Entries => scope.demands,
            Searched::Contexts => None,
        }
    }
}

/// A candidate from the first three columns of every retrieval: id, creation time and importance.
pub fn candidate(row: &Row<'_>) -> Result<Candidate> {
    Ok(Candidate {
        id: row.required_text(1)?,
        created: row.timestamp(2).unwrap_or(i64::MIN),
        importance: row.number(3).unwrap_or(0.0),
        ..Candidate::default()
    })
}
