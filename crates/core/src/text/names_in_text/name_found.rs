//! A name that was found, with its place and kind.

use std::ops::Range;

/// The most characters of a name that is found.
pub const LONGEST_NAME_FOUND: usize = 100;

/// The kind of the named thing, as far as the form shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameKind {
    /// A person, a place, an organisation, a product, a work, an event.
    Name,
    /// `@maria`.
    Handle,
    /// A mail address.
    Mail,
    /// The name of a computer, also in an address: `example.org`.
    Host,
    /// A path or the name of a file.
    Path,
    /// A name in code (`memory_search`, `getUserName`), an error's code, a uuid, a hash.
    Identifier,
    /// `ABC-123`, `#4711`.
    Ticket,
}

/// A name at its place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameFound<'a> {
    /// Its first byte, and the byte after it.
    pub place: Range<usize>,
    /// Its spelling there, without the `'s` of a possessor.
    pub name: &'a str,
    /// The kind of the named thing.
    pub kind: NameKind,
}

impl<'a> NameFound<'a> {
    /// The name at a place, unless it is too long.
    pub(super) fn new(text: &'a str, place: Range<usize>, kind: NameKind) -> Option<Self> {
        let name = text.get(place.clone()).filter(|name| !name.is_empty())?;
        let is_long = name.len() > LONGEST_NAME_FOUND && name.chars().nth(LONGEST_NAME_FOUND).is_some();
        (!is_long).then_some(NameFound { place, name, kind })
    }
}
