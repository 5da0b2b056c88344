//! Periods of the calendar: days, months, seasons, years, weeks, quarters, decades and feasts.

use jiff::ToSpan;
use jiff::civil::{Date, date};

use super::digits;
use super::period::NamedPeriod;
use super::reader::{Found, Reader, longer};
use super::words::small;

/// Christmas, New Year's Eve, New Year and Halloween; Easter moves.
const FEASTS: [NamedPeriod; 4] = [
    NamedPeriod::EveryYear((12, 24), (12, 26)),
    NamedPeriod::EveryYear((12, 31), (12, 31)),
    NamedPeriod::EveryYear((12, 31), (1, 1)),
    NamedPeriod::EveryYear((10, 31), (10, 31)),
];

/// Words that may come before a year, but not between a day and its month: "the 7 in May".
const WITHIN: [&str; 3] = ["in", "im", "en"];

/// The longest form that begins at a word. `stands` means that a time must be here, even if the word has other
/// meanings.
pub fn calendar_form(reader: &Reader, at: usize, stands: bool) -> Option<Found> {
    let forms = [third, day_and_month, month_and_day, months, feast, quarter, week, decade];
    let in_words = forms.iter().map(|form| form(reader, at, stands)).fold(None, longer);
    longer(in_words, in_digits(reader, at, stands))
}

/// "07.05.2023", "2023"; "'21" only if a time must be here, because it may begin a title: "'21 Jump Street'".
fn in_digits(reader: &Reader, at: usize, stands: bool) -> Option<Found> {
    let is_short_year = reader.words.get(at).is_some_and(|word| word.is_short_year);
    if is_short_year && !stands && !reader.stands_as_time(at) {
        return None;
    }
    if at > 0 && ["version", "versión", "versione", "versie"].contains(&reader.text(at - 1)) {
        return None;
    }
    let readings = match reader.year(at) {
        Some(year) => vec![NamedPeriod::year(year)?],
        None => digits::dates(reader.text(at)),
    };
    (!readings.is_empty()).then_some(Found { readings, end: at + 1 })
}

/// Puts a period into the year after it, if there is one.
fn with_year(reader: &Reader, period: NamedPeriod, end: usize) -> Option<Found> {
    let year_at = reader.skip(end, reader.language.of);
    match reader.year(year_at) {
        Some(year) => period.in_year(year).map(|(first, last)| Found::days(first, last, year_at + 1)),
        None => Some(Found::one(period, end)),
    }
}

/// "7 May", "the 7th of May 2023", "the first of May".
fn day_and_month(reader: &Reader, at: usize, _: bool) -> Option<Found> {
    let is_first = || reader.phrase(at, reader.language.ordinals[0]) == Some(at + 1);
    let day = reader.day(at).or_else(|| is_first().then_some(1))?;
    let is_within = WITHIN.contains(&reader.text(at + 1));
    let (month, end) = reader.month(if is_within { at + 1 } else { reader.skip(at + 1, reader.language.of) })?;
    with_year(reader, NamedPeriod::EveryYear((month, day), (month, day)), end)
}

/// "May 7th, 2023", "May the 7th".
fn month_and_day(reader: &Reader, at: usize, _: bool) -> Option<Found> {
    let (month, end) = reader.month(at)?;
    let day_at = reader.skip(end, reader.language.articles);
    let day = reader.day(day_at)?;
    with_year(reader, NamedPeriod::EveryYear((month, day), (month, day)), day_at + 1)
}

/// "May", "May 2023", "summer of 2021".
fn months(reader: &Reader, at: usize, stands: bool) -> Option<Found> {
    let (months, end) = reader.months(at)?;
    let found = with_year(reader, months, end)?;
    (stands || found.end > end || reader.stands_as_time(at)).then_some(found)
}

/// "the beginning of May 2023", "mid-March", "late 2021".
fn third(reader: &Reader, at: usize, _: bool) -> Option<Found> {
    let (which, end) = reader.which(at, &reader.language.thirds)?;
    let begin = reader.skip(end, reader.language.articles);
    let whole = longer(months(reader, begin, true), in_digits(reader, begin, true))?;
    let [whole_period] = whole.readings[..] else { return None };
    // A day has no thirds: "early 7 May" is no period.
    Some(Found::one(third_of(whole_period, which as i8)?, whole.end))
}

/// The first, second or last third of a period; months by their days, seasons by their months.
pub fn third_of(period: NamedPeriod, which: i8) -> Option<NamedPeriod> {
    match period {
        NamedPeriod::EveryYear((first, 1), (last, _)) if first == last => {
            let (begin, end) = [(1, 10), (11, 20), (21, 31)][which as usize];
            Some(NamedPeriod::EveryYear((first, begin), (first, end)))
        }
        NamedPeriod::EveryYear((first, 1), _) => Some(NamedPeriod::months((first + which - 1) % 12 + 1, 1)),
        NamedPeriod::EveryYear(..) | NamedPeriod::EveryYearsWeek(_) => None,
        NamedPeriod::Days(first, last) => {
            let days = (last - first).get_days() + 1;
            // A third of a day is never meant.
            (days >= 3).then_some(())?;
            let from = |third: i32| first.checked_add((days * third / 3).days()).ok();
            Some(NamedPeriod::Days(from(which.into())?, from(i32::from(which) + 1)?.yesterday().ok()?))
        }
    }
}

