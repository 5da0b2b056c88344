//! Text to the words that it is found by. A compound (a path, a name with dots, a mail address, an identifier) comes
//! whole, and then its parts, each as it would be taken apart alone: so a phrase of a part stands side by side in the
//! words of the whole. The time is linear in the text's length, whatever the text.

#![forbid(unsafe_code)]

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
mod text;
mod token;
mod url;

pub use alphabet::Alphabet;
pub use folding::fold;
pub use output::{LONGEST_COMPOUND, LONGEST_WORD};
pub use text::tokens;
pub use token::{Kind, Token};
