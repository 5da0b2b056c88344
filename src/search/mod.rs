//! The pipeline behind `memory_search`: request -> candidates (three retrievals, one snapshot) ->
//! ranking (the engine) -> the winners' texts -> response.

mod contexts;
mod hydrate;
mod keyword;
mod recent;
mod scope;
mod semantic;
pub mod service;
