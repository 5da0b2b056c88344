//! Periods with two ends, and periods relative to one end: "from 3 to 9 May", "since 2022", "before June 2023".

use jiff::ToSpan;
use jiff::civil::Date;

use super::calendar::calendar_form;
use super::from_today::form_from_today;
use super::period::NamedPeriod;
use super::reader::{Found, Reader, Unit, longer};

/// The days that a period with only an end reaches back.
const OPEN_DAYS: i32 = 365;

/// The longest form that begins at a word.
pub fn range(reader: &Reader, at: usize) -> Option<Found> {
    let forms = [closed, open, counted];
    forms.iter().map(|form| form(reader, at)).fold(None, longer)
}

/// An end of a range, where a time must be.
fn end_of_range(reader: &Reader, at: usize) -> Option<Found> {
    let at = reader.skip(at, reader.language.articles);
    if !reader.known.may_begin_with(reader.text(at)) {
        return None;
    }
    longer(calendar_form(reader, at, true), form_from_today(reader, at))
}

/// "between March and May 2023", "from 3 to 9 May", "May 3rd-9th", "2021-2023".
fn closed(reader: &Reader, at: usize) -> Option<Found> {
    let language = reader.language;
    let (begin, to) = if let Some(begin) = reader.phrase(at, language.between) {
        (begin, language.and)
    } else {
        (reader.skip(at, language.from), language.to)
    };
    let begin = reader.skip(begin, language.articles);
    let behind_to = |end: usize| {
        let is_dash = reader.words.get(end).is_some_and(|word| word.is_after_dash);
        reader.phrase(end, to).or(is_dash.then_some(end)).map(|next| reader.skip(next, language.articles))
    };
    let of_days = || {
        let next = behind_to(begin + 1)?;
        let last = calendar_form(reader, next, true).filter(|_| reader.day(next).is_some())?;
        let first = last.readings.iter().filter_map(|&last| from_day(reader.day(begin)?, last));
        Some(Found { readings: first.collect(), end: last.end })
    };
    let of_forms = || {
        let first = end_of_range(reader, begin)?;
        let next = behind_to(first.end)?;
        let join = |last: Found| Found { readings: joined(&first, &last, reader.today), end: last.end };
        let to_form = end_of_range(reader, next).map(join);
        longer(to_form, to_day(reader, &first, next))
    };
    of_days().or_else(of_forms).filter(|found| !found.readings.is_empty())
}

/// From a day of the same month.
fn from_day(day: i8, last: NamedPeriod) -> Option<NamedPeriod> {
    match last {
        NamedPeriod::Days(first, last) if first == last => {
            Some(NamedPeriod::Days(last.with().day(day).build().ok()?, last)).filter(|_| day <= last.day())
        }
        NamedPeriod::EveryYear(first, last) if first == last && day <= last.1 => {
            Some(NamedPeriod::EveryYear((last.0, day), last))
        }
        _ => None,
    }
}

/// "May 3 to 9, 2023": to a day of the same month.
fn to_day(reader: &Reader, first: &Found, at: usize) -> Option<Found> {
    let day = reader.day(at)?;
    let [NamedPeriod::EveryYear(begin, last)] = first.readings[..] else { return None };
    let period = (begin == last && begin.1 <= day).then_some(NamedPeriod::EveryYear(begin, (begin.0, day)))?;
    let year = reader.year(at + 1);
    let days = year.and_then(|year| period.in_year(year)).map(|(first, last)| Found::days(first, last, at + 2));
    days.or(Some(Found::one(period, at + 1)))
}

/// From the beginning of one to the end of the other, for each reading of both.
fn joined(first: &Found, last: &Found, today: Option<Date>) -> Vec<NamedPeriod> {
    let lasts = last.readings.iter().cycle();
    let pairs = first.readings.iter().zip(lasts).take(first.readings.len().max(1));
    pairs.filter_map(|(&first, &last)| from_to(first, last, today)).collect()
}

fn from_to(first: NamedPeriod, last: NamedPeriod, today: Option<Date>) -> Option<NamedPeriod> {
    let (begin, end) = match (first, last) {
        (NamedPeriod::EveryYear(begin, _), NamedPeriod::EveryYear(_, end)) => {
            return Some(NamedPeriod::EveryYear(begin, end));
        }
        (NamedPeriod::Days(begin, _), NamedPeriod::Days(_, end)) => (begin, end),
        // One of them says the year: the other is the nearest that makes a range of them.
        (first, NamedPeriod::Days(_, end)) => {
            let years = [end.year(), end.year().saturating_sub(1)];
            (years.into_iter().filter_map(|year| first.in_year(year)).find(|days| days.0 <= end)?.0, end)
        }
        (NamedPeriod::Days(begin, _), last) => {
            let years = [begin.year(), begin.year().saturating_add(1)];
            (begin, years.into_iter().filter_map(|year| last.in_year(year)).find(|days| days.1 >= begin)?.1)
        }
        // Weeks of any year lie at other days in each: the latest are meant.
        (first, last) => {
            let (begin, end) = last.begun(today?)?;
            return from_to(first, NamedPeriod::Days(begin, end), today);
        }
    };
    (begin <= end).then_some(NamedPeriod::Days(begin, end))
}

/// "since 2022" and "after" reach to today, "before June" and "until" a year back.
fn open(reader: &Reader, at: usize) -> Option<Found> {
    let language = reader.language;
    let (which, begin) = reader.which(at, &[language.since, language.after, language.before, language.until])?;
    let told = end_of_range(reader, begin)?;
    let today = reader.today?;
    let of = |period: NamedPeriod| -> Option<NamedPeriod> {
        let (first, last) = period.begun(today)?;
        let (from, to) = match which {
            0 => (first, last.max(today)),
            1 => (last.tomorrow().ok()?, last.tomorrow().ok()?.max(today)),
            2 => (back(first, OPEN_DAYS)?, first.yesterday().ok()?),
            _ => (back(first, OPEN_DAYS)?, last),
        };
        Some(NamedPeriod::Days(from, to))
    };
    let readings: Vec<NamedPeriod> = told.readings.iter().filter_map(|&period| of(period)).collect();
    (!readings.is_empty()).then_some(Found { readings, end: told.end })
}

/// "two weeks before 11 August 2023", "the weekend after Christmas": some days around the result, and the named day
/// itself, on which it may have been told.
fn counted(reader: &Reader, at: usize) -> Option<Found> {
    let language = reader.language;
    let at = reader.skip(at, language.last);
    let (count, unit_at) = reader.number(at).unwrap_or((1, at));
    let weekend = || reader.phrase(unit_at, language.weekend).map(|end| (Unit::Week, false, end));
    let (unit, _, end) = reader.unit(unit_at).or_else(weekend)?;
    let (which, begin) = reader.which(end, &[language.before, language.after])?;
    let told = end_of_range(reader, begin)?;
    let days = count * unit.days() + if count > 1 { unit.days() / 2 } else { 0 };
    let of = |period: NamedPeriod| -> Option<NamedPeriod> {
        let (first, last) = period.begun(reader.today?)?;
        let to = if which == 0 { first } else { last.checked_add(days.days()).ok()? };
        Some(NamedPeriod::Days(if which == 0 { back(first, days)? } else { last }, to))
    };
    let readings: Vec<NamedPeriod> = told.readings.iter().filter_map(|&period| of(period)).collect();
    (!readings.is_empty()).then_some(Found { readings, end: told.end })
}

fn back(day: Date, days: i32) -> Option<Date> {
    day.checked_sub(days.days()).ok()
}
