//! Ids as callers write them, and as tables hold them.

use std::cmp::Ordering;

/// An entry's id as its column holds it: what most rows of a scan are before they are dropped.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RowId {
    /// uuid
    Uuid([u8; 16]),
    /// int2, int4, int8
    Integer(i64),
    /// text
    Text(String),
}

impl RowId {
    /// The id as PostgreSQL writes it.
    pub fn to_text(&self) -> String {
        match self {
            RowId::Uuid(bytes) => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                let mut text = String::with_capacity(36);
                for (index, byte) in bytes.iter().enumerate() {
                    if matches!(index, 4 | 6 | 8 | 10) {
                        text.push('-');
                    }
                    text.push(char::from(DIGITS[usize::from(byte >> 4)]));
                    text.push(char::from(DIGITS[usize::from(byte & 0xf)]));
                }
                text
            }
            RowId::Integer(number) => number.to_string(),
            RowId::Text(text) => text.clone(),
        }
    }

    /// A number that is the same for the same id everywhere, and orders ids somehow (FNV-1a of the text).
    pub fn any_order(&self) -> i64 {
        let hash = self
            .to_text()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        hash as i64
    }

    /// A number by which rows that are alike in all else are told apart, the same everywhere.
    pub fn tie(&self) -> u128 {
        match self {
            RowId::Uuid(bytes) => u128::from_be_bytes(*bytes),
            RowId::Integer(number) => u128::from(number.cast_unsigned()),
            RowId::Text(_) => u128::from(self.any_order().cast_unsigned()),
        }
    }

    /// The order of their texts, which is what breaks ties everywhere.
    pub fn text_order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (RowId::Uuid(a), RowId::Uuid(b)) => a.cmp(b),
            (RowId::Text(a), RowId::Text(b)) => a.cmp(b),
            _ => self.to_text().cmp(&other.to_text()),
        }
    }
}

/// A uuid as PostgreSQL writes it, however it was typed: with braces, without hyphens, in capitals.
pub fn canonical_uuid(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| !matches!(c, '-' | '{' | '}')).collect::<String>().to_lowercase();
    if digits.len() != 32 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some([&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-"))
}

/// An id as a value of a column's type, named as in `pg_type`; `None` when it can be none of them.
pub fn as_type(type_name: &str, id: &str) -> Option<String> {
    let integer = |fits: fn(i64) -> bool| id.trim().parse::<i64>().ok().filter(|n| fits(*n)).map(|n| n.to_string());
    match type_name {
        "uuid" => canonical_uuid(id),
        "int8" => integer(|_| true),
        "int4" => integer(|n| i32::try_from(n).is_ok()),
        "int2" => integer(|n| i16::try_from(n).is_ok()),
        _ => Some(id.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_the_same_however_it_is_typed() {
        let canonical = "0000002a-0000-4000-8000-00000000000f";
        for typed in [canonical, "{0000002A-0000-4000-8000-00000000000F}", "0000002a00004000800000000000000f"] {
            assert_eq!(canonical_uuid(typed).as_deref(), Some(canonical), "{typed}");
        }
        assert_eq!(canonical_uuid("0000002a"), None);
        assert_eq!(canonical_uuid("ä000002a-0000-4000-8000-00000000000f"), None);
    }

    #[test]
    fn ids_of_rows_have_the_order_of_their_texts() {
        let uuid = |last| RowId::Uuid([0xab, 0, 0, 0x2a, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, last]);
        assert_eq!(uuid(15).to_text(), "ab00002a-0000-4000-8000-00000000000f");
        for (a, b) in [
            (uuid(1), uuid(2)),
            (uuid(0x9f), uuid(0xa0)),
            (RowId::Integer(10), RowId::Integer(9)),
            (RowId::Text("a".into()), RowId::Text("b".into())),
        ] {
            assert_eq!(a.text_order(&b), Ordering::Less, "{a:?} {b:?}");
            assert_eq!(a.text_order(&b), a.to_text().cmp(&b.to_text()));
        }
    }

    #[test]
    fn an_id_that_its_type_cannot_hold_names_nothing() {
        assert_eq!(as_type("int8", " 42 ").as_deref(), Some("42"));
        assert_eq!(as_type("int2", "40000"), None);
        assert_eq!(as_type("int4", "forty"), None);
        assert_eq!(as_type("uuid", "nobody"), None);
        assert_eq!(as_type("text", "nobody").as_deref(), Some("nobody"));
    }
}
