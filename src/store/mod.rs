//! Creates, fills, changes and maintains a store. The first rooms each serve one task of a caller; they use the rooms
//! `definition`, `predicate` and `statements`.

pub mod adopted;
pub mod definition;
pub mod doctor;
pub mod lifecycle;
pub mod links;
pub mod predicate;
pub mod reading;
pub mod recording;
pub mod rights;
pub mod schema;
mod statements;
pub mod transfer;
pub mod writing;
