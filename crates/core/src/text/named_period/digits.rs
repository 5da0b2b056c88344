//! Dates in digits: 2023-05-07, 2023/05/07, 7/5/2023, 07.05.2023, 05/2023, 2023-W23.

use jiff::civil::Date;

use super::period::NamedPeriod;
use super::words::{short_year, small, year_number};

/// The meaning of a word of digits; several if the order of day and month is unknown.
pub fn dates(word: &str) -> Vec<NamedPeriod> {
    let Some(separator) = word.chars().find(|character| !character.is_ascii_digit()) else { return Vec::new() };
    let parts: Vec<&str> = word.split(separator).collect();
    if let [year, week] = parts[..]
        && let Some(number) = week.strip_prefix('w')
        && separator == '-'
    {
        return year_number(year)
            .zip(small(number))
            .and_then(|(year, number)| week_of(year, number))
            .into_iter()
            .collect();
    }
    let of = |year: Option<i16>, month: &str, day: &str| date(year?, small(month)?, small(day)?);
    match (separator, &parts[..]) {
        ('-' | '/' | '.', [year, month, day]) if year_number(year).is_some() => {
            of(year_number(year), month, day).into_iter().collect()
        }
        ('.', [day, month, year]) => of(year_number(year), month, day).into_iter().collect(),
        ('-' | '/', [first, second, year]) => {
            let year = year_number(year).or_else(|| short_year(year).filter(|_| separator == '/'));
            let (day_first, month_first) = (of(year, second, first), of(year, first, second));
            let other = month_first.filter(|_| month_first != day_first);
            day_first.into_iter().chain(other).collect()
        }
        ('-' | '/', [year, month]) if year_number(year).is_some() => month_of(year, month).into_iter().collect(),
        ('/', [month, year]) => month_of(year, month).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn date(year: i16, month: i8, day: i8) -> Option<NamedPeriod> {
    let day = Date::new(year, month, day).ok()?;
    Some(NamedPeriod::Days(day, day))
}

fn month_of(year: &str, month: &str) -> Option<NamedPeriod> {
    let first = Date::new(year_number(year)?, small(month)?, 1).ok()?;
    Some(NamedPeriod::Days(first, first.last_of_month()))
}

/// A week by its ISO number.
pub fn week_of(year: i16, number: i8) -> Option<NamedPeriod> {
    let (monday, sunday) = NamedPeriod::EveryYearsWeek(number).in_year(year)?;
    Some(NamedPeriod::Days(monday, sunday))
}
