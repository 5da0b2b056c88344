//! The words of names, and of questions that may name a person. Texts may be composed (`é`) or decomposed (`e` and
//! U+0301), and in scripts without blanks between words: there each character is a separate word that continues the one
//! before it.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// A script without blanks between words. The least length of a name, and the ends of names, depend on the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    Han,
    Hiragana,
    Katakana,
    /// Thai, Lao, Khmer and Burmese.
    SoutheastAsian,
}

impl Script {
    /// The script of a character.
    fn of(character: char) -> Option<Script> {
        match character {
            '\u{3041}'..='\u{309f}' => Some(Script::Hiragana),
            '\u{30a1}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' => Some(Script::Katakana),
            // The sign of repetition belongs to names as 佐々木.
            '々'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3fffd}' => Some(Script::Han),
            '\u{0e01}'..='\u{0edf}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => Some(Script::SoutheastAsian),
            _ => None,
        }
    }
}

/// A run of letters and digits, or a character of a script without blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameWord {
    /// In lower case and composed.
    pub text: String,
    /// Whether it is of a script without blanks.
    pub script: Option<Script>,
    /// Whether it begins with a capital letter.
    pub is_capital: bool,
    /// The place in the text, in bytes.
    pub place: Range<usize>,
}

/// The words of a text.
pub fn words(text: &str) -> Vec<NameWord> {
    let mut found: Vec<NameWord> = Vec::new();
    let mut begin = None;
    for (at, character) in text.grapheme_indices(true) {
        // A mark of its own, as an accent, belongs to the letter before it.
        let letter = character.chars().next().filter(|first| first.is_alphanumeric());
        let script = letter.and_then(|letter| Script::of(composed(letter)));
        if (letter.is_none() || script.is_some())
            && let Some(from) = begin.take()
        {
            found.push(word(text, from..at, None));
        }
        match script {
            Some(_) => found.push(word(text, at..at + character.len(), script)),
            None if letter.is_some() => _ = begin.get_or_insert(at),
            None => {}
        }
    }
    found.extend(begin.map(|from| word(text, from..text.len(), None)));
    found
}

fn word(text: &str, place: Range<usize>, script: Option<Script>) -> NameWord {
    let written = &text[place.clone()];
    let is_capital = written.starts_with(char::is_uppercase);
    NameWord { text: written.nfkc().collect::<String>().to_lowercase(), script, is_capital, place }
}

/// A letter of half width as the letter that it represents.
fn composed(letter: char) -> char {
    std::iter::once(letter).nfkc().next().unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn letters_keep_their_marks_however_they_are_written() {
        assert_eq!(texts("Jos\u{e9}, Jose\u{301}!"), ["jos\u{e9}", "jos\u{e9}"]);
        assert_eq!(texts("Nguye\u{302}\u{303}n"), ["nguy\u{1ec5}n"]);
        assert_eq!(texts("प्रिया ने"), ["प्रिया", "ने"]);
        assert_eq!(texts("O'Neill-Smith 7"), ["o", "neill", "smith", "7"]);
    }

    #[test]
    fn a_character_of_a_script_without_blanks_is_a_word() {
        assert_eq!(texts("Ana和李娜"), ["ana", "和", "李", "娜"]);
        assert_eq!(texts("か\u{3099}"), ["が"]);
        assert_eq!(texts("ｱﾅ"), ["ア", "ナ"]);
        assert_eq!(words("ｱ")[0].script, Some(Script::Katakana));
        assert_eq!(texts("ジョン・スミス"), ["ジ", "ョ", "ン", "ス", "ミ", "ス"]);
    }

    proptest! {
        #[test]
        fn words_stand_in_order_and_hold_all_letters(text in "[a-cé李가 ก\u{301}'.-]{0,30}|\\PC{0,30}") {
            let found = words(&text);
            prop_assert!(found.windows(2).all(|pair| pair[0].place.end <= pair[1].place.start));
            let is_held = |at: usize| found.iter().any(|word| word.place.contains(&at));
            prop_assert!(text.grapheme_indices(true).all(|(at, letter)| !letter.starts_with(char::is_alphanumeric) || is_held(at)));
        }
    }
}
