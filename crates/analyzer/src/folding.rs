//! Words without their accents.

use unicode_normalization::UnicodeNormalization;

use crate::alphabet::Alphabet;
use crate::output::composed;

/// Letters without a removable mark, and the letters that people type for them.
const ONE_FOR_ONE: [(char, char); 11] = [
    ('Ø', 'O'),
    ('ø', 'o'),
    ('Ł', 'L'),
    ('ł', 'l'),
    ('Đ', 'D'),
    ('đ', 'd'),
    ('Ð', 'D'),
    ('ð', 'd'),
    ('ı', 'i'),
    ('Ħ', 'H'),
    ('ħ', 'h'),
];
const TWO_FOR_ONE: [(char, &str); 8] =
    [('ß', "ss"), ('ẞ', "SS"), ('Æ', "AE"), ('æ', "ae"), ('Œ', "OE"), ('œ', "oe"), ('Þ', "Th"), ('þ', "th")];

/// The word without its accents; `None` if it has none, or if they make letters of their own in this alphabet. Letters
/// of Latin and Greek are folded, and of Cyrillic `ё`: `й` is another letter than `и`.
pub fn fold(word: &str, alphabet: Alphabet) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let word = composed(word);
    if !word.chars().any(may_have_accent) {
        return None;
    }
    let mut plain = String::with_capacity(word.len());
    let mut letters = word.nfd().peekable();
    while let Some(letter) = letters.next() {
        let keeps = letters.peek().is_some_and(|mark| alphabet.keeps_marked(letter, *mark));
        push_folded(&mut plain, letter, alphabet);
        if loses_marks(letter) && !keeps {
            while letters.next_if(|mark| is_accent(*mark)).is_some() {}
        }
    }
    let plain: String = plain.nfc().collect();
    (plain != word).then_some(plain)
}

fn push_folded(plain: &mut String, letter: char, alphabet: Alphabet) {
    if alphabet.keeps(letter) {
        plain.push(letter);
    } else if let Some((_, letters)) = TWO_FOR_ONE.iter().find(|(from, _)| *from == letter) {
        plain.push_str(letters);
    } else {
        plain.push(ONE_FOR_ONE.iter().find(|(from, _)| *from == letter).map_or(letter, |(_, to)| *to));
    }
}

/// Letters that may have a form without an accent.
fn may_have_accent(c: char) -> bool {
    matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='\u{024f}' | '\u{0386}'..='\u{03ff}' | 'Ё' | 'ё' | '\u{1e00}'..='\u{1fff}')
}

/// Letters with a removable mark.
fn loses_marks(letter: char) -> bool {
    matches!(letter, 'A'..='Z' | 'a'..='z' | 'Α'..='ω' | 'Е' | 'е')
}

fn is_accent(c: char) -> bool {
    ('\u{0300}'..='\u{036f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_words_accents_are_left_out() {
        let folded = [
            ("café", "cafe"),
            ("Müller", "Muller"),
            ("Łódź", "Lodz"),
            ("Straße", "Strasse"),
            ("ёлка", "елка"),
            ("cafe\u{301}", "cafe"),
            ("Ærø", "AEro"),
            ("Ελλάδα", "Ελλαδα"),
            ("tiếng", "tieng"),
        ];
        for (word, plain) in folded {
            assert_eq!(fold(word, Alphabet::Plain).as_deref(), Some(plain), "{word}");
        }
        for word in ["cafe", "мой", "日本", "", "हिन्दी"] {
            assert_eq!(fold(word, Alphabet::Plain), None, "{word}");
        }
    }

    #[test]
    fn letters_of_their_own_stay() {
        let kept = [
            ("norwegian", "får", None),
            ("swedish", "idé", Some("ide")),
            ("swedish", "smörgås", None),
            ("danish", "Ærø", None),
            ("spanish", "año", None),
            ("spanish", "está", Some("esta")),
            ("turkish", "ışık", None),
            ("pg_catalog.hungarian", "őzűző", None),
            ("estonian", "õšž", None),
            ("swedish.german", "får", Some("far")),
        ];
        for (configuration, word, plain) in kept {
            let folded = fold(word, Alphabet::of_configuration(configuration));
            assert_eq!(folded.as_deref(), plain, "{configuration} {word}");
        }
    }
}
