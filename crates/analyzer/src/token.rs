//! A token, and its kind.

use std::borrow::Cow;

/// Kinds of tokens, with the numbers of PostgreSQL's default parser, so that the map of a text search configuration
/// chooses the dictionaries of a token.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Letters of ASCII.
    AsciiWord = 1,
    /// Letters; a character of a script without blanks; an emoji.
    Word = 2,
    /// Letters and digits, and identifiers that are joined by `_`.
    NumWord = 3,
    /// A mail address.
    Email = 4,
    /// An address without its protocol.
    Url = 5,
    /// A name with dots.
    Host = 6,
    /// A number with an exponent.
    SFloat = 7,
    /// A number with two dots and more; one with letters before or behind it.
    Version = 8,
    /// A part of a hyphenated word, with letters and digits.
    HwordNumPart = 9,
    /// A part of a hyphenated word, with letters that ASCII lacks.
    HwordPart = 10,
    /// A part of a hyphenated word, with letters of ASCII.
    HwordAsciiPart = 11,
    /// A hyphenated word with digits, a date too.
    NumHword = 15,
    /// A hyphenated word with letters of ASCII.
    AsciiHword = 16,
    /// A hyphenated word with letters that ASCII lacks.
    Hword = 17,
    /// The path of an address.
    UrlPath = 18,
    /// A path.
    File = 19,
    /// A number with a dot.
    Float = 20,
    /// A number with a sign. PostgreSQL's parser has this kind; no token of this crate has a sign.
    Int = 21,
    /// Digits.
    UInt = 22,
}

/// A word or a compound that a text is found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// Its kind, which decides on its dictionaries.
    pub kind: Kind,
    /// Its text, composed (NFC) and respelt, in the case of the source.
    pub text: Cow<'a, str>,
    /// The beginning of its place in the source, in bytes.
    pub start: usize,
    /// The end of its place in the source, in bytes.
    pub end: usize,
    /// Whether it is a part of a word by case alone: `User` of `getUserName`. The whole came before. Written in another
    /// case, the same word has no such parts.
    pub by_case: bool,
}
