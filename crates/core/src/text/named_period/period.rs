//! Periods, and the choice of one among those that come every year.

use jiff::civil::{Date, ISOWeekDate, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::timestamp::Micros;

/// Days after a period that still belong to it: people often write some days after an event.
const AFTER_DAYS: i32 = 3;

/// A month (1 is January) and a day of it; the last day of a month may be too great for it.
pub type DayOfYear = (i8, i8);

/// A period that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedPeriod {
    /// From the start of the first day to the end of the last.
    Days(Date, Date),
    /// From one day to another of any year; they may lie on both sides of New Year.
    EveryYear(DayOfYear, DayOfYear),
    /// The week of any year that has this ISO number.
    EveryYearsWeek(i8),
}

impl NamedPeriod {
    /// Whether an instant is within it, or in the days after.
    pub fn holds(&self, instant: Micros) -> bool {
        let Some(day) = day_of(instant) else { return false };
        (0..=AFTER_DAYS).any(|after| day.checked_sub(after.days()).is_ok_and(|day| self.holds_day(day)))
    }

    fn holds_day(&self, day: Date) -> bool {
        match *self {
            NamedPeriod::Days(first, last) => first <= day && day <= last,
            NamedPeriod::EveryYear(first, last) => {
                let (is_after, is_before) = (first <= (day.month(), day.day()), (day.month(), day.day()) <= last);
                if first <= last { is_after && is_before } else { is_after || is_before }
            }
            NamedPeriod::EveryYearsWeek(number) => day.iso_week_date().week() == number,
        }
    }

    /// Whether it is one day, of one year or of any.
    pub fn is_day(self) -> bool {
        match self {
            NamedPeriod::Days(first, last) => first == last,
            NamedPeriod::EveryYear(first, last) => first == last,
            NamedPeriod::EveryYearsWeek(_) => false,
        }
    }

    /// Whether it has no year.
    pub fn is_of_any_year(self) -> bool {
        !matches!(self, NamedPeriod::Days(..))
    }

    /// A month of every year, or several from this one on.
    pub fn months(first: i8, count: i8) -> NamedPeriod {
        NamedPeriod::EveryYear((first, 1), ((first + count - 2).rem_euclid(12) + 1, 31))
    }

    /// A year.
    pub fn year(year: i16) -> Option<NamedPeriod> {
        let first = Date::new(year, 1, 1).ok()?;
        Some(NamedPeriod::Days(first, first.last_of_year()))
    }

    /// Its days in the year in which it begins; for a week, in the year of its number; in its own year if it has one.
    /// `None` if that year has no such day.
    pub fn in_year(self, year: i16) -> Option<(Date, Date)> {
        match self {
            NamedPeriod::Days(first, last) => Some((first, last)),
            NamedPeriod::EveryYear(first, last) => {
                let begin = Date::new(year, first.0, first.1).ok()?;
                let month = Date::new(if first <= last { year } else { year.checked_add(1)? }, last.0, 1).ok()?;
                let end = month.with().day(last.1.min(month.days_in_month())).build().ok()?;
                (begin <= end).then_some((begin, end))
            }
            NamedPeriod::EveryYearsWeek(number) => {
                let monday = ISOWeekDate::new(year, number, Weekday::Monday).ok()?.date();
                Some((monday, monday.checked_add(6.days()).ok()?))
            }
        }
    }

    /// The days in the latest of these years that meets a condition; in its own year if it has one.
    fn latest_of(self, years: impl Iterator<Item = i16>, fits: impl Fn(Date, Date) -> bool) -> Option<(Date, Date)> {
        let days = years.filter_map(|year| self.in_year(year));
        days.filter(|&(first, last)| fits(first, last)).max()
    }

    /// The latest that has begun.
    pub fn begun(self, today: Date) -> Option<(Date, Date)> {
        if let NamedPeriod::Days(first, last) = self {
            return Some((first, last));
        }
        self.latest_of(years_around(today, 8), |first, _| first <= today)
    }

    /// The latest that has ended.
    pub fn over(self, today: Date) -> Option<(Date, Date)> {
        self.latest_of(years_around(today, 8), |_, last| last < today)
    }

    /// The present or the nearest one.
    pub fn nearest(self, today: Date) -> Option<(Date, Date)> {
        let days = years_around(today, 1).filter_map(|year| self.in_year(year));
        days.min_by_key(|&(first, last)| days_between(last, today).max(days_between(today, first)).max(0))
    }

    /// The first in the future.
    pub fn to_come(self, today: Date) -> Option<(Date, Date)> {
        let days = years_around(today, 8).filter_map(|year| self.in_year(year));
        days.filter(|&(first, _)| first > today).min()
    }
}

/// 29 February comes every eight years at the least.
fn years_around(today: Date, years: i16) -> impl Iterator<Item = i16> {
    today.year().saturating_sub(years)..=today.year().saturating_add(years)
}

fn days_between(from: Date, to: Date) -> i32 {
    (to - from).get_days()
}

/// The day of an instant; none for instants outside of all calendars.
pub fn day_of(instant: Micros) -> Option<Date> {
    Some(TimeZone::UTC.to_datetime(Timestamp::from_microsecond(instant).ok()?).date())
}
