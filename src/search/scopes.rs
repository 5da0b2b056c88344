//! One search over several memories: the same question to each, and one ranking of all their entries. Ids of entries
//! are unique within a memory, so an entry is identified with the number of its memory, too.

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
    /// The plan.
    pub plan: &'a Plan,
    /// The requested page, if the search has pages.
    pub page: Option<Page>,
    /// The instant for ages.
    pub ages_at: Micros,
    /// The embedder that made the query's vector; `None` if the caller gave it.
    pub embedder: Option<&'a str>,
    /// The words that the query demands or excludes, if any.
    pub demands: Option<&'a Demands>,
    /// The reranking of the best entries.
    pub rerank: Option<Rerank>,
    /// The record of what the search does.
    pub trace: &'a Trace,
    /// The present entries that the memory index found, for later steps.
    pub present: &'a PresentOfMemories,
    /// A scope for each memory, in the order of their ids. Empty if prefixes matched none, or none was named.
    pub memories: Vec<Scope<'a>>,
}

impl<'a> Scopes<'a> {
    /// This search over other memories, without a reranker and without pages.
    pub fn over(&self, memories: Vec<Scope<'a>>) -> Scopes<'a> {
        Scopes { memories, rerank: None, page: None, ..*self }
    }

    /// The memory with a number.
    pub fn memory(&self, number: u32) -> &Scope<'a> {
        &self.memories[number as usize]
    }

    /// The memories with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &Scope<'a>)> {
        (0..).zip(&self.memories)
    }

    /// The name of the searched memories for messages.
    pub fn name(&self) -> String {
        match self.memories.as_slice() {
            [only] => format!("memory \"{}\"", error::shown(only.memory_id)),
            several => format!("{} memories", several.len()),
        }
    }
}
