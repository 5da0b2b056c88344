//! Periods relative to today: "yesterday", "last week", "this summer", "two months ago", "on Friday".

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::calendar::{calendar_form, third_of};
use super::period::NamedPeriod;
use super::reader::{Found, Reader, Unit, longer};

/// The least and the greatest number that "a few" means.
const FEW: (i32, i32) = (2, 7);
/// The number of days in "the last few days".
const LAST_FEW: i32 = 4;
/// The greatest age in days of "the other day".
const OTHER_DAY: i32 = 7;

#[derive(Clone, Copy, PartialEq)]
enum Which {
    BeforeLast,
    Last,
    This,
    Next,
}

/// The longest form that begins at a word.
pub fn form_from_today(reader: &Reader, at: usize) -> Option<Found> {
    let today = reader.today?;
    let forms = [near_day, weekday, named_by_which, third_of_named, last_several, ago];
    forms.iter().map(|form| form(reader, at, today)).fold(None, longer)
}

fn near_day(reader: &Reader, at: usize, today: Date) -> Option<Found> {
    let language = reader.language;
    let (ago, end) = [language.today, language.yesterday, language.day_before_yesterday]
        .iter()
        .zip(0..)
        .filter_map(|(list, ago)| Some((ago, reader.phrase(at, list)?)))
        .max_by_key(|&(_, end)| end)
        .unzip();
    if let Some(ago) = ago {
        let day = back(today, ago)?;
        return Some(Found::days(day, day, end?));
    }
    let end = reader.phrase(at, language.other_day)?;
    Some(Found::days(back(today, OTHER_DAY)?, back(today, 1)?, end))
}

/// A weekday alone means the last one, or today.
fn weekday(reader: &Reader, at: usize, today: Date) -> Option<Found> {
    let (weekday, end) = reader.weekday(at)?;
    if !reader.stands_as_time(at) || reader.is_behind(at, reader.language.not_before_weekday) {
        return None;
    }
    // "Tuesday, May 7", "Friday the 13th": which day it is, is said behind it.
    let behind = reader.skip(end, reader.language.articles);
    let is_day = |found: Found| found.readings.iter().all(|period| period.is_day());
    if reader.day(behind).is_some() || calendar_form(reader, behind, true).is_some_and(is_day) {
        return None;
    }
    let day = back(today, i32::from(today.weekday().since(weekday)))?;
    Some(Found::days(day, day, end))
}

/// "last week", "this spring", "next March"; also "la semaine dernière", "the week before last".
fn named_by_which(reader: &Reader, at: usize, today: Date) -> Option<Found> {
    let language = reader.language;
    const WHICH: [Which; 5] = [Which::Last, Which::This, Which::Next, Which::Last, Which::BeforeLast];
    let lists = [language.last, language.this, language.next, language.past, language.before_last];
    if let Some((list, noun)) = reader.which(at, &lists) {
        let which = WHICH[list];
        let found = of_noun(reader, noun, which, today)?;
        // "This May" is a month, "this may help" is none.
        let may_be_verb = ["may", "march"].contains(&reader.text(noun)) && !reader.words[noun].is_capital;
        let has_year = reader.year(reader.skip(found.end, language.of)).is_some();
        if has_year || which == Which::This && may_be_verb {
            return None;
        }
        let [NamedPeriod::Days(first, last)] = found.readings[..] else { return None };
        let is_up_to_today = reader.phrase(at, language.past).is_some() && reader.unit(noun).is_some();
        return Some(Found::days(first, if is_up_to_today { today } else { last }, found.end));
    }
    let noun_end = noun_end(reader, at)?;
    let (which, end) = match reader.phrase(noun_end, language.before_last_follows) {
        Some(end) => (Which::BeforeLast, end),
        None => {
            let (list, end) =
                reader.which(noun_end, &[language.last, language.next]).filter(|_| language.last_follows)?;
            ([Which::Last, Which::Next][list], end)
        }
    };
    let found = of_noun(reader, at, which, today)?;
    Some(Found { end, ..found })
}

/// "The end of last month", "Ende letzten Jahres".
fn third_of_named(reader: &Reader, at: usize, today: Date) -> Option<Found> {
    let (which, begin) = reader.which(at, &reader.language.thirds)?;
    let whole = named_by_which(reader, reader.skip(begin, reader.language.articles), today)?;
    let [period] = whole.readings[..] else { return None };
    Some(Found::one(third_of(period, which as i8)?, whole.end))
}

fn noun_end(reader: &Reader, at: usize) -> Option<usize> {
    let unit = reader.unit(at).map(|(_, _, end)| end);
    let weekend = || reader.phrase(at, reader.language.weekend);
    unit.or_else(weekend)
        .or_else(|| reader.weekday(at).map(|(_, end)| end))
        .or_else(|| reader.months(at).map(|(_, end)| end))
}

