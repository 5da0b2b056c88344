//! Instants as microseconds since 1970-01-01 UTC, and their RFC 3339 form.

use std::borrow::Cow;

use jiff::civil::{Time, date};
use jiff::fmt::temporal::{Pieces, PiecesNumericOffset, PiecesOffset};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::error::{Error, Result, shown};

/// Microseconds since 1970-01-01T00:00:00Z. `i64::MAX` and `i64::MIN` are PostgreSQL's
/// `infinity` and `-infinity`.
pub type Micros = i64;

/// The years after which the days of the calendar repeat themselves, and their length.
const CYCLE_YEARS: i64 = 400;
const CYCLE: Micros = 146_097 * 86_400_000_000;
/// The year in which a cycle begins, and its first instant.
const CYCLE_BEGINS: i64 = 2000;
const CYCLE_BEGINS_AT: Micros = 946_684_800_000_000;

/// Reads an RFC 3339 instant with its offset, as `2025-06-27T11:42:03Z`, or one after the year 9999, as
/// `12000-01-01T00:00:00Z`; `name` is the field that an error names.
pub fn parse(name: &str, text: &str) -> Result<Micros> {
    let (within, cycles) = within_four_digits(text);
    if is_offset_beyond_the_servers(&within) {
        return Err(Error::invalid(format!("{name} has an offset beyond 15:59:59, \"{}\"", shown(text)))
            .hint("Offsets of time zones are from -12:00 to +14:00."));
    }
    let instant = within.parse::<Timestamp>().map(|at| rounded(at.as_nanosecond())).ok();
    let instant = instant.or_else(|| beyond_the_calendar(&within)).map(|instant| instant + leap_second(&within));
    let instant = instant.and_then(|instant| CYCLE.checked_mul(cycles)?.checked_add(instant));
    instant.filter(|instant| *instant < Micros::MAX).ok_or_else(|| {
        Error::invalid(format!("{name} must be a timestamp, not \"{}\"", shown(text)))
            .hint("Write it as RFC 3339 with an offset, for example \"2025-06-27T11:42:03Z\".")
    })
}

/// The nearest microsecond, as PostgreSQL rounds a fraction of a second: in double precision, of two to the even one.
fn rounded(nanos: i128) -> Micros {
    const OF_SECOND: i128 = 1_000_000_000;
    let (seconds, fraction) = (nanos.div_euclid(OF_SECOND), nanos.rem_euclid(OF_SECOND));
    let micros = (fraction as f64 / OF_SECOND as f64 * 1e6).round_ties_even();
    seconds as Micros * 1_000_000 + micros as Micros
}

/// The library takes a second 60 for the 59th; for PostgreSQL it is the first of the next minute.
fn leap_second(text: &str) -> Micros {
    let time = text.find(['T', 't', ' ']).map_or("", |at| &text[at + 1..]);
    let clock = time.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b':').filter(|byte| *byte != b':');
    if clock.skip(4).eq(*b"60") { 1_000_000 } else { 0 }
}

/// An instant after the year 9999 as one with a year of four digits, and the cycles of the calendar between the two.
fn within_four_digits(text: &str) -> (Cow<'_, str>, i64) {
    let (year, rest) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    match year.parse::<i64>() {
        Ok(number) if matches!(year.len(), 5 | 6) && number > 9999 && rest.starts_with('-') => {
            let cycles = (number - CYCLE_BEGINS) / CYCLE_YEARS;
            (Cow::Owned(format!("{}{rest}", number - cycles * CYCLE_YEARS)), cycles)
        }
        _ => (Cow::Borrowed(text), 0),
    }
}

/// PostgreSQL has no offset of 16 hours or more, the library has up to 25: a greater one is more likely a mistake.
fn is_offset_beyond_the_servers(text: &str) -> bool {
    const HIGHEST_SECONDS: i32 = 16 * 3600 - 1;
    let offset = Pieces::parse(text).ok().and_then(|pieces| pieces.offset());
    matches!(offset, Some(PiecesOffset::Numeric(offset)) if offset.offset().seconds().abs() > HIGHEST_SECONDS)
}

/// An instant of the last day in the calendar of RFC 3339, which people write for "never": in UTC it may be on the day
/// after.
fn beyond_the_calendar(text: &str) -> Option<Micros> {
    let pieces = Pieces::parse(text).ok()?;
    let PiecesOffset::Numeric(offset) = (match pieces.offset()? {
        PiecesOffset::Zulu => PiecesOffset::Numeric(PiecesNumericOffset::from(Offset::UTC)),
        other => other,
    }) else {
        return None;
    };
    let since =
        pieces.date().to_datetime(pieces.time()?).duration_since(date(1970, 1, 1).to_datetime(Time::midnight()));
    let micros = rounded(since.as_nanos());
    micros.checked_sub(i64::from(offset.offset().seconds()) * 1_000_000)
}

/// RFC 3339, UTC, `Z`, with the fraction only if there is one. Instants outside the years of RFC 3339 are written as
/// `infinity` or `-infinity`.
pub fn format(micros: Micros) -> String {
    match Timestamp::from_microsecond(micros) {
        Ok(instant) => instant.to_string(),
        // The library ends its instants a day before the calendar ends, so that each has a time in every zone.
        Err(_) if micros > 0 => {
            match date(1970, 1, 1).at(0, 0, 0, 0).checked_add(SignedDuration::from_micros(micros)) {
                Ok(last) => format!("{last}Z"),
                Err(_) => "infinity".to_owned(),
            }
        }
        Err(_) => "-infinity".to_owned(),
    }
}

