//! Links between the entries of a memory: made, removed, read, and followed to related entries.
//!
//! A link shows while both of its ends are present and seen by the caller. One that is corrected is read as the entry
//! that corrects it ([`following::ends`]), so that links continue from the correction.

pub mod aliases;
pub mod export;
pub mod following;
pub mod import;
pub mod import_aliases;
mod link;
mod links_of;
mod of_going;
mod related;
mod unlink;

pub use following::Direction;
pub use link::{NewLink, link};
pub use links_of::{Asked, links_of};
pub use of_going::LinksOfGoing;
pub use related::{Wanted, related};
pub use unlink::unlink;
