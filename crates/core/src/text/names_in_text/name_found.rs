//! A name that was found: where it stands, and what it is of.

use std::ops::Range;

/// Characters of the longest name that is found.
pub const LONGEST_NAME_FOUND: usize = 100;

/// What a name is of, as far as its form says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameKind {
    /// A person, a place, an organisation, a product, a work, an event.
    Name,
    /// `@maria`.
    Handle,
    /// A mail address.
    Mail,
    /// The name of a computer, that of an address too: `example.org`.
    Host,
    /// A path or the name of a file.
    Path,
    /// A name in code (`memory_search`, `getUserName`), an error's code, a uuid, a hash.
    Identifier,
    /// `ABC-123`, `#4711`.
    Ticket,
}

/// A name where it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameFound<'a> {
    /// From which byte to which.
    pub place: Range<usize>,
    /// As it is written there, without the `'s` of a possessor.
    pub name: &'a str,
    /// What it is of.
    pub kind: NameKind,
}

impl<'a> NameFound<'a> {
    /// The name at a place, unless it is too long for one.
    pub(super) fn new(text: &'a str, place: Range<usize>, kind: NameKind) -> Option<Self> {
        let name = text.get(place.clone()).filter(|name| !name.is_empty())?;
        let is_long = name.len() > LONGEST_NAME_FOUND && name.chars().nth(LONGEST_NAME_FOUND).is_some();
        (!is_long).then_some(NameFound { place, name, kind })
    }
}
