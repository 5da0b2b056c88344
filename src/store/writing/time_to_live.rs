//! The time that an entry lives after each use. PostgreSQL reads and adds intervals: months and days follow the
//! calendar of the session's time zone.

use memory_search_core::bounds_and_defaults;
use memory_search_core::error::shown;
use memory_search_core::{Error, Result};

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};

/// The text after a parameter with an interval's text, to store it in a column of that type.
pub const AS_INTERVAL: &str = "::pg_catalog.interval";
/// The text after such a parameter, for the time of expiry of an entry whose life begins now.
pub const FROM_NOW: &str = "::pg_catalog.interval OPERATOR(pg_catalog.+) pg_catalog.now()";

/// Refuses texts that are no intervals, and intervals that are not above 0 or too long (22023). Each text comes with
/// its name for the message.
pub fn check(named: Vec<(String, String)>) -> Result<()> {
    check_within(named, Some(bounds_and_defaults::MAX_TTL_YEARS))
}

/// [`check`] for stored texts: plain SQL can store intervals of any length, and those are kept.
pub fn check_stored(named: Vec<(String, String)>) -> Result<()> {
    check_within(named, None)
}

fn check_within(named: Vec<(String, String)>, most_years: Option<i64>) -> Result<()> {
    if named.is_empty() {
        return Ok(());
    }
    let (names, texts): (Vec<String>, Vec<String>) = named.into_iter().unzip();
    let mut statement = Statement::default();
    let given = statement.bind(Param::Texts(texts.clone()));
    let statement = statement.with(format!(
        "SELECT t.place::pg_catalog.int8, t.is_interval, \
                CASE WHEN t.is_interval THEN t.text::pg_catalog.interval OPERATOR(pg_catalog.>) \
                  '0'::pg_catalog.interval END, \
                CASE WHEN t.is_interval THEN t.text::pg_catalog.interval OPERATOR(pg_catalog.<=) \
                  '{} years'::pg_catalog.interval END, \
                CASE WHEN t.is_interval THEN t.text::pg_catalog.interval::pg_catalog.text END \
           FROM (SELECT u.text, u.place, pg_catalog.pg_input_is_valid(u.text, 'pg_catalog.interval') AS is_interval \
                   FROM pg_catalog.unnest({given}) WITH ORDINALITY u (text, place) OFFSET 0) t ORDER BY t.place",
        bounds_and_defaults::MAX_TTL_YEARS
    ));
    spi::read(|reader| {
        reader.rows(&statement, |row| {
            let place = usize::try_from(row.required_integer(1)? - 1).unwrap_or_default();
            // The message has the interval as PostgreSQL writes it, not as months, days and microseconds.
            let written = row.text(5)?;
            let (name, text) = (&names[place], shown(written.as_deref().unwrap_or(&texts[place])));
            if row.boolean(2) != Some(true) {
                return Err(Error::invalid(format!("{name} must be an interval, not \"{text}\""))
                    .hint("Write it as PostgreSQL does, for example \"30 days\", or as ISO 8601: \"P30D\"."));
            }
            if row.boolean(3) != Some(true) {
                return Err(Error::invalid(format!("{name} must be longer than 0, not \"{text}\""))
                    .hint("It is how long the entry lives after each use."));
            }
            if let Some(most) = most_years
                && row.boolean(4) != Some(true)
            {
                return Err(Error::invalid(format!("{name} must be at most {most} years, not \"{text}\""))
                    .hint("Leave it out: the entry does not expire."));
            }
            Ok(())
        })
    })
}
