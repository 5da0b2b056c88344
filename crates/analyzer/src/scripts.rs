//! The scripts without blanks between words: Chinese and Japanese, Thai, Lao, Khmer and Burmese.

use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

/// The first character of such a script.
const FIRST: char = '\u{0e00}';

/// Whether a character is a letter, a vowel or a mark of such a script. Their digits make words as others do.
pub fn is_blankless(c: char) -> bool {
    if c < FIRST || ('\u{ac00}'..='\u{d7a3}').contains(&c) {
        return false;
    }
    is_ideograph_or_kana(c) || is_of_syllables(c)
}

fn is_ideograph_or_kana(c: char) -> bool {
    let of_script = match c.script() {
        Script::Han | Script::Hiragana | Script::Katakana => true,
        // The prolonged sound mark and the like are of several scripts.
        Script::Common => {
            let scripts = c.script_extension();
            scripts != Script::Common.into()
                && [Script::Han, Script::Hiragana, Script::Katakana].into_iter().any(|one| scripts.contains_script(one))
        }
        _ => false,
    };
    of_script && c.is_alphabetic()
}

fn is_of_syllables(c: char) -> bool {
    matches!(c.script(), Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar)
        && !c.is_numeric()
        && (c.is_alphabetic() || is_combining_mark(c))
}
