//! The schema that is a store: made with its relations, distributed over the nodes of a cluster, and dropped.

pub mod create;
pub mod distribute;
pub mod drop;
pub mod relations;
