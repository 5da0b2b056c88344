//! Links between the entries of a memory: made, removed, read, and followed to related entries.
//!
//! A link shows while both entries at its ends are present and the caller sees them. If one of them is corrected, the
//! link is read as a link of its correction ([`following::ends`]).

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
