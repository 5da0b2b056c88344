//! Creates, fills, changes and maintains a store. Each room is for one thing that a caller does; below them stand the
//! rooms that all of them use: `definition`, `predicate` and `statements`.

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
