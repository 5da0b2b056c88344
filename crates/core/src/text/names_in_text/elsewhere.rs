//! How a word is written elsewhere: "Max" is a name where nobody writes "max".

/// How often a word is written in which case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Times that it has no capital letter, or abbreviates words that have none ("replacement cost value (RCV)").
    pub lower: u64,
    /// Times that it has a capital letter which its place does not ask for: not at the beginning of a sentence, in a
    /// heading, or in a text where all letters are capitals.
    pub capital: u64,
}

impl Written {
    /// Both counts of two sources.
    pub(super) fn and(self, other: Written) -> Written {
        Written { lower: self.lower.saturating_add(other.lower), capital: self.capital.saturating_add(other.capital) }
    }
}

/// How words are written outside of a text, as in the other entries of its memory.
pub trait Elsewhere {
    /// Of a word in lower case and composed (NFKC). "Nina's" counts for `nina` and, once more, for `nina's`: by the two
    /// "McGee's", which is never written without its `'s`, is told from Nina. An implementation without such
    /// counts gives zeros for the second.
    fn written(&self, word: &str) -> Written;
}

/// Nothing is known but the text itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingKnown;

impl Elsewhere for NothingKnown {
    fn written(&self, _: &str) -> Written {
        Written::default()
    }
}
