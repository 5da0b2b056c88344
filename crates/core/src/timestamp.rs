//! Instants as microseconds since 1970-01-01 UTC, and their RFC 3339 form.

use jiff::Timestamp;

use crate::error::{Error, Result, shown};

/// Microseconds since 1970-01-01T00:00:00Z. `i64::MAX` and `i64::MIN` are PostgreSQL's
/// `infinity` and `-infinity`.
pub type Micros = i64;

/// Reads an RFC 3339 instant with its offset, as `2025-06-27T11:42:03Z`; `name` is the field that
/// an error names.
pub fn parse(name: &str, text: &str) -> Result<Micros> {
    text.parse::<Timestamp>().map(Timestamp::as_microsecond).map_err(|_| {
        Error::invalid(format!("{name} must be a timestamp, not \"{}\"", shown(text)))
            .hint("Write it as RFC 3339 with an offset, for example \"2025-06-27T11:42:03Z\".")
    })
}

/// RFC 3339, UTC, `Z`, with the fraction only where there is one. Instants outside the years that
/// RFC 3339 can write are given as `infinity` or `-infinity`.
pub fn format(micros: Micros) -> String {
    match Timestamp::from_microsecond(micros) {
        Ok(instant) => instant.to_string(),
        Err(_) if micros > 0 => "infinity".to_owned(),
        Err(_) => "-infinity".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_in_utc_whatever_offset_it_was_given_in() {
        let instant = parse("asOf", "2025-06-27T13:42:03+02:00").unwrap();
        assert_eq!(format(instant), "2025-06-27T11:42:03Z");
    }

    #[test]
    fn a_fraction_survives_and_infinities_have_words() {
        assert_eq!(format(parse("asOf", "2025-06-27T11:42:03.25Z").unwrap()), "2025-06-27T11:42:03.25Z");
        assert_eq!(format(i64::MAX), "infinity");
        assert_eq!(format(i64::MIN), "-infinity");
    }

    #[test]
    fn a_date_without_an_offset_is_refused_by_name() {
        let refusal = parse("filters.createdAfter", "yesterday").unwrap_err();
        assert!(refusal.message.contains("filters.createdAfter"), "{refusal}");
        assert!(parse("asOf", "2025-06-27 11:42:03").is_err());
    }
}
