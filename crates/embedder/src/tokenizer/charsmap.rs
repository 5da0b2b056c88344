//! Checks the tables of characters that SentencePiece's normaliser replaces ("Precompiled"), before the library reads
//! one: it trusts their offsets, and would panic if one leads out of the table. Other parts that make gigabytes of a
//! text, or that the library panics at, are refused here, too.
//!
//! A table has the length of a trie in bytes, the trie, and the replacements, each ended by a zero. The trie is a double
//! array (Aoe 1989, as in darts-clone): the unit at `place`, followed by a byte, leads to the unit at
//! `place ^ offset ^ byte`; at the end of a key, the unit at `place ^ offset` has the replacement's place.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::ModelError;
use crate::tokenizer::json::unusable;

/// The longest replacement, in bytes. NFKC's longest has 33; a longer one could make gigabytes of a text.
const LONGEST: usize = 64;

/// The numbers of a unit of the trie.
const IS_VALUE: u32 = 1 << 31;
const HAS_VALUE: u32 = 1 << 8;
const IS_FAR: u32 = 1 << 9;

/// Every part of the `normalizer`, or of the `pre_tokenizer`, of a tokenizer.json.
pub(super) fn check_all(normalizer: &RawValue) -> Result<(), ModelError> {
    let mut to_visit: Vec<Value> = vec![serde_json::from_str(normalizer.get()).map_err(unusable)?];
    while let Some(value) = to_visit.pop() {
        match value {
            Value::Array(values) => to_visit.extend(values),
            Value::Object(fields) => {
                match fields.get("precompiled_charsmap") {
                    Some(Value::String(table)) => {
                        let table = base64::decode(table).map_err(unusable)?;
                        check(&table).ok_or_else(|| unusable("\"precompiled_charsmap\" is damaged"))?;
                    }
                    // The library panics without it.
                    _ if fields.get("type").and_then(Value::as_str) == Some("Precompiled") => {
                        return Err(unusable("a normalizer \"Precompiled\" has no text \"precompiled_charsmap\""));
                    }
                    _ => {}
                }
                let is = |kind| fields.get("type").and_then(Value::as_str) == Some(kind);
                let length = |field| fields.get(field).and_then(Value::as_str).map_or(0, str::len);
                if is("Replace") && length("content") > LONGEST || is("Prepend") && length("prepend") > LONGEST {
                    return Err(unusable(format!("a replacement has more than {LONGEST} bytes")));
                }
                if is("FixedLength") && fields.get("length").and_then(Value::as_u64) == Some(0) {
                    return Err(unusable("the \"length\" of a pre_tokenizer \"FixedLength\" is 0"));
                }
                to_visit.extend(fields.into_iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    Ok(())
}

/// `None` if a text could lead out of the table, or to a replacement that is too long.
fn check(table: &[u8]) -> Option<()> {
    let (length, rest) = table.split_first_chunk()?;
    let (trie, replacements) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let (units, odd) = trie.as_chunks();
    let units: Vec<u32> = units.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
    let replacements = std::str::from_utf8(replacements).ok()?;
    if units.is_empty() || !odd.is_empty() {
        return None;
    }
    for (place, &unit) in units.iter().enumerate() {
        if unit & IS_VALUE != 0 {
            continue;
        }
        let offset = (unit >> 10) << if unit & IS_FAR != 0 { 8 } else { 0 };
        let next = place ^ offset as usize;
        // Any byte may follow.
        if (next | 0xFF) >= units.len() {
            return None;
        }
        if unit & HAS_VALUE != 0 {
            let value = units[next] & !IS_VALUE;
            let replacement = replacements.get(value as usize..)?;
            let end = replacement.find('\0').unwrap_or(replacement.len());
            if end > LONGEST {
                return None;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokenizers::Normalizer;
    use tokenizers::normalizers::precompiled::Precompiled;

    use super::*;

    /// Replaces "a" by `replacement`: the root leads by "a" to a unit whose key ends there.
    fn table(replacement: &str) -> Vec<u8> {
        let mut units = vec![0_u32; 512];
        units[0] = 256 << 10;
        let of_a = 256 ^ usize::from(b'a');
        units[of_a] = (256 << 10) | HAS_VALUE | u32::from(b'a');
        units[of_a ^ 256] = IS_VALUE;
        let trie: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        [&(trie.len() as u32).to_le_bytes(), &trie[..], replacement.as_bytes(), b"\0"].concat()
    }

    fn check_json(table: &[u8]) -> Result<(), String> {
        let precompiled = json!({"type": "Precompiled", "precompiled_charsmap": base64::encode(table)});
        let sequence = json!({"type": "Sequence", "normalizers": [{"type": "NFC"}, precompiled]}).to_string();
        check_all(serde_json::from_str(&sequence).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_table_passes_and_the_library_reads_it_alike() {
        assert_eq!(check_json(&table("ä")), Ok(()));
        let mut text = tokenizers::NormalizedString::from("bab");
        Precompiled::from(&table("ä")).unwrap().normalize(&mut text).unwrap();
        assert_eq!(text.get(), "bäb");
    }

    #[test]
    fn a_damaged_table_is_refused_wherever_it_stands() {
        let whole = table("ä");
        for length in 0..whole.len() - 3 {
            assert!(check_json(&whole[..length]).unwrap_err().contains("precompiled_charsmap"), "{length}");
        }
        assert!(check_json(&table(&"x".repeat(LONGEST + 1))).is_err());
        let mut middle_of_a_character = whole.clone();
        middle_of_a_character[4 + 4 * usize::from(b'a')] = 1;
        assert!(check_json(&middle_of_a_character).is_err());
        for wrong in [
            r#"{"type": "Precompiled"}"#,
            r#"{"type": "Precompiled", "precompiled_charsmap": null}"#,
            r#"{"precompiled_charsmap": "?"}"#,
            r#"[{"normalizers": [{"precompiled\u005fcharsmap": ""}]}]"#,
        ] {
            assert!(check_all(serde_json::from_str(wrong).unwrap()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn long_replacements_and_pieces_without_length_are_refused() {
        let replace =
            |length: usize| json!({"type": "Replace", "pattern": {"String": "a"}, "content": "b".repeat(length)});
        let prepend = |length: usize| json!({"type": "Prepend", "prepend": "b".repeat(length)});
        let fixed = |length: usize| json!({"type": "FixedLength", "length": length});
        let is_refused = |part: Value| check_all(serde_json::from_str(&part.to_string()).unwrap()).is_err();
        for (part, is_wrong) in [
            (replace(LONGEST), false),
            (replace(LONGEST + 1), true),
            (prepend(1), false),
            (prepend(LONGEST + 1), true),
            (fixed(1), false),
            (fixed(0), true),
        ] {
            assert_eq!(is_refused(json!({"type": "Sequence", "parts": [part]})), is_wrong);
        }
    }

    #[test]
    fn a_table_that_passes_lets_the_library_read_any_text() {
        let whole = table("ä");
        let text: String = (0..=0x17F_u32).filter_map(char::from_u32).chain("aaa".chars()).collect();
        let mut passed = 0;
        for place in (0..whole.len()).step_by(3) {
            for bit in [0, 1, 2, 5, 7] {
                let mut damaged = whole.clone();
                damaged[place] ^= 1 << bit;
                if check(&damaged).is_some() {
                    passed += 1;
                    let mut text = tokenizers::NormalizedString::from(text.as_str());
                    Precompiled::from(&damaged).unwrap().normalize(&mut text).unwrap();
                }
            }
        }
        assert!(passed > 100, "{passed}");
    }
}
