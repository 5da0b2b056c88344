//! The rules for arguments about links between entries, and about names.

use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result, shown};
use crate::request::arguments;
use crate::text::entity_key;

/// The data of a link.
pub fn kind(kind: String) -> Result<String> {
    if kind.is_empty() {
        return Err(Error::invalid("kind must not be empty").hint("Leave it out for 'related'."));
    }
    if kind.len() > bounds_and_defaults::MAX_KIND_BYTES {
        let most = bounds_and_defaults::MAX_KIND_BYTES;
        let message = format!("kind has {} bytes, more than {most}: \"{}\"", kind.len(), shown(&kind));
        return Err(Error::new(ErrorKind::LimitExceeded, message)
            .hint("A kind is a word such as derived_from; metadata holds other facts about a link."));
    }
    Ok(kind)
}

/// The kinds of links to return; `None` means every kind.
pub fn kinds(kinds: Option<Vec<String>>) -> Result<Option<Vec<String>>> {
    let Some(kinds) = kinds else { return Ok(None) };
    if kinds.len() > bounds_and_defaults::MAX_KINDS {
        let message = format!("kinds has {} kinds, more than {}", kinds.len(), bounds_and_defaults::MAX_KINDS);
        return Err(Error::new(ErrorKind::LimitExceeded, message).hint("Leave it out for every kind."));
    }
    Ok(Some(kinds))
}

/// The range of a link's weight.
pub fn weight(weight: f64) -> Result<f64> {
    if bounds_and_defaults::UNIT.contains(&weight) {
        if weight == 0.0 || weight as f32 > 0.0 {
            return Ok(weight);
        }
        return Err(Error::invalid(format!("weight {weight:e} is too small to be stored"))
            .hint("Give 0, or at least 1e-45: weights are stored in single precision."));
    }
    Err(Error::invalid(format!(
        "weight must be from {} to {}, not {weight}",
        bounds_and_defaults::UNIT.start(),
        bounds_and_defaults::UNIT.end()
    ))
    .hint("1 is the strongest link, and the default."))
}

/// The range of the distance of related entries, in links.
pub fn depth(depth: i64) -> Result<usize> {
    in_range("depth", depth, &bounds_and_defaults::RELATED_DEPTH)
}

/// The range of the number of related entries in an answer.
pub fn max_entries(entries: i64) -> Result<usize> {
    in_range("max_entries", entries, &bounds_and_defaults::RELATED_ENTRIES)
}

/// The range of the number of links in an answer.
pub fn max_links(rows: i64) -> Result<usize> {
    in_range("max_rows", rows, &bounds_and_defaults::LINKS)
}

fn in_range(name: &str, value: i64, bounds: &std::ops::RangeInclusive<i64>) -> Result<usize> {
    match usize::try_from(value) {
        Ok(number) if bounds.contains(&value) => Ok(number),
        _ => Err(Error::invalid(format!("{name} must be from {} to {}, not {value}", bounds.start(), bounds.end()))
            .hint(format!("Leave {name} out for its default."))),
    }
}

/// A name, and its form for comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The written form, without blanks around it.
    pub written: String,
    /// The form for comparisons.
    pub folded: String,
}

/// The name in an argument.
pub fn name(argument: &str, value: Option<String>) -> Result<Name> {
    let value = arguments::required(argument, value)?;
    Ok(Name { folded: entity_key::required(argument, &value)?, written: value.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_each_range_are_accepted_and_the_next_values_refused() {
        for (value, is_right) in [(0, false), (1, true), (4, true), (5, false)] {
            assert_eq!(depth(value).is_ok(), is_right, "depth {value}");
        }
        for (value, is_right) in [(0, false), (1, true), (1_000, true), (1_001, false), (i64::MIN, false)] {
            assert_eq!(max_entries(value).is_ok(), is_right, "max_entries {value}");
        }
        for (value, is_right) in
            [(0.0, true), (1.0, true), (-0.1, false), (1.1, false), (f64::NAN, false), (1e-60, false)]
        {
            assert_eq!(weight(value).is_ok(), is_right, "weight {value}");
        }
        assert_eq!(weight(1e-320).unwrap_err().message, "weight 1e-320 is too small to be stored");
        assert_eq!(max_links(0).unwrap_err().message, "max_rows must be from 1 to 10000, not 0");
        assert!(kind("k".repeat(bounds_and_defaults::MAX_KIND_BYTES)).is_ok());
        assert_eq!(
            kind("k".repeat(bounds_and_defaults::MAX_KIND_BYTES + 1)).unwrap_err().kind,
            ErrorKind::LimitExceeded
        );
        assert!(kinds(Some(vec!["k".to_owned(); bounds_and_defaults::MAX_KINDS + 1])).is_err());
    }

    #[test]
    fn a_name_has_letters() {
        let found = name("alias", Some(" Zoë ".to_owned())).unwrap();
        assert_eq!((found.written.as_str(), found.folded.as_str()), ("Zoë", "zoe"));
        let blank = name("alias", Some(" \u{a0}".to_owned())).unwrap_err().message;
        assert!(blank.starts_with("alias must be a name of 1 to 200 characters"), "{blank}");
        assert_eq!(name("entity", None).unwrap_err().message, "entity must not be null");
        assert!(name("alias", Some("ß".repeat(bounds_and_defaults::ENTITY_CHARACTERS / 2))).is_ok());
        assert!(name("alias", Some("ﷺ".repeat(300))).is_err());
    }
}
