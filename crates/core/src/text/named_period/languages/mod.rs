//! The languages with known words of time, a table for each.

mod french_italian;
mod germanic;
mod spanish_portuguese;

use std::collections::HashSet;
use std::sync::LazyLock;

use super::language::{Language, phrase};
use super::words::Word;

/// A language, with a fast test for words that begin no form.
pub struct Known {
    pub language: &'static Language,
    /// The first words of `own`.
    own: HashSet<&'static str>,
    /// The first words of forms.
    begins: HashSet<&'static str>,
}

/// All languages.
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

    /// A text may be in English, and in each language of which it holds a typical word.
    fn may_be_of(&self, words: &[Word]) -> bool {
        let is_own = |at: usize| self.own.contains(&*words[at].text) && phrase(words, at, self.language.own).is_some();
        self.language.own.is_empty() || (0..words.len()).any(is_own)
    }
}

/// The languages in which a text may be written.
pub fn languages_of(words: &[Word]) -> Vec<&'static Known> {
    ALL.iter().filter(|known| known.may_be_of(words)).collect()
}

/// Whether a word is a month in any language, or comes before one in "mid-March".
pub fn is_month_or_part(word: &str) -> bool {
    let is_month = |month: &&str| month.split('|').any(|name| name == word);
    ["mid", "mi"].contains(&word) || ALL.iter().any(|known| known.language.months.iter().any(&is_month))
}
