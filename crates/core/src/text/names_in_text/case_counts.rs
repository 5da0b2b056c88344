//! Counts of the spellings of words, from texts.

use std::collections::HashMap;

use super::elsewhere::{Elsewhere, Written};
use super::written_words::{WrittenWord, is_abbreviation, written_words};
use super::{headings, speakers};

/// Counts of the words of some texts.
#[derive(Debug, Clone, Default)]
pub struct CaseCounts(HashMap<String, Written>);

impl CaseCounts {
    /// Adds the words of one text. The name of its speaker ("Caroline: Hi!") counts as written with a capital letter.
    pub fn add(&mut self, text: &str) {
        let words = written_words(text);
        self.add_words(text, &words, &headings::of(text, &words));
    }

    pub(super) fn of_words(text: &str, words: &[WrittenWord], says_nothing: &[bool]) -> CaseCounts {
        let mut counts = CaseCounts::default();
        counts.add_words(text, words, says_nothing);
        counts
    }

    fn add_words(&mut self, text: &str, words: &[WrittenWord], says_nothing: &[bool]) {
        let behind_speaker = speakers::words_of_speaker(text, words);
        for word in &words[..behind_speaker] {
            self.count(&word.lower).capital += 1;
        }
        for (at, (word, says_nothing)) in words.iter().zip(says_nothing).enumerate().skip(behind_speaker) {
            if word.is_number || word.is_all_capitals && !is_abbreviation(text, words, at) {
                continue;
            }
            if !word.is_capital || word.is_all_capitals {
                self.count(&word.lower).lower += 1;
            } else if !word.begins_sentence && !says_nothing {
                self.count(&word.lower).capital += 1;
                if word.is_possessor {
                    self.count(&format!("{}'s", word.lower)).capital += 1;
                }
            }
        }
    }

    fn count(&mut self, word: &str) -> &mut Written {
        self.0.entry(word.to_owned()).or_default()
    }
}

impl Elsewhere for CaseCounts {
    fn written(&self, word: &str) -> Written {
        self.0.get(word).copied().unwrap_or_default()
    }
}
