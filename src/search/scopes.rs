//! One search over the memories that it is over: the same question of each, and one ranking of what they hold. Ids of
//! entries are unique within a memory, so an entry is named by the number of its memory too.

use memory_search_core::error;
use memory_search_core::request::plan::Plan;
use memory_search_core::request::rerank::Rerank;
use memory_search_core::text::demands::Demands;
use memory_search_core::timestamp::Micros;

use crate::search::page::Page;
use crate::search::present_documents::PresentOfMemories;
use crate::search::scope::Scope;
use crate::search::trace::Trace;

/// One search.
pub struct Scopes<'a> {
    /// What.
    pub plan: &'a Plan,
    /// Which page of it is asked for, where it has pages.
    pub page: Option<Page>,
    /// The instant that ages refer to.
    pub ages_at: Micros,
    /// The embedder that made the query's vector; `None` when the caller gave it.
    pub embedder: Option<&'a str>,
    /// What the query demands or excludes, if it does.
    pub demands: Option<&'a Demands>,
    /// How the best are ranked again.
    pub rerank: Option<Rerank>,
    /// Where the search notes what it does.
    pub trace: &'a Trace,
    /// What the memory index said of entries, for who asks later.
    pub present: &'a PresentOfMemories,
    /// Where: a scope a memory, in the order of their ids. None where prefixes found none, or none was named.
    pub memories: Vec<Scope<'a>>,
}

impl<'a> Scopes<'a> {
    /// The same search over others, without a reranker.
    pub fn over(&self, memories: Vec<Scope<'a>>) -> Scopes<'a> {
        Scopes { memories, rerank: None, page: None, ..*self }
    }

    /// The memory of a number.
    pub fn memory(&self, number: u32) -> &Scope<'a> {
        &self.memories[number as usize]
    }

    /// The memories with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &Scope<'a>)> {
        (0..).zip(&self.memories)
    }

    /// What messages call them.
    pub fn name(&self) -> String {
        match self.memories.as_slice() {
            [only] => format!("memory \"{}\"", error::shown(only.memory_id)),
            several => format!("{} memories", several.len()),
        }
    }
}