/// Christmas and others. Easter is the one of the year that follows it in the question, else the latest one.
fn feast(reader: &Reader, at: usize, _: bool) -> Option<Found> {
    let (which, end) = reader.which(at, &reader.language.feasts)?;
    let year_at = reader.skip(end, reader.language.of);
    if let Some(&feast) = FEASTS.get(which) {
        // "New Year 2023" begins on the last day of 2022.
        let starts_year = matches!(feast, NamedPeriod::EveryYear(first, last) if first > last);
        return match reader.year(year_at).filter(|_| starts_year) {
            Some(year) => feast.in_year(year - 1).map(|(first, last)| Found::days(first, last, year_at + 1)),
            None => with_year(reader, feast, end),
        };
    }
    if let Some(year) = reader.year(year_at) {
        let (first, last) = easter(year)?;
        return Some(Found::days(first, last, year_at + 1));
    }
    let today = reader.today?;
    let years = [today.year(), today.year().saturating_sub(1)];
    let (first, last) = years.into_iter().filter_map(easter).find(|&(first, _)| first <= today)?;
    Some(Found::days(first, last, end))
}

/// Good Friday to Easter Monday of the Gregorian calendar, by the anonymous algorithm.
fn easter(year: i16) -> Option<(Date, Date)> {
    let year = i32::from(year);
    let (golden, century, rest) = (year % 19, year / 100, year % 100);
    let epact = (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (rest / 4) - epact - rest % 4) % 7;
    let late = (golden + 11 * epact + 22 * weekday) / 451;
    let of_march = epact + weekday - 7 * late + 114;
    let sunday = Date::new(year as i16, (of_march / 31) as i8, (of_march % 31) as i8 + 1).ok()?;
    Some((sunday.checked_sub(2.days()).ok()?, sunday.tomorrow().ok()?))
}

/// "Q3 2023", "the third quarter of 2023".
fn quarter(reader: &Reader, at: usize, _: bool) -> Option<Found> {
    let short = reader.text(at).strip_prefix('q').and_then(|number| number.parse::<i8>().ok());
    let short = short.map(|number| (number, at + 1));
    let spelt = || {
        let (which, end) = reader.which(at, &reader.language.ordinals)?;
        Some((which as i8 + 1, reader.phrase(end, reader.language.quarter)?))
    };
    let numbered = || Some((reader.day(at)?, reader.phrase(at + 1, reader.language.quarter)?));
    let (number, end) = short.or_else(spelt).or_else(numbered).filter(|(number, _)| (1..=4).contains(number))?;
    let found = with_year(reader, NamedPeriod::months(number * 3 - 2, 3), end)?;
    (found.end > end).then_some(found)
}

/// "week 23 of 2023"; without a year "KW 23", "23. KW", "in der Woche 23", and not "week 3", nor "Woche 23 der Kur".
fn week(reader: &Reader, at: usize, stands: bool) -> Option<Found> {
    let language = reader.language;
    let is_number = |at: usize| small(reader.text(at)).filter(|number| (1..=53).contains(number));
    let (number, end, is_of_calendar) = match reader.phrase(at, language.week_number) {
        Some(number_at) => {
            let is_of_calendar = reader.phrase(at, language.calendar_week) == Some(number_at)
                && (stands || reader.stands_as_time(at))
                // "A motor of 5 kW 23 years ago".
                && at.checked_sub(1).is_none_or(|before| is_number(before).is_none());
            (is_number(number_at)?, number_at + 1, is_of_calendar)
        }
        None => {
            let end = reader.phrase(at + 1, language.calendar_week)?;
            // "23. KW" is a week, "23 kW" is no time.
            let is_noun = reader.words[at + 1].is_capital;
            (is_number(at)?, end, is_noun && reader.phrase(at + 1, language.plain) == Some(end))
        }
    };
    let year_at = reader.skip(end, language.of);
    if let Some(year) = reader.year(year_at) {
        return Some(Found::one(digits::week_of(year, number)?, year_at + 1));
    }
    let is_of_a_thing = reader.phrase(end, language.of_a_thing).is_some();
    (is_of_calendar && !is_of_a_thing).then(|| Found::one(NamedPeriod::EveryYearsWeek(number), end))
}

/// "the 1990s", "the 90s".
fn decade(reader: &Reader, at: usize, _: bool) -> Option<Found> {
    let text = reader.text(at);
    let digits = text.strip_suffix("er").or_else(|| text.strip_suffix('s'))?;
    let number: i16 = digits.parse().ok().filter(|number| number % 10 == 0)?;
    let is_behind_article =
        reader.is_behind(at, reader.language.articles) || reader.is_behind(at, reader.language.thirds[1]);
    let first = match digits.len() {
        4 if (1900..2100).contains(&number) => number,
        // "In his 90s" is an age.
        2 if number >= 50 && is_behind_article => 1900 + number,
        _ => return None,
    };
    Some(Found::days(date(first, 1, 1), date(first + 9, 12, 31), at + 1))
}
