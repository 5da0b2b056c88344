//! Rows of a store's tables, read where they lie and not by a statement: what a search says of the few entries that won,
//! and its contexts. A statement costs its plan, which a session keeps for each store, and an executor's start; of a
//! search of a small memory that is most of the time.
//!
//! Rows say the same as the statements do, for callers whom at most the store's own policy binds and tables that are as
//! `memory_create_store()` makes them. Whatever else there is, a statement is asked: each function here gives `None`
//! then, and has read nothing of consequence.

pub mod access_counts;
pub mod contexts;
pub mod entries;
mod known_places;
mod present_entries;
mod settled_entries;
mod table;

pub use table::user_of_policy;
