//! The pipeline behind `memory_search`: request -> candidates (from a source, in one snapshot) ->
//! ranking (the engine) -> the winners' texts -> response.

mod columns;
mod contexts;
mod derived_from;
mod expand;
pub mod explain;
mod explained_passages;
pub mod facets;
mod fetch;
mod in_place;
pub mod learning;
mod memories;
mod nearest_passages;
mod neighbours;
mod page;
pub mod pipeline;
mod present_documents;
pub mod prompt_context;
mod query_words;
mod rerank;
mod row_words;
mod scope;
mod scopes;
mod searched;
pub mod sent;
pub mod similar;
mod snippets;
mod source;
mod trace;
mod typos;
