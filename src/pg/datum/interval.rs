//! Intervals as text that any session reads in the same way, under any `IntervalStyle`.

use pgrx::pg_sys;

const SECOND: i64 = 1_000_000;

/// An interval in ISO 8601, each part with its own sign; `infinity` from PostgreSQL 17 on.
pub fn iso_8601(interval: &pg_sys::Interval) -> String {
    let pg_sys::Interval { month: months, day: days, time: micros } = *interval;
    let is_infinite =
        [(i32::MIN, i32::MIN, i64::MIN), (i32::MAX, i32::MAX, i64::MAX)].contains(&(months, days, micros));
    if is_infinite && cfg!(not(feature = "pg16")) {
        return "infinity".to_owned();
    }
    let (hours, minutes, rest) = (micros / (3600 * SECOND), micros / (60 * SECOND) % 60, micros % (60 * SECOND));
    let (sign, rest) = (if rest < 0 { "-" } else { "" }, rest.abs());
    let seconds = format!("{sign}{}.{:06}", rest / SECOND, rest % SECOND);
    let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
    format!("P{}Y{}M{days}DT{hours}H{minutes}M{seconds}S", months / 12, months % 12)
}
