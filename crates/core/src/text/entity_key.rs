//! How names of entities are compared: without case, accents and runs of blanks.

use std::borrow::Cow;

use memory_search_analyzer::{Alphabet, fold};
use unicode_normalization::UnicodeNormalization;

use crate::limits::ENTITY_CHARACTERS;

/// Lower case of a text can have marks that fold again (`İ`); no text needs more rounds than this.
const MAX_ROUNDS: usize = 4;

/// The key under which a name is compared; `None` for a blank name, and for one longer than [`ENTITY_CHARACTERS`], which
/// is no name. The key of a key is the key itself.
pub fn entity_key(name: &str) -> Option<Cow<'_, str>> {
    // A character has at most four bytes: a text of any length is refused without being read.
    if name.len() > 4 * ENTITY_CHARACTERS || name.chars().count() > ENTITY_CHARACTERS {
        return None;
    }
    if is_plain(name) {
        return Some(Cow::Borrowed(name));
    }
    let mut key = folded(name);
    for _ in 1..MAX_ROUNDS {
        let again = folded(&key);
        if again == key {
            break;
        }
        key = again;
    }
    (!key.is_empty() && key.chars().count() <= ENTITY_CHARACTERS).then_some(Cow::Owned(key))
}

/// Most names of tags are keys already.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase();
    !bytes.is_empty() && bytes.iter().all(is_plain)
}

fn folded(name: &str) -> String {
    let plain: String = name.nfkc().collect::<String>().to_lowercase();
    let plain = fold(&plain, Alphabet::Plain).unwrap_or(plain);
    plain.split_whitespace().collect::<Vec<_>>().join(" ").nfc().collect()
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

    proptest! {
        #[test]
        fn the_key_of_a_key_is_the_key(name in "\\PC{0,40}") {
            if let Some(key) = entity_key(&name) {
                let again = entity_key(&key);
                prop_assert_eq!(again.as_deref(), Some(&*key));
            }
        }
    }
}
