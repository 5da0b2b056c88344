//! Lists of entries without a query: their order, the size of a page, and the cursor of the next page.

use serde_json::Value;

use crate::bounds_and_defaults;
use crate::error::{Error, Result, shown};
use crate::json_fields::{Choice, choice};
use crate::request::opaque::{decoded, encoded, fingerprint};

/// The value by which a list is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OrderedBy {
    CreatedAt,
    ExpiresAt,
    Importance,
    AccessCount,
}

impl Choice for OrderedBy {
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("createdAt", OrderedBy::CreatedAt),
        ("expiresAt", OrderedBy::ExpiresAt),
        ("importance", OrderedBy::Importance),
        ("accessCount", OrderedBy::AccessCount),
    ];
}

/// An order of entries; entries without a value come last in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryOrder {
    /// The value that is compared.
    pub by: OrderedBy,
    /// Whether the greatest comes first.
    pub is_descending: bool,
}

impl EntryOrder {
    /// The order for a word; with a minus before it, the greatest comes first.
    pub fn parse(text: &str) -> Result<Self> {
        let word = text.strip_prefix('-');
        let by = choice("order_by", word.unwrap_or(text)).map_err(|refusal: Error| match &refusal.hint {
            Some(hint) if hint.starts_with("Did") => refusal,
            _ => refusal.hint("A minus before it begins with the greatest: -createdAt is newest first."),
        })?;
        Ok(EntryOrder { by, is_descending: word.is_some() })
    }
}

/// The range of a page's rows.
pub fn page_size(rows: i64) -> Result<i64> {
    if bounds_and_defaults::PAGE_SIZE.contains(&rows) {
        return Ok(rows);
    }
    let (least, most) = (bounds_and_defaults::PAGE_SIZE.start(), bounds_and_defaults::PAGE_SIZE.end());
    Err(Error::invalid(format!("page_size must be from {least} to {most}, not {rows}"))
        .hint("For more rows, give the cursor of the last row."))
}

/// The arguments of a list: a cursor is valid only for the same ones.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct ListOf<'a> {
    pub store: &'a str,
    pub memory_id: &'a str,
    /// The document as the server writes it; empty if there is none.
    pub filters: &'a str,
    pub order_by: &'a str,
    /// The options as the server writes them; empty if there are none.
    pub options: &'a str,
}

impl ListOf<'_> {
    /// Each argument by its name.
    fn parts(&self) -> [(&'static str, String); 5] {
        [
            ("store", fingerprint(self.store)),
            ("memory_id", fingerprint(self.memory_id)),
            ("filters", fingerprint(self.filters)),
            ("order_by", fingerprint(self.order_by)),
            ("options", fingerprint(self.options)),
        ]
    }
}

/// A place in a list, after an entry: its value in the list's order, and its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The value as text; `None` if the entry has none.
    pub value: Option<String>,
    /// The entry's id.
    pub id: String,
}

/// The refusal of a text that is no cursor of a list.
pub fn no_cursor(text: &str) -> Error {
    Error::invalid(format!("cursor \"{}\" was not given by memory_list", shown(text)))
        .hint("Give an unchanged value of the column cursor, or null for the first page.")
}

/// The version of the format of cursors, for later changes.
const FORM: &str = "1";

impl Cursor {
    /// The cursor as text for callers.
    pub fn written(&self, of: &ListOf<'_>) -> String {
        let mut parts = vec![Value::from(FORM)];
        parts.extend(of.parts().into_iter().map(|(_, part)| Value::from(part)));
        parts.push(self.value.clone().map_or(Value::Null, Value::from));
        parts.push(Value::from(self.id.as_str()));
        encoded(Value::from(parts).to_string().as_bytes())
    }

    /// Reads the text of [`Cursor::written`] for the same list.
    pub fn read(text: &str, of: &ListOf<'_>) -> Result<Self> {
        let broken = || no_cursor(text);
        let bytes = decoded(text).ok_or_else(broken)?;
        let parts: Vec<Option<String>> = serde_json::from_slice(&bytes).map_err(|_| broken())?;
        let [Some(form), store, memory_id, filters, order_by, options, value, Some(id)] =
            <[_; 8]>::try_from(parts).map_err(|_| broken())?
        else {
            return Err(broken());
        };
        if form != FORM {
            return Err(broken());
        }
        for ((argument, expected), found) in of.parts().into_iter().zip([store, memory_id, filters, order_by, options])
        {
            if found.as_deref() != Some(expected.as_str()) {
                return Err(Error::invalid(format!(
                    "the cursor is of another list: it was given for another value of {argument}"
                ))
                .hint("Give a cursor with the same arguments as the page before, or none for the first page."));
            }
        }
        Ok(Cursor { value, id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: ListOf<'_> = ListOf { store: "s", memory_id: "m", filters: "", order_by: "-createdAt", options: "" };

    #[test]
    fn an_order_is_a_word_and_a_minus_turns_it() {
        let order = |text: &str| EntryOrder::parse(text).map(|order| (order.by, order.is_descending));
        assert_eq!(order("createdAt"), Ok((OrderedBy::CreatedAt, false)));
        assert_eq!(order("-accessCount"), Ok((OrderedBy::AccessCount, true)));
        assert_eq!(EntryOrder::parse("created_at").unwrap_err().hint.as_deref(), Some("Did you mean \"createdAt\"?"));
        for bad in ["", "-", "--createdAt", "+createdAt", "score"] {
            assert_eq!(EntryOrder::parse(bad).unwrap_err().kind, crate::ErrorKind::InvalidArgument, "{bad}");
        }
    }

    #[test]
    fn a_cursor_comes_back_as_it_went() {
        for (value, id) in [(Some("1735689600000000"), "a"), (None, "ü\"\\"), (Some("NaN"), ""), (Some("50.0"), "12")]
        {
            let cursor = Cursor { value: value.map(str::to_owned), id: id.to_owned() };
            assert_eq!(Cursor::read(&cursor.written(&LIST), &LIST).unwrap(), cursor);
        }
    }

    #[test]
    fn a_cursor_holds_for_its_own_list_only() {
        let written = Cursor { value: None, id: "x".to_owned() }.written(&LIST);
        for (other, name) in [
            (ListOf { store: "t", ..LIST }, "store"),
            (ListOf { memory_id: "n", ..LIST }, "memory_id"),
            (ListOf { filters: "{}", ..LIST }, "filters"),
            (ListOf { order_by: "createdAt", ..LIST }, "order_by"),
            (ListOf { options: "{}", ..LIST }, "options"),
        ] {
            let refusal = Cursor::read(&written, &other).unwrap_err();
            assert!(refusal.message.ends_with(name) && refusal.hint.is_some(), "{refusal}");
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let cut = &Cursor { value: None, id: "x".to_owned() }.written(&LIST)[..20];
        for bad in ["", "x", "é", "W10", cut, "eyJhIjoxfQ", &"A".repeat(10_000)] {
            assert_eq!(Cursor::read(bad, &LIST).unwrap_err().kind, crate::ErrorKind::InvalidArgument, "{bad}");
        }
    }

    #[test]
    fn a_page_has_an_end() {
        assert!(page_size(1).is_ok() && page_size(1_000).is_ok());
        assert!(page_size(0).is_err() && page_size(1_001).is_err());
    }
}
