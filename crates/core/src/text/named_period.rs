//! The days, months and years that a question names, in English and in ISO form: "on 7 May 2023", "last week",
//! "two months ago", "in the summer of 2021", "2023-05-07". Times are UTC.
//!
//! Who asks about a time is seldom exact about it, and what happened is often put down some days later, so a period
//! holds [`AFTER_DAYS`] more, and "two weeks ago" some days around.

use jiff::civil::{Date, Weekday, date};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};

use crate::timestamp::Micros;

/// Days after a period that still belong to it.
const AFTER_DAYS: i32 = 3;
/// The longest text in which periods are looked for, in words: a longer one is no question.
const LONGEST_QUESTION: usize = 400;
/// Periods that a question names, at the most: each candidate is compared with all of them, and none waits long.
const MOST_PERIODS: usize = 16;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// Of the northern hemisphere, with the month in which each begins.
const SEASONS: [(&str, i8); 5] = [("spring", 3), ("summer", 6), ("autumn", 9), ("fall", 9), ("winter", 12)];
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
/// Words before a month or a season that make a time of one which may be another word ("may", "march", "fall").
const BEFORE_A_TIME: [&str; 16] = [
    "in", "of", "during", "since", "until", "till", "by", "early", "late", "mid", "last", "this", "next", "past",
    "before", "after",
];

/// A period that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedPeriod {
    /// From the start of the first day to the end of the last.
    Days(Date, Date),
    /// So many months of any year from this one on (1 is January).
    Months(i8, i8),
    /// A day of a month, of any year.
    DayOfYear(i8, i8),
}

impl NamedPeriod {
    /// Whether an instant lies within it, or in the days after.
    pub fn holds(&self, instant: Micros) -> bool {
        let Some(day) = day_of(instant) else { return false };
        (0..=AFTER_DAYS).any(|after| day.checked_sub(after.days()).is_ok_and(|day| self.holds_day(day)))
    }

    fn holds_day(&self, day: Date) -> bool {
        match *self {
            NamedPeriod::Days(first, last) => first <= day && day <= last,
            NamedPeriod::Months(first, count) => (day.month() - first).rem_euclid(12) < count,
            NamedPeriod::DayOfYear(month, number) => (day.month(), day.day()) == (month, number),
        }
    }
}

/// The day of an instant; none for those that lie beyond all calendars.
fn day_of(instant: Micros) -> Option<Date> {
    Some(TimeZone::UTC.to_datetime(Timestamp::from_microsecond(instant).ok()?).date())
}

/// The periods that a question names, asked at `now`.
pub fn named_periods(question: &str, now: Micros) -> Vec<NamedPeriod> {
    let words = words(question);
    if words.len() > LONGEST_QUESTION {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let Some(today) = day_of(now) {
        found.extend((0..words.len()).filter_map(|at| relative(&words, at, today)));
    }
    let years: Vec<i16> = words.iter().filter_map(|word| year(word)).collect();
    let mut has_months = false;
    for at in 0..words.len() {
        if let Some(day) = words[at].parse::<Date>().ok().filter(|_| words[at].len() == 10) {
            found.push(NamedPeriod::Days(day, day));
            continue;
        }
        let Some((first, count)) = months(&words, at) else { continue };
        has_months = true;
        let day = if count == 1 { day_beside(&words, at) } else { None };
        match (years.is_empty(), day) {
            (true, Some(day)) => found.push(NamedPeriod::DayOfYear(first, day)),
            (true, None) => found.push(NamedPeriod::Months(first, count)),
            (false, _) => found.extend(years.iter().filter_map(|&year| {
                let begin = Date::new(year, first, day.unwrap_or(1)).ok()?;
                let length: Span = if day.is_some() { 1.day() } else { i32::from(count).months() };
                Some(NamedPeriod::Days(begin, begin.checked_add(length).ok()?.yesterday().ok()?))
            })),
        }
    }
    if !has_months {
        found.extend(years.iter().map(|&year| NamedPeriod::Days(date(year, 1, 1), date(year, 12, 31))));
    }
    found.truncate(MOST_PERIODS);
    found
}

/// Characters that belong to a number or a name of their own, which is no part of a date: a price, a version, an issue.
const INSIDE_WORDS: [char; 9] = ['-', '.', '/', '$', '€', '£', '#', '+', '_'];

/// Words in lower case, ISO dates whole; of an instant its date. Other words are parted at hyphens.
fn words(text: &str) -> Vec<String> {
    let is_inside = |character: char| character.is_alphanumeric() || INSIDE_WORDS.contains(&character);
    let parts = text.split(|character: char| !is_inside(character)).map(|part| part.trim_end_matches(['.', '/']));
    let whole_or_parts = parts.flat_map(|part| {
        let date = part.get(..10).filter(|date| date.parse::<Date>().is_ok());
        let date = date.filter(|_| part.len() == 10 || part[10..].starts_with(['T', 't']));
        let part = date.unwrap_or(part);
        part.split(move |character: char| character == '-' && date.is_none())
    });
    whole_or_parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| word.len() == 4 && (1900..2100).contains(year))
}

