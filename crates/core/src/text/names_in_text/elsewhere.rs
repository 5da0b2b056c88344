//! The spelling of a word elsewhere: "Max" is a name if nobody writes "max".

/// The number of times that a word is written in each case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// The number of times that it has no capital letter, or abbreviates words without one ("replacement cost value
    /// (RCV)").
    pub lower: u64,
    /// The number of times that it has a capital letter that its place does not require: not at the beginning of a
    /// sentence, in a heading, or in a text of capital letters only.
    pub capital: u64,
}

impl Written {
    /// The sums of two sources.
    pub(super) fn and(self, other: Written) -> Written {
        Written { lower: self.lower.saturating_add(other.lower), capital: self.capital.saturating_add(other.capital) }
    }
}

/// The spelling of words in other texts, such as the other entries of the memory.
pub trait Elsewhere {
    /// For a word in lower case and composed (NFKC). "Nina's" counts for `nina` and, once more, for `nina's`: these two
    /// counts distinguish "McGee's", which always has its `'s`, from Nina. An implementation without such counts gives
    /// zeros for the second.
    fn written(&self, word: &str) -> Written;
}

/// Only the text itself is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingKnown;

impl Elsewhere for NothingKnown {
    fn written(&self, _: &str) -> Written {
        Written::default()
    }
}
