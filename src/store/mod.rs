//! What makes a store and fills it.

pub mod add;
pub mod context;
pub mod create;
pub mod delete;
pub mod drop;
pub mod touch;
