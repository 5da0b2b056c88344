//! The pipeline behind `memory_search`: request -> candidates (three retrievals, one snapshot) ->
//! ranking (the engine) -> the winners' texts -> response.

mod contexts;
pub mod explain;
mod gathering;
mod hydrate;
mod memory_scan;
pub mod prompt_context;
mod query_words;
mod recent;
mod scope;
mod searched;
mod trace;

pub mod service;
