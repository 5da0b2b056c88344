//! The comparison of entities' names: without case, accents and runs of blanks.

use std::borrow::Cow;

use memory_search_analyzer::{Alphabet, fold};
use unicode_normalization::UnicodeNormalization;

use crate::bounds_and_defaults::ENTITY_CHARACTERS;
use crate::error::{Error, Result, shown};

/// The key by which a name is compared; `None` for a blank name, and for one longer than [`ENTITY_CHARACTERS`], which
/// is no name. The key of a key is the key itself.
pub fn entity_key(name: &str) -> Option<Cow<'_, str>> {
    // A character has at most four bytes: a text of any length is refused without being read.
    if name.len() > 4 * ENTITY_CHARACTERS || name.chars().count() > ENTITY_CHARACTERS {
        return None;
    }
    if is_plain(name) {
        return Some(Cow::Borrowed(name));
    }
    let key = folded(name);
    (!key.is_empty() && key.chars().count() <= ENTITY_CHARACTERS).then_some(Cow::Owned(key))
}

/// The key of an entity's name. A blank or long name is refused (22023).
pub fn required(path: &str, name: &str) -> Result<String> {
    entity_key(name).map(Cow::into_owned).ok_or_else(|| {
        let most = ENTITY_CHARACTERS;
        Error::invalid(format!("{path} must be a name of 1 to {most} characters, not \"{}\"", shown(name)))
            .hint("Give the name of a person, place or thing, as people write it.")
    })
}

/// Most names of tags are keys already.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase();
    !bytes.is_empty() && bytes.iter().all(is_plain)
}

/// A name in its form for comparisons: in lower case, without accents ("José" is "jose", "Straße" is "strasse"), full
/// width and compatibility forms replaced by plain ones (NFKC), one blank for each run of blanks and none around, plain
/// apostrophes and hyphens, and without invisible signs. Folding a folded name changes nothing.
fn folded(name: &str) -> String {
    let composed: String = name.nfkc().filter(|c| !is_invisible(*c)).map(plain_sign).collect();
    let mut plain = composed;
    // A ligature with an accent loses that only when it is two letters; a letter may have another form in lower case.
    for _ in 0..3 {
        plain = fold(&plain, Alphabet::Plain).unwrap_or(plain).to_lowercase();
        // The dot of the Turkish capital letter, which may have another accent behind it; the sigma at a word's end.
        let mut is_after_i = false;
        plain.retain(|c| {
            let is_dot = is_after_i && c == '\u{307}';
            is_after_i = c == 'i' || is_dot;
            !is_dot
        });
        plain = plain.replace('ς', "σ").nfkc().collect();
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn plain_sign(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{02bc}' => '\'',
        '\u{2010}' | '\u{2011}' => '-',
        _ => c,
    }
}

/// Soft hyphens, joiners, and marks of direction and byte order.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_accents_and_blanks_do_not_tell_names_apart() {
        for (name, key) in [
            ("Sarah Miller", "sarah miller"),
            ("  SARAH \t miller\n", "sarah miller"),
            ("José", "jose"),
            ("Jose\u{301}", "jose"),
            ("Straße", "strasse"),
            ("東京", "東京"),
            ("мой", "мой"),
            ("ABC-123", "abc-123"),
            ("ﬁ", "fi"),
        ] {
            assert_eq!(entity_key(name).as_deref(), Some(key), "{name}");
        }
    }

    #[test]
    fn a_blank_or_long_text_is_no_name() {
        for name in ["", "  ", "\n", &"a".repeat(ENTITY_CHARACTERS + 1), &"ß".repeat(ENTITY_CHARACTERS)] {
            assert_eq!(entity_key(name), None, "{name}");
        }
        assert!(entity_key(&"ä".repeat(ENTITY_CHARACTERS)).is_some());
    }

    #[test]
    fn names_are_the_same_in_any_case_with_any_blanks_and_accents() {
        for (written, plain) in [
            ("  Sarah\u{a0}\t Miller\n", "sarah miller"),
            ("José Nu\u{f1}ez", "jose nunez"),
            ("Jose\u{301} Nun\u{303}ez", "jose nunez"),
            ("O\u{2019}Brien", "o'brien"),
            ("Łódź", "lodz"),
            ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("Ｔｏｋｙｏ", "tokyo"),
            ("İzmir", "izmir"),
            ("I\u{307}\u{307}\u{301}zmir", "izmir"),
            ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"),
            ("Ζήσης", "ζησησ"),
            ("@Maria", "@maria"),
            ("Saint\u{2011}Ouen", "saint-ouen"),
            ("Mi\u{ad}ria\u{200b}m", "miriam"),
            ("\u{feff} ", ""),
        ] {
            assert_eq!(folded(written), plain, "{written}");
        }
    }

    #[test]
    fn other_names_stay_others() {
        assert_ne!(folded("Anna"), folded("Ana"));
        assert_ne!(folded("AnnaMaria"), folded("Anna Maria"));
        assert_ne!(folded("Майя"), folded("Маия"));
    }

    proptest! {
        #[test]
        fn the_key_of_a_key_is_the_key(name in "\\PC{0,40}|[A-Za-zÀ-ɏΑ-ώ \u{301}\u{307}'’.-]{0,40}") {
            if let Some(key) = entity_key(&name) {
                let again = entity_key(&key);
                prop_assert_eq!(again.as_deref(), Some(&*key));
            }
        }
    }
}