/// A day of a month, as "7" or "7th".
fn day_number(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|suffix| word.strip_suffix(suffix)).unwrap_or(word);
    digits.parse().ok().filter(|day| (1..=31).contains(day) && digits.len() <= 2)
}

fn day_beside(words: &[String], month: usize) -> Option<i8> {
    let before = match month.checked_sub(1).map(|at| words[at].as_str()) {
        Some("of") => month.checked_sub(2),
        _ => month.checked_sub(1),
    };
    let number = |at: usize| words.get(at).and_then(|word| day_number(word));
    before.and_then(number).or_else(|| number(month + 1))
}

/// The months that a word names, as the first and how many. What may be another word must stand where a time stands.
fn months(words: &[String], at: usize) -> Option<(i8, i8)> {
    let word = words[at].as_str();
    let is_time = || {
        let before = at.checked_sub(1).map(|at| words[at].as_str());
        before.is_some_and(|before| BEFORE_A_TIME.contains(&before))
            || words.get(at + 1).is_some_and(|next| year(next).is_some())
            || words.get(at + 1).is_some_and(|next| next == "of")
                && words.get(at + 2).is_some_and(|next| year(next).is_some())
            || day_beside(words, at).is_some()
    };
    if let Some(month) = MONTHS.iter().position(|month| *month == word) {
        let is_other_word = word == "may" || word == "march";
        return (!is_other_word || is_time()).then_some((month as i8 + 1, 1));
    }
    let is_short_for =
        |month: &str| word.len() == 3 && month.starts_with(word) || word == "sept" && month == "september";
    if let Some(month) = MONTHS.iter().position(|month| is_short_for(month)) {
        return is_time().then_some((month as i8 + 1, 1));
    }
    let (_, first) = SEASONS.iter().find(|(season, _)| *season == word)?;
    let in_the = at >= 2 && words[at - 1] == "the" && BEFORE_A_TIME.contains(&words[at - 2].as_str());
    (is_time() || in_the || word == "summer" || word == "winter").then_some((*first, 3))
}

/// A period told from today, by the word at which it begins.
fn relative(words: &[String], at: usize, today: Date) -> Option<NamedPeriod> {
    let next = words.get(at + 1).map(String::as_str);
    let back = |days: i32| today.checked_sub(days.days()).ok();
    let one = |day: Date| Some(NamedPeriod::Days(day, day));
    match words[at].as_str() {
        "today" | "tonight" => one(today),
        "yesterday" if at > 0 && words[at - 1] == "before" => one(back(2)?),
        "yesterday" => one(back(1)?),
        "last" | "past" | "previous" | "this" => {
            let ago = i32::from(words[at] != "this");
            match next? {
                "week" => {
                    let monday = back(today.weekday().to_monday_zero_offset().into())?;
                    let first = monday.checked_sub((7 * ago).days()).ok()?;
                    Some(NamedPeriod::Days(first, first.checked_add(6.days()).ok()?))
                }
                "month" => {
                    let first = today.first_of_month().checked_sub(ago.months()).ok()?;
                    Some(NamedPeriod::Days(first, first.last_of_month()))
                }
                "year" => {
                    let first = today.first_of_year().checked_sub(ago.years()).ok()?;
                    Some(NamedPeriod::Days(first, first.last_of_year()))
                }
                day => {
                    if let Some(number) = WEEKDAYS.iter().position(|weekday| *weekday == day) {
                        let weekday = Weekday::from_monday_zero_offset(number as i8).ok()?;
                        return one(today.nth_weekday(-1, weekday).ok()?);
                    }
                    let first = back(days_of(number(day)?, words.get(at + 2)?)?)?;
                    (ago == 1).then_some(NamedPeriod::Days(first, today))
                }
            }
        }
        word => {
            let (count, unit, end) = match (word, next?) {
                ("a" | "an", unit) => (1, unit, at + 2),
                ("couple", "of") => (2, words.get(at + 2)?.as_str(), at + 3),
                (word, unit) => (number(word)?, unit, at + 2),
            };
            // "twenty-one days", "half a year": not what the last word alone says.
            let is_part_of_more = at > 0 && (TENS.contains(&words[at - 1].as_str()) || words[at - 1] == "half");
            if words.get(end)? != "ago" || is_part_of_more {
                return None;
            }
            let days = days_of(count, unit)?;
            // The longer ago, the less exactly it is meant.
            let around = if days <= 3 { 0 } else { days / count.max(1) / 2 };
            let middle = back(days)?;
            let (first, last) = (middle.checked_sub(around.days()).ok()?, middle.checked_add(around.days()).ok()?);
            Some(NamedPeriod::Days(first, last))
        }
    }
}

