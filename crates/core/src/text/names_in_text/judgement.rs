//! Whether a word with a capital letter is a name, by its spelling elsewhere.

use super::case_counts::CaseCounts;
use super::elsewhere::{Elsewhere, Written};
use super::word_lists::{ADDRESSES, ARTICLES, NO_ACRONYMS, NO_NAMES, OF_PEOPLE, OPENING, PLACES, TIMES};
use super::written_words::{Joint, WrittenWord};
use crate::text::ordinary_words::{is_also_ordinary, is_of_many};

/// The length of the longest acronym, in bytes: longer words in capitals are emphasis.
const LONGEST_ACRONYM: usize = 6;
/// The number of occurrences from which on something is no accident.
const OFTEN: u64 = 3;

/// Judges the words of one text.
pub struct Judgement<'a, E> {
    pub words: &'a [WrittenWord],
    /// For each word, whether its capital letter has no meaning.
    pub says_nothing: &'a [bool],
    /// The words of the text itself.
    pub own: &'a CaseCounts,
    pub elsewhere: &'a E,
}

impl<E: Elsewhere> Judgement<'_, E> {
    /// Whether a word may begin a name, or be one.
    pub fn begins_name(&self, at: usize) -> bool {
        let word = &self.words[at];
        // "Sea-Level" is one word, of which "Sea" is no name.
        let is_behind_ordinary = word.joint == Joint::Hyphen && self.words[at - 1].is_capital;
        if is_behind_ordinary || self.is_street(at) {
            return false;
        }
        if !self.says_nothing[at] && self.may_open_name(at) {
            return true;
        }
        if word.is_letter {
            return word.is_capital && word.lower != "i" && self.follows_initial(at + 1);
        }
        if !self.may_be_of_name(at) || ADDRESSES.holds(&word.lower) {
            return false;
        }
        let written = self.written(&word.lower);
        if word.is_all_capitals {
            let is_name = self.is_acronym(word, written) || !word.begins_sentence && self.goes_on_in_small_letters(at);
            return is_name && (!self.says_nothing[at] || self.is_known(&word.lower));
        }
        if self.says_nothing[at] {
            return self.is_known(&word.lower);
        }
        if !word.begins_sentence {
            // A name of several words may begin with every word: "the Golden Gate Bridge".
            return written.lower < written.capital || self.goes_on(at);
        }
        let is_name = || word.has_hump || self.is_name_by_what_follows(at);
        written.capital > 2 * written.lower || written.lower == 0 && is_name()
    }

    /// Whether a word may continue a name.
    pub fn continues_name(&self, at: usize) -> bool {
        let Some(word) = self.words.get(at) else { return false };
        self.may_be_of_name(at)
            && (!self.says_nothing[at] || self.is_known(&word.lower))
            && (!word.is_letter || word.lower != "i")
    }

    /// Whether a word has the spelling of names, and is not in the list of words that never are names.
    fn may_be_of_name(&self, at: usize) -> bool {
        let word = &self.words[at];
        word.is_capital
            && !word.is_contraction
            && (!NO_NAMES.holds(&word.lower) || self.is_short_place(word))
            && !TIMES.holds(&word.lower)
            && (word.lower != "will" || !word.begins_sentence)
    }

    /// Whether a word that is no name itself begins a name of several words: "the Great Wall of China", "Los Angeles".
    fn may_open_name(&self, at: usize) -> bool {
        let word = &self.words[at];
        let may_open = || !word.begins_sentence && OPENING.holds(&word.lower) || ARTICLES.holds(&word.lower);
        word.is_capital && may_open() && self.goes_on(at)
    }

    /// Whether a heading continues after the last word of a known name, which is then part of something else.
    pub fn is_cut_off(&self, last: usize) -> bool {
        let is_more =
            |word: &WrittenWord| word.joint == Joint::Blank && word.is_capital && !NO_NAMES.holds(&word.lower);
        self.says_nothing[last] && self.words.get(last + 1).is_some_and(is_more)
    }

    /// Whether a name is known without the `'s` that follows it here.
    pub fn stands_alone(&self, at: usize) -> bool {
        let lower = &self.words[at].lower;
        self.written(lower).capital > self.written(&format!("{lower}'s")).capital
    }

    /// Whether a name is known, and always with the `'s` that follows it here.
    pub fn is_always_possessor(&self, at: usize) -> bool {
        let possessor = self.elsewhere.written(&format!("{}'s", self.words[at].lower));
        possessor.capital >= OFTEN && !self.stands_alone(at)
    }

    /// Whether "St" means a street, and not a saint.
    fn is_street(&self, at: usize) -> bool {
        let is_saints = |next: &WrittenWord| matches!(next.joint, Joint::Blank | Joint::Initial | Joint::Hyphen);
        self.words[at].lower == "st" && !(self.words.get(at + 1).is_some_and(is_saints) && self.continues_name(at + 1))
    }

    fn is_short_place(&self, word: &WrittenWord) -> bool {
        word.is_all_capitals && PLACES.holds(&word.lower)
    }

    fn is_acronym(&self, word: &WrittenWord, written: Written) -> bool {
        self.is_short_place(word)
            || word.lower.len() <= LONGEST_ACRONYM
                && written.lower == 0
                && !NO_ACRONYMS.holds(&word.lower)
                && !NO_ACRONYMS.holds(word.lower.trim_end_matches('s'))
                && !is_roman_number(&word.lower)
    }

    /// Whether the memory has a word as a name, and always with its capital letter.
    fn is_known(&self, lower: &str) -> bool {
        let written = self.elsewhere.written(lower);
        written.capital > 0 && written.lower == 0
    }

    fn written(&self, lower: &str) -> Written {
        self.elsewhere.written(lower).and(self.own.written(lower))
    }

    /// Whether the next word continues a name.
    fn goes_on(&self, at: usize) -> bool {
        let is_next = |word: &WrittenWord| matches!(word.joint, Joint::Blank | Joint::Hyphen) && !word.is_letter;
        !self.words[at].is_possessor && self.words.get(at + 1).is_some_and(is_next) && self.continues_name(at + 1)
    }

    /// Whether a name continues after an abbreviation: "VS Code".
    fn goes_on_in_small_letters(&self, at: usize) -> bool {
        self.goes_on(at) && !self.words[at + 1].is_all_capitals
    }

    /// Whether the next word belongs to a name after initials: "J. R. Tolkien", "X-Men".
    fn follows_initial(&self, at: usize) -> bool {
        let is_behind = |word: &WrittenWord| word.joint == Joint::Initial || word.joint == Joint::Hyphen;
        self.words.get(at).is_some_and(is_behind) && self.continues_name(at)
    }

    /// Whether the words after the first word of a sentence show that it is a name, without other evidence: another
    /// name, or a verb that only people do.
    fn is_name_by_what_follows(&self, at: usize) -> bool {
        let word = &self.words[at];
        let is_form_of_verb = word.lower.ends_with("ing") || word.lower.ends_with("ly") || word.lower.ends_with("ed");
        let is_deed = |next: &WrittenWord| next.joint == Joint::Blank && OF_PEOPLE.holds(&next.lower);
        let is_many = word.lower.ends_with('s') || is_also_ordinary(&word.lower) || is_of_many(&word.lower);
        // In "Woohoo Melanie" the second word is known alone, and the first is not.
        let is_next_known = || self.elsewhere.written(&self.words[at + 1].lower).capital >= OFTEN;
        !is_form_of_verb
            && (self.goes_on(at) && !is_next_known() || !is_many && self.words.get(at + 1).is_some_and(is_deed))
    }
}

/// Whether a word is the number of a chapter or a part of a list.
fn is_roman_number(lower: &str) -> bool {
    lower.bytes().all(|byte| matches!(byte, b'i' | b'v' | b'x'))
}
