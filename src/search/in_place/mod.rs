//! Rows of a store's tables, read in place and not by a statement: the few winning entries, and contexts. A statement
//! costs its plan, which a session keeps for each store, and the start of an executor; in a search of a small memory
//! that is most of the time.
//!
//! Reading rows gives the same result as statements if no policy but the store's own binds the caller, and the tables
//! are as `memory_create_store()` makes them. In all other cases a statement is used: each function here returns
//! `None` then, and has had no effect.

pub mod access_counts;
pub mod contexts;
pub mod entries;
mod known_places;
mod present_entries;
mod settled_entries;
mod table;

pub use table::user_of_policy;
