//! Ids in callers' notation, and as tables hold them.

use std::cmp::Ordering;
use std::fmt;

use uuid::Uuid;

/// The types of ids. The ids of a store's own tables are text and uuid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    /// uuid
    Uuid,
    /// int8
    Int8,
    /// int4
    Int4,
    /// int2
    Int2,
    /// text
    Text,
}

impl IdKind {
    /// The type in `pg_catalog`.
    pub fn type_name(self) -> &'static str {
        match self {
            IdKind::Uuid => "uuid",
            IdKind::Int8 => "int8",
            IdKind::Int4 => "int4",
            IdKind::Int2 => "int2",
            IdKind::Text => "text",
        }
    }

    /// The kind of a type's name; `None` for a type that no id has.
    pub fn of_type(name: &str) -> Option<Self> {
        [IdKind::Uuid, IdKind::Int8, IdKind::Int4, IdKind::Int2, IdKind::Text]
            .into_iter()
            .find(|kind| kind.type_name() == name)
    }

    /// An id as a value of this type; `None` if it cannot be one.
    pub fn value(self, id: &str) -> Option<String> {
        let integer = |fits: fn(i64) -> bool| id.trim().parse::<i64>().ok().filter(|n| fits(*n)).map(|n| n.to_string());
        match self {
            IdKind::Uuid => canonical_uuid(id),
            IdKind::Int8 => integer(|_| true),
            IdKind::Int4 => integer(|n| i32::try_from(n).is_ok()),
            IdKind::Int2 => integer(|n| i16::try_from(n).is_ok()),
            IdKind::Text => Some(id.to_owned()),
        }
    }
}

impl IdKind {
    /// An id as its column holds it; `None` if it cannot be one.
    pub fn row_id(self, id: &str) -> Option<RowId> {
        let value = self.value(id)?;
        Some(match self {
            IdKind::Uuid => RowId::Uuid(*Uuid::try_parse(&value).ok()?.as_bytes()),
            IdKind::Int8 | IdKind::Int4 | IdKind::Int2 => RowId::Integer(value.parse().ok()?),
            IdKind::Text => RowId::Text(value),
        })
    }
}

impl fmt::Display for IdKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.type_name())
    }
}

/// An entry's id as its column holds it. Most rows of a scan are dropped in this form.
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
            RowId::Uuid(bytes) => Uuid::from_bytes(*bytes).hyphenated().to_string(),
            RowId::Integer(number) => number.to_string(),
            RowId::Text(text) => text.clone(),
        }
    }

    /// A number that is the same for the same id everywhere, and gives ids some order (FNV-1a of the text).
    fn any_order(&self) -> i64 {
        let hash = self
            .to_text()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        hash as i64
    }

    /// A number that orders rows which are equal in all else, the same everywhere.
    pub fn tie(&self) -> u128 {
        match self {
            RowId::Uuid(bytes) => u128::from_be_bytes(*bytes),
            RowId::Integer(number) => u128::from(number.cast_unsigned()),
            RowId::Text(_) => u128::from(self.any_order().cast_unsigned()),
        }
    }

    /// The order of their texts, which breaks ties everywhere.
    pub fn text_order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (RowId::Uuid(a), RowId::Uuid(b)) => a.cmp(b),
            (RowId::Text(a), RowId::Text(b)) => a.cmp(b),
            _ => self.to_text().cmp(&other.to_text()),
        }
    }
}

/// A uuid as PostgreSQL writes it, from any notation: with braces, without hyphens, in capitals.
fn canonical_uuid(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| !matches!(c, '-' | '{' | '}')).collect();
    // The digits alone: the crate would take "urn:uuid:" and hyphens too.
    let uuid = (digits.len() == 32).then(|| Uuid::try_parse(&digits).ok())??;
    Some(uuid.hyphenated().to_string())
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
        assert_eq!(IdKind::Int8.value(" 42 ").as_deref(), Some("42"));
        assert_eq!(IdKind::Int2.value("40000"), None);
        assert_eq!(IdKind::Int4.value("forty"), None);
        assert_eq!(IdKind::Uuid.value("nobody"), None);
        assert_eq!(IdKind::Text.value("nobody").as_deref(), Some("nobody"));
    }

    #[test]
    fn a_kind_is_found_by_the_name_of_its_type() {
        assert_eq!(IdKind::of_type("int4"), Some(IdKind::Int4));
        assert_eq!(IdKind::of_type("varchar"), None);
    }
}
