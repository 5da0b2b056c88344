//! Splits a text into the words by which it is found. A compound (a path, a name with dots, a mail address, an
//! identifier) is one token, and the tokens of its parts follow. Each part is split as it would be alone. So the words
//! of a part are adjacent, and a phrase finds the part inside of the compound.
//!
//! ```
//! use memory_search_analyzer::tokens;
//!
//! let mut words = Vec::new();
//! tokens("Ask ana@example.net about v3.2", |token| {
//!     words.push(token.text.into_owned());
//!     true
//! });
//! let expected = ["Ask", "ana@example.net", "ana", "example.net", "example", "net", "about", "v3.2", "3.2"];
//! assert_eq!(words, expected);
//! ```
//!
//! [`fold`] takes accents off a word, except where they make letters of their own in a language ([`Alphabet`]).
//!
//! # Format
//!
//! A [`Token`] has:
//!
//! - its place: the bytes of the source that it stands for
//! - its text, in the normal form NFC and in the case of the source. Invisible signs (soft hyphens, joiners) are left
//!   out. Unusual hyphens, and letters and digits of another width, are replaced by the usual ones.
//! - its [`Kind`], which has the number of a token type of PostgreSQL's default parser
//!
//! Tokens are no lexemes: the caller, or a dictionary, makes lower case, stems words and leaves out stop words.
//!
//! # Guarantees
//!
//! - **Every text is accepted**: no text causes a panic or an error.
//! - **The time is linear in the length of the text**, for every text. Memory is allocated only for tokens whose text
//!   differs from the source: tokens that had to be composed or respelt, and `ATandT` or `Cplusplus`. A text with
//!   characters to exchange is copied once.
//! - **The words are bounded**: in sum they are no longer than eight times the text. A compound of more than
//!   [`LONGEST_COMPOUND`] characters is no token; only its parts are. A word of more than [`LONGEST_WORD`] bytes is
//!   left out.
//! - **Every letter and digit is in a token**, except for protocols (`https`), entities of HTML and words that are too
//!   long.
//! - **Texts are independent**: the tokens of two texts with a blank between them are the tokens of the first, then the
//!   tokens of the second.
//! - **The rules do not depend on the machine or on a locale.** They may change with the crate's version; then an index
//!   of tokens must be rebuilt.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod alphabet;
mod blankless;
mod characters;
mod dotted;
mod element;
mod entity;
mod extent;
mod folding;
mod hyphenated;
mod identifier;
mod mail;
mod number;
mod output;
mod path;
mod plain_word;
mod scripts;
mod spelling;
mod text;
mod token;
mod url;

pub use alphabet::Alphabet;
pub use blankless::{has_blankless, is_blankless};
pub use folding::fold;
pub use output::{LONGEST_COMPOUND, LONGEST_WORD};
pub use spelling::as_seen;
pub use text::tokens;
pub use token::{Kind, Token};

// The examples of README.md are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
