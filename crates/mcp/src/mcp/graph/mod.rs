//! The tools of the reference memory server of the protocol: a graph of entities with observations, and of relations
//! between them. Each of these is an entry, so that a search finds it by its words and its meaning.

pub mod answers;
mod arguments;
mod sql;
pub mod statements;
pub mod tools;

/// The resource with the whole graph, as clients of that server know it.
pub const RESOURCE: &str = "memory://knowledge-graph";
