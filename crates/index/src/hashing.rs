//! Hashes of memories, lexemes and terms, under a secret key of the index: 128 bits for a memory, 64 for lexemes and
//! terms within one. In a memory of a million lexemes, two share a hash with a probability of 3 in 10^8, and an
//! attacker without the key cannot construct such lexemes.

use std::borrow::Cow;
use std::hash::Hasher;

use memory_search_core::text::entity_key::entity_key;
use siphasher::{sip::SipHasher13, sip128};

/// A memory, as the index knows it.
pub type MemoryHash = u128;

/// Hashes under the key of one index.
#[derive(Debug, Clone, Copy)]
pub struct Hashes {
    key: [u8; 16],
}

impl Hashes {
    /// Under a key of 16 random bytes.
    pub fn new(key: [u8; 16]) -> Hashes {
        Hashes { key }
    }

    /// A memory, by the bytes of its id.
    pub fn memory(&self, id: &[u8]) -> MemoryHash {
        use sip128::Hasher128;
        let mut hasher = sip128::SipHasher13::new_with_key(&self.key);
        hasher.write(id);
        hasher.finish128().as_u128()
    }

    /// A lexeme.
    pub fn lexeme(&self, lexeme: &[u8]) -> u64 {
        self.short(0, lexeme)
    }

    /// A value of the column `column` of the index, from 1, by which filters find rows.
    pub fn term(&self, column: u16, value: &[u8]) -> u64 {
        self.short(column, value)
    }

    /// The term of a document whose column holds `value`: no value makes the term of [`Hashes::presence`].
    pub fn value(&self, column: u16, value: &[u8]) -> u64 {
        self.parts(column, &[1], value)
    }

    /// The term of a document whose column holds any value. Without it the column is null.
    pub fn presence(&self, column: u16) -> u64 {
        self.short(column, &[0])
    }

    /// The term of a document whose column holds a JSON document that was not taken apart: it may contain anything.
    pub fn whole(&self, column: u16) -> u64 {
        self.short(column, &[2])
    }

    /// The term of a document whose column holds a name that is written otherwise than its key: names are found by keys.
    pub fn key_of_name(&self, column: u16, key: &[u8]) -> u64 {
        self.parts(column, &[3], key)
    }

    /// The term by which a text is found as a name, in addition to the term of its value; `None` if that term suffices,
    /// or the text is no name.
    pub fn term_of_key(&self, column: u16, name: &str) -> Option<u64> {
        match entity_key(name)? {
            Cow::Borrowed(_) => None,
            Cow::Owned(key) if key == name => None,
            Cow::Owned(key) => Some(self.key_of_name(column, key.as_bytes())),
        }
    }

    fn short(&self, domain: u16, bytes: &[u8]) -> u64 {
        self.parts(domain, &[], bytes)
    }

    fn parts(&self, domain: u16, first: &[u8], rest: &[u8]) -> u64 {
        let mut hasher = SipHasher13::new_with_key(&self.key);
        hasher.write(&domain.to_le_bytes());
        hasher.write(first);
        hasher.write(rest);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_column_or_key_gives_another_hash() {
        let hashes = Hashes::new([1; 16]);
        assert_ne!(hashes.lexeme(b"tea"), hashes.term(1, b"tea"));
        assert_ne!(hashes.term(1, b"tea"), hashes.term(2, b"tea"));
        assert_ne!(hashes.lexeme(b"tea"), Hashes::new([2; 16]).lexeme(b"tea"));
        assert_ne!(hashes.memory(b"a"), hashes.memory(b"b"));
    }

    #[test]
    fn the_terms_of_a_value_and_of_its_presence_are_those_of_marked_bytes() {
        let hashes = Hashes::new([1; 16]);
        assert_eq!(hashes.value(3, b"ann"), hashes.term(3, b"\x01ann"));
        assert_eq!(hashes.value(3, b""), hashes.term(3, b"\x01"));
        assert_eq!(hashes.presence(3), hashes.term(3, b"\0"));
        assert_eq!(hashes.key_of_name(3, b"ann"), hashes.term(3, b"\x03ann"));
    }
}