/// The instant as [`format`] writes it, but one after the year 9999 with a year of more digits, as PostgreSQL does: it
/// can be read again. Only the infinities have words.
pub fn format_any_year(micros: Micros) -> String {
    let written = format(micros);
    if micros == Micros::MAX || micros < CYCLE_BEGINS_AT || written != format(Micros::MAX) {
        return written;
    }
    let cycles = (micros - CYCLE_BEGINS_AT) / CYCLE;
    let within = format(micros - cycles * CYCLE);
    let parts = within.split_once('-').and_then(|(year, rest)| Some((year.parse::<i64>().ok()?, rest)));
    parts.map_or(written, |(year, rest)| format!("{}-{rest}", year + cycles * CYCLE_YEARS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_of_any_year_is_read_as_it_was_written() {
        for text in [
            "-004712-01-01T00:00:00Z",
            "0000-12-31T23:59:59Z",
            "1970-01-01T00:00:00.000001Z",
            "9999-12-31T23:59:59.999999Z",
            "10000-01-01T00:00:00Z",
            "12000-02-29T12:34:56.000007Z",
            "294247-01-10T04:00:54.775806Z",
        ] {
            assert_eq!(format_any_year(parse("validFrom", text).unwrap()), text);
        }
        let at = |text: &str| parse("validFrom", text).unwrap();
        assert_eq!(at("10000-01-01T00:00:00Z") - at("9999-12-31T23:59:59.999999Z"), 1);
        assert_eq!(at("12000-01-01T00:00:00Z"), 316_516_204_800_000_000);
        assert_eq!(at("12000-01-01T02:00:00+02:00"), at("12000-01-01T00:00:00Z"));
        assert_eq!((format_any_year(i64::MAX), format_any_year(i64::MIN)), ("infinity".into(), "-infinity".into()));
    }

    #[test]
    fn a_year_of_more_digits_is_no_way_around_the_rules() {
        for text in [
            "294247-01-10T04:00:54.775807Z",
            "999999-01-01T00:00:00Z",
            "1000000-01-01T00:00:00Z",
            "02025-01-01T00:00:00Z",
            "12001-02-29T00:00:00Z",
            "12000-01-01T00:00:00",
            "12000-01-01T00:00:00+16:00",
            "12000-01-01",
            "12000",
        ] {
            assert!(parse("validFrom", text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_instant_is_written_in_utc_whatever_offset_it_was_given_in() {
        let instant = parse("asOf", "2025-06-27T13:42:03+02:00").unwrap();
        assert_eq!(format(instant), "2025-06-27T11:42:03Z");
    }

    #[test]
    fn the_last_day_of_the_calendar_is_written_as_it_was_read() {
        for text in ["9999-12-30T22:00:01Z", "9999-12-31T00:00:00Z", "9999-12-31T23:59:59.999999Z"] {
            assert_eq!(format(parse("asOf", text).unwrap()), text);
        }
        assert_eq!(format(parse("asOf", "9999-12-31T23:59:59.999999Z").unwrap() + 1), "infinity");
    }

    #[test]
    fn the_end_of_time_is_an_instant_like_others() {
        let at = |text: &str| parse("createdBefore", text).unwrap();
        let day = 86_400_000_000;
        assert_eq!(at("9999-12-31T00:00:00Z") - at("9999-12-29T00:00:00Z"), 2 * day);
        assert_eq!(at("9999-12-31T23:59:59.999999Z") - at("9999-12-31T00:00:00Z"), day - 1);
        assert_eq!(at("9999-12-31T23:59:59-01:00"), at("9999-12-31T23:59:59Z") + 3_600_000_000);
        assert!(parse("asOf", "9999-12-32T00:00:00Z").is_err() && parse("asOf", "9999-12-31T00:00:00").is_err());
        assert!(parse("asOf", "9999-12-31").is_err());
    }

    #[test]
    fn an_offset_that_the_server_would_not_read_is_refused() {
        for (offset, is_read) in [
            ("+15:59", true),
            ("-15:59", true),
            ("+14:00", true),
            ("+16:00", false),
            ("+25:00", false),
            ("-16:00", false),
        ] {
            for day in ["2025-06-27", "9999-12-31"] {
                assert_eq!(parse("asOf", &format!("{day}T12:00:00{offset}")).is_ok(), is_read, "{day} {offset}");
            }
        }
    }

    #[test]
    fn nanoseconds_are_rounded_as_the_server_rounds_them() {
        for (written, meant) in [
            ("2025-01-01T00:00:00.123456_7Z", "2025-01-01T00:00:00.123457Z"),
            ("2025-01-01T00:00:00.123456_499Z", "2025-01-01T00:00:00.123456Z"),
            ("2025-01-01T00:00:00.000000_5Z", "2025-01-01T00:00:00Z"),
            ("2025-01-01T00:00:00.000001_5Z", "2025-01-01T00:00:00.000002Z"),
            ("2025-01-01T23:59:59.999999_6Z", "2025-01-02T00:00:00Z"),
            ("1960-01-01T00:00:00.000000_7Z", "1960-01-01T00:00:00.000001Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
            ("2016-12-31T12:30:60.25+02:00", "2016-12-31T12:31:00.25+02:00"),
            ("9999-12-31T23:59:60Z", "10000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59.999999_6Z", "10000-01-01T00:00:00Z"),
        ] {
            let read = |text: &str| parse("createdAt", &text.replace('_', "")).unwrap();
            assert_eq!(read(written), read(meant), "{written}");
        }
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