fn of_noun(reader: &Reader, at: usize, which: Which, today: Date) -> Option<Found> {
    if let Some(end) = reader.phrase(at, reader.language.weekend) {
        let (first, last) = weekend(which, today)?;
        return Some(Found::days(first, last, end));
    }
    if let Some((unit, false, end)) = reader.unit(at) {
        let (first, last) = whole_unit(unit, which, today)?;
        return Some(Found::days(first, last, end));
    }
    if let Some((weekday, end)) = reader.weekday(at) {
        let day = match which {
            Which::BeforeLast => today.nth_weekday(-2, weekday),
            Which::Last => today.nth_weekday(-1, weekday),
            Which::This => monday_of(today)?.checked_add(i32::from(weekday.to_monday_zero_offset()).days()),
            Which::Next => today.nth_weekday(1, weekday),
        };
        return day.ok().map(|day| Found::days(day, day, end));
    }
    let (months, end) = reader.months(at)?;
    let (first, last) = match which {
        Which::BeforeLast => months.over(months.over(today)?.0),
        Which::Last => months.over(today),
        Which::This => months.nearest(today),
        Which::Next => months.to_come(today),
    }?;
    Some(Found::days(first, last, end))
}

fn monday_of(today: Date) -> Option<Date> {
    back(today, today.weekday().to_monday_zero_offset().into())
}

/// This week, month or year, or the one before or after.
fn whole_unit(unit: Unit, which: Which, today: Date) -> Option<(Date, Date)> {
    let steps = match which {
        Which::BeforeLast => -2,
        Which::Last => -1,
        Which::This => 0,
        Which::Next => 1,
    };
    let moved = |first: Date, span: Span| first.checked_add(span).ok();
    match unit {
        Unit::Day => None,
        Unit::Week => {
            let monday = moved(monday_of(today)?, (7 * steps).days())?;
            Some((monday, moved(monday, 6.days())?))
        }
        Unit::Month => moved(today.first_of_month(), steps.months()).map(|first| (first, first.last_of_month())),
        Unit::Year => moved(today.first_of_year(), steps.years()).map(|first| (first, first.last_of_year())),
    }
}

/// "Last" means the one of the week before, "this" the present or nearest one.
fn weekend(which: Which, today: Date) -> Option<(Date, Date)> {
    let saturday = monday_of(today)?.checked_add(5.days()).ok()?;
    // On Monday and Tuesday the one before is nearer.
    let is_early = today.weekday().to_monday_zero_offset() < 2;
    let weeks = match which {
        Which::BeforeLast => -2,
        Which::Last => -1,
        Which::This => -i32::from(is_early),
        Which::Next => 1,
    };
    let first = saturday.checked_add((7 * weeks).days()).ok()?;
    Some((first, first.tomorrow().ok()?))
}

/// "the last 10 days", "the past few weeks", "les trois derniers mois".
fn last_several(reader: &Reader, at: usize, today: Date) -> Option<Found> {
    let language = reader.language;
    let last = |at| reader.which(at, &[language.last, language.past]).map(|(_, end)| end);
    let several = |at| reader.phrase(at, language.few).map(|end| (LAST_FEW, end)).or_else(|| reader.number(at));
    let (count, unit_at) = match last(at) {
        // "the last weeks": how many is not said.
        Some(next) => several(next).or_else(|| reader.unit(next).filter(|unit| unit.1).map(|_| (LAST_FEW, next)))?,
        None => several(at).and_then(|(count, next)| Some((count, last(next)?)))?,
    };
    let (unit, _, end) = reader.unit(unit_at)?;
    Some(Found::days(back(today, count * unit.days())?, today, end))
}

/// "two weeks ago", "vor zwei Wochen", "il y a deux semaines".
fn ago(reader: &Reader, at: usize, today: Date) -> Option<Found> {
    let language = reader.language;
    let before = reader.phrase(at, language.ago_before);
    let begin = before.unwrap_or(at);
    if reader.is_behind(begin, language.part_of_more) {
        return None;
    }
    let few = reader.phrase(begin, language.few);
    let (count, unit_at) = few.map(|end| (FEW.0, end)).or_else(|| reader.number(begin))?;
    let (unit, _, unit_end) = reader.unit(unit_at)?;
    let end = if before.is_some() { unit_end } else { reader.phrase(unit_end, language.ago_after)? };
    if few.is_some() {
        return Some(Found::days(back(today, FEW.1 * unit.days())?, back(today, FEW.0 * unit.days())?, end));
    }
    let days = count * unit.days();
    // The longer ago, the less exactly it is meant.
    let around = if days <= 3 { 0 } else { unit.days() / 2 };
    Some(Found::days(back(today, days + around)?, back(today, days - around)?, end))
}

fn back(day: Date, days: i32) -> Option<Date> {
    day.checked_sub(days.days()).ok()
}
