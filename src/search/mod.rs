//! The pipeline behind `memory_search`: request -> candidates (three retrievals, one snapshot) ->
//! ranking (the engine) -> the winners' texts -> response.

mod contexts;
pub mod explain;
mod hydrate;
mod keyword;
pub mod prompt_context;
mod recent;
mod scope;
mod searched;
mod semantic;
pub mod service;
