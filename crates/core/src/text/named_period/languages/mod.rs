//! The languages whose words of time are known, a table each.

mod french_italian;
mod germanic;
mod spanish_portuguese;

use std::collections::HashSet;
use std::sync::LazyLock;

use super::language::{Language, phrase};
use super::words::Word;

/// A language, with what tells fast that a word begins nothing.
pub struct Known {
    pub language: &'static Language,
    /// The first words of `own`.
    own: HashSet<&'static str>,
    /// The first words of what is a form, or begins one.
    begins: HashSet<&'static str>,
}

/// All of them.
pub static ALL: LazyLock<[Known; 7]> = LazyLock::new(|| {
    let tables: [&'static Language; 7] = [
        &germanic::ENGLISH,
        &germanic::GERMAN,
        &germanic::DUTCH,
        &french_italian::FRENCH,
        &spanish_portuguese::SPANISH,
        &french_italian::ITALIAN,
        &spanish_portuguese::PORTUGUESE,
    ];
    let first_words = |list: &'static str| list.split('|').filter_map(|phrase| phrase.split(' ').next());
    tables.map(|language| Known {
        language,
        own: first_words(language.own).collect(),
        begins: language.beginnings().flat_map(first_words).collect(),
    })
});

impl Known {
    /// Whether a form may begin with a word.
    pub fn may_begin_with(&self, word: &str) -> bool {
        let is_quarter = || word.len() == 2 && word.starts_with('q');
        self.begins.contains(word) || is_quarter() || word.starts_with(|first: char| first.is_ascii_digit())
    }

    /// A text may be English, and of each language that it holds an own word of.
    fn may_be_of(&self, words: &[Word]) -> bool {
        let is_own = |at: usize| self.own.contains(&*words[at].text) && phrase(words, at, self.language.own).is_some();
        self.language.own.is_empty() || (0..words.len()).any(is_own)
    }
}

/// Those in which a text may be written.
pub fn languages_of(words: &[Word]) -> Vec<&'static Known> {
    ALL.iter().filter(|known| known.may_be_of(words)).collect()
}

/// Whether a word is a month of any language, or stands before one in "mid-March".
pub fn is_month_or_part(word: &str) -> bool {
    let is_month = |month: &&str| month.split('|').any(|name| name == word);
    ["mid", "mi"].contains(&word) || ALL.iter().any(|known| known.language.months.iter().any(&is_month))
}
