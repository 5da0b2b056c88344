//! The end of an entry, and of all that a store has about a user: corrected, replaced from a time on, deleted,
//! purged, forgotten.

mod corrections_of_going;
pub mod delete;
pub mod delete_where;
mod entry_keys;
pub mod forget;
mod forget_handed;
mod forget_own_contexts;
mod kept_by_triggers;
pub mod purge;
pub mod supersede;
pub mod supersede_at;
