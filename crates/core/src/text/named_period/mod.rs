//! The days, months and years that a question names: "on 7 May 2023", "last week", "two months ago", "in the summer of
//! 2021", "between March and May", "2023-05-07", "vor zwei Wochen". Times are UTC.
//!
//! Questions are seldom exact about a time, so a period includes some days more, and "two weeks ago" some days around
//! it. The language of a question is not known: it is read in each language that it may be in, and the longest form
//! that begins at a word counts.

mod calendar;
mod digits;
mod from_today;
mod language;
mod languages;
mod period;
mod ranges;
mod reader;
#[cfg(test)]
mod tests;
mod words;

pub use period::NamedPeriod;

use std::ops::Range;

use crate::timestamp::Micros;
use calendar::calendar_form;
use from_today::form_from_today;
use languages::{is_month_or_part, languages_of};
use period::day_of;
use ranges::range;
use reader::{Found, Reader, longer};
use words::{words, year_number};

/// The longest text in which periods are looked for, in words: a longer one is no question.
const LONGEST_QUESTION: usize = 400;
/// The most periods of a question: each candidate is compared with all of them, and this bounds the time.
const MOST_PERIODS: usize = 16;

/// The times in a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedTimes {
    /// The periods, each once.
    pub periods: Vec<NamedPeriod>,
    /// The places of words in the question that belong to a time and name nobody, in bytes: "April" in "in April".
    pub places: Vec<Range<usize>>,
}

/// The times that a question names, at `now`.
pub fn named_times(question: &str, now: Micros) -> NamedTimes {
    let words = words(question, is_month_or_part);
    if words.len() > LONGEST_QUESTION {
        return NamedTimes::default();
    }
    let languages = languages_of(&words);
    let today = day_of(now);
    let readers: Vec<Reader> =
        languages.iter().map(|known| Reader { words: &words, known, language: known.language, today }).collect();
    let form_at = |at: usize| {
        let of_those = readers.iter().filter(|reader| reader.known.may_begin_with(&words[at].text));
        of_those.map(|reader| form(reader, at)).fold(None, longer)
    };
    let (mut found, mut years_alone, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < words.len() {
        let Some(Found { readings, end }) = form_at(at) else {
            at += 1;
            continue;
        };
        let is_year = end == at + 1 && year_number(&words[at].text).is_some();
        if is_year { &mut years_alone } else { &mut found }.extend(readings);
        if readers.iter().any(|reader| reader.is_time_alone(at, end)) {
            places.extend(words[at..end].last().map(|last| words[at].place.start..last.place.end));
        }
        at = end;
    }
    let is_of_any_year = |period: &NamedPeriod| period.is_of_any_year();
    let is_meant = |at: usize| !words[at].is_short_year || readers.iter().any(|reader| reader.stands_as_time(at));
    let years: Vec<i16> =
        (0..words.len()).filter(|&at| is_meant(at)).filter_map(|at| year_number(&words[at].text)).collect();
    // A year elsewhere in the question applies to the months without one; else it means itself.
    if !found.iter().any(is_of_any_year) {
        found.extend(years_alone);
    } else if !years.is_empty() {
        found = found.into_iter().flat_map(|period| in_years(period, &years)).collect();
    }
    let mut once = Vec::with_capacity(found.len().min(MOST_PERIODS));
    for period in found {
        if once.len() < MOST_PERIODS && !once.contains(&period) {
            once.push(period);
        }
    }
    NamedTimes { periods: once, places }
}

/// The longest form that begins at a word.
fn form(reader: &Reader, at: usize) -> Option<Found> {
    let alone = longer(calendar_form(reader, at, false), form_from_today(reader, at));
    longer(alone, range(reader, at))
}

/// A period of any year in each of these years; another period unchanged.
fn in_years(period: NamedPeriod, years: &[i16]) -> Vec<NamedPeriod> {
    if let NamedPeriod::Days(..) = period {
        return vec![period];
    }
    let days = years.iter().filter_map(|&year| period.in_year(year));
    days.map(|(first, last)| NamedPeriod::Days(first, last)).collect()
}
