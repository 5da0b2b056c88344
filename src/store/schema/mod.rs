//! The schema that is a store: made with its relations, distributed over the nodes of a cluster, given a scoring of its
//! own, and dropped.

pub mod create;
pub mod distribute;
pub mod drop;
pub mod ranking;
pub mod relations;