fn number(word: &str) -> Option<i32> {
    let spelt = NUMBERS.iter().position(|number| *number == word).map(|at| at as i32 + 1);
    spelt.or_else(|| word.parse().ok().filter(|number| (1..=999).contains(number)))
}

fn days_of(count: i32, unit: &str) -> Option<i32> {
    let days = match unit.strip_suffix('s').unwrap_or(unit) {
        "day" => 1,
        "week" => 7,
        "month" => 30,
        "year" => 365,
        _ => return None,
    };
    Some(count * days)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A Wednesday.
    const NOW: &str = "2024-05-15T10:00:00Z";

    fn at(text: &str) -> Micros {
        crate::timestamp::parse("t", &format!("{text}T12:00:00Z")).unwrap()
    }

    fn named(question: &str) -> Vec<NamedPeriod> {
        named_periods(question, crate::timestamp::parse("now", NOW).unwrap())
    }

    fn holds(question: &str, day: &str) -> bool {
        named(question).iter().any(|period| period.holds(at(day)))
    }

    #[test]
    fn a_day_a_month_and_a_year_are_found_as_people_write_them() {
        for question in [
            "what happened on 7 May 2023?",
            "on May 7th, 2023",
            "the 7th of May 2023",
            "notes of 2023-05-07",
            "what did she do in May 2023",
            "in 2023",
            "on May 7",
            "anything in May?",
            "spring 2023",
            "in the spring of 2023",
            "spring of 2023",
            "at 2023-05-07T09:30:00Z",
        ] {
            assert!(holds(question, "2023-05-07"), "{question}");
            assert!(!holds(question, "2022-09-25"), "{question}");
        }
    }

    #[test]
    fn days_after_it_still_belong_to_a_period_and_days_before_do_not() {
        assert!(holds("on 7 May 2023", "2023-05-10") && !holds("on 7 May 2023", "2023-05-11"));
        assert!(!holds("on 7 May 2023", "2023-05-06"));
        assert!(
            holds("in winter", "2021-01-20") && holds("last winter", "2023-12-05") && !holds("in winter", "2021-06-05")
        );
    }

    #[test]
    fn times_told_from_today_are_measured_from_it() {
        for (question, day) in [
            ("what did I say yesterday?", "2024-05-14"),
            ("the day before yesterday", "2024-05-13"),
            ("today", "2024-05-15"),
            ("last week", "2024-05-08"),
            ("this week", "2024-05-13"),
            ("last month", "2024-04-20"),
            ("last year", "2023-02-01"),
            ("last Friday", "2024-05-10"),
            ("two weeks ago", "2024-05-02"),
            ("3 days ago", "2024-05-12"),
            ("a couple of months ago", "2024-03-10"),
            ("a year ago", "2023-05-01"),
            ("the last 10 days", "2024-05-07"),
        ] {
            assert!(holds(question, day), "{question}: {:?}", named(question));
            assert!(!holds(question, "2020-01-01"), "{question}");
        }
    }

    #[test]
    fn words_that_only_look_like_times_are_none() {
        for question in [
            "may I ask who will march in the fall of Rome",
            "what does dec mean",
            "how many days",
            "a week",
            "version 3 of model 12",
            "it cost $1999, see #2021 of v2023.1 and 07.05.2023",
            "twenty-one days ago",
            "half a year ago",
            "1.5 years ago",
            "call 2024000",
            "spring framework",
            "last but not least",
            "",
        ] {
            let found = named(question);
            // "in the fall" is a time wherever it stands.
            assert!(found.is_empty() || question.contains("in the fall"), "{question}: {found:?}");
        }
    }

    #[test]
    fn of_very_many_periods_the_first_count() {
        let years: Vec<String> = (1950..2050).map(|year| year.to_string()).collect();
        assert_eq!(named(&years.join(" ")).len(), MOST_PERIODS);
        assert!(holds(&years.join(" "), "1950-06-01"));
    }

    #[test]
    fn instants_beyond_all_calendars_are_in_no_period() {
        assert!(!NamedPeriod::Months(1, 12).holds(i64::MAX) && !NamedPeriod::Months(1, 12).holds(i64::MIN));
        assert_eq!(named_periods("yesterday", i64::MAX), Vec::new());
    }

    proptest! {
        #[test]
        fn any_question_is_read(question in "[a-z0-9 -]{0,40}|((last|this|[0-9]{1,3}|two|may|fall|[0-9]{4}|days|ago|week) ?){0,8}", now: i64) {
            for period in named_periods(&question, now) {
                period.holds(now);
            }
        }
    }
}
