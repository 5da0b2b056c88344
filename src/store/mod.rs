//! What makes a store, fills it, changes it and looks after it.

pub mod add;
pub mod adopt;
pub mod context;
pub mod create;
pub mod definition;
pub mod delete;
pub mod doctor;
pub mod drop;
pub mod forget;
pub mod grant;
pub mod predicate;
mod progress;
pub mod purge;
pub mod reembed;
mod relations;
mod row_locks;
pub mod row_security;
mod settings;
mod stored_embedding;
mod succession;
pub mod supersede;
pub mod touch;
pub mod update;
mod words_functions;
