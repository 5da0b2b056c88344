//! A question, read in one language: the meaning of its words.

use jiff::civil::{Date, Weekday};

use super::language::{Language, Words, phrase};
use super::languages::Known;
use super::period::NamedPeriod;
use super::words::{Word, day_number, is_amount, year_number};

/// The result at a word.
#[derive(Debug, Clone)]
pub struct Found {
    /// Several if a date can be read in two ways.
    pub readings: Vec<NamedPeriod>,
    /// The next word.
    pub end: usize,
}

impl Found {
    pub fn one(period: NamedPeriod, end: usize) -> Found {
        Found { readings: vec![period], end }
    }

    pub fn days(first: Date, last: Date, end: usize) -> Found {
        Found::one(NamedPeriod::Days(first, last), end)
    }
}

/// The one that reaches further; the first if both reach equally far.
pub fn longer(one: Option<Found>, other: Option<Found>) -> Option<Found> {
    match (&one, &other) {
        (Some(first), Some(second)) if second.end > first.end => other,
        (Some(_), _) => one,
        _ => other,
    }
}

/// The words of a question in a possible language, asked on a day.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub words: &'a [Word],
    pub known: &'static Known,
    pub language: &'static Language,
    /// `None` if the calendar ends before it.
    pub today: Option<Date>,
}

impl Reader<'_> {
    pub fn text(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| &word.text)
    }

    /// The end of a phrase of the list that begins here.
    pub fn phrase(&self, at: usize, list: Words) -> Option<usize> {
        phrase(self.words, at, list)
    }

    /// The word after such a phrase, or this one if there is none.
    pub fn skip(&self, at: usize, list: Words) -> usize {
        self.phrase(at, list).unwrap_or(at)
    }

    /// Whether a phrase of the list ends before a word.
    pub fn is_behind(&self, at: usize, list: Words) -> bool {
        (at.saturating_sub(3)..at).any(|begin| self.phrase(begin, list) == Some(at))
    }

    /// The one of several lists that has the word or phrase, and the next word.
    pub fn which(&self, at: usize, lists: &[Words]) -> Option<(usize, usize)> {
        let ends = lists.iter().enumerate().filter_map(|(which, list)| Some((which, self.phrase(at, list)?)));
        ends.max_by_key(|&(which, end)| (end, std::cmp::Reverse(which)))
    }

    /// A month, from 1 on.
    pub fn month(&self, at: usize) -> Option<(i8, usize)> {
        self.which(at, &self.language.months).map(|(which, end)| (which as i8 + 1, end))
    }

    /// A season of the northern hemisphere, by its first month.
    pub fn season(&self, at: usize) -> Option<(i8, usize)> {
        self.which(at, &self.language.seasons).map(|(which, end)| (which as i8 * 3 + 3, end))
    }

    /// A month or a season of every year.
    pub fn months(&self, at: usize) -> Option<(NamedPeriod, usize)> {
        let month = self.month(at).map(|(month, end)| (NamedPeriod::months(month, 1), end));
        month.or_else(|| self.season(at).map(|(first, end)| (NamedPeriod::months(first, 3), end)))
    }

    pub fn weekday(&self, at: usize) -> Option<(Weekday, usize)> {
        let (which, end) = self.which(at, &self.language.weekdays)?;
        Some((Weekday::from_monday_zero_offset(which as i8).ok()?, end))
    }

    pub fn day(&self, at: usize) -> Option<i8> {
        day_number(self.text(at))
    }

    pub fn year(&self, at: usize) -> Option<i16> {
        year_number(self.text(at)).filter(|_| !is_amount(self.words, at))
    }

    /// A number, or the article that means one.
    pub fn number(&self, at: usize) -> Option<(i32, usize)> {
        let spelt = || self.which(at, &self.language.numbers).map(|(which, end)| (which as i32 + 1, end));
        let text = self.text(at);
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let digits = text.parse().ok().filter(|number| is_digits && (1..=999).contains(number));
        let (number, end) = digits.map(|number| (number, at + 1)).or_else(spelt)?;
        // "a couple of weeks": the article is not the number.
        let is_article =
            self.which(end, &self.language.numbers).is_some() || self.phrase(end, self.language.few).is_some();
        (!is_article).then_some((number, end))
    }

    /// Day, week, month or year, and whether it is in the plural.
    pub fn unit(&self, at: usize) -> Option<(Unit, bool, usize)> {
        const UNITS: [Unit; 4] = [Unit::Day, Unit::Week, Unit::Month, Unit::Year];
        let units = UNITS.into_iter().zip(&self.language.units);
        let mut found = units.filter_map(|(unit, (one, several))| {
            let single = self.phrase(at, one).map(|end| (unit, false, end));
            single.or_else(|| self.phrase(at, several).map(|end| (unit, true, end)))
        });
        found.next()
    }

    /// Whether a form here is always a time, or is at a place where a time must be.
    pub fn stands_as_time(&self, at: usize) -> bool {
        let Language { plain, behind_article, articles, .. } = self.language;
        self.phrase(at, plain).is_some()
            || self.stands_where_a_time_stands(at)
            || self.phrase(at, behind_article).is_some() && self.is_behind(at, articles)
            || self.goes_on_with_months(at)
    }

    /// Whether a word that comes before times is before it, perhaps with an article between them.
    fn stands_where_a_time_stands(&self, at: usize) -> bool {
        let Language { before_a_time, articles, .. } = self.language;
        let is_behind = |at| self.is_behind(at, before_a_time);
        is_behind(at)
            || (at.saturating_sub(2)..at)
                .any(|article| self.phrase(article, articles) == Some(at) && is_behind(article))
    }

    /// "In March, April and May": a month after one that is a time.
    fn goes_on_with_months(&self, at: usize) -> bool {
        let mut at = at;
        // No list of months is longer than a year.
        for _ in 0..self.language.months.len() {
            let end = if self.is_behind(at, self.language.and) { at - 1 } else { at };
            let Some(before) = end.checked_sub(1).filter(|&before| self.month(before).is_some()) else { return false };
            if self.phrase(before, self.language.plain).is_some() || self.stands_where_a_time_stands(before) {
                return true;
            }
            at = before;
        }
        false
    }

    /// Whether the words from here to `end` are a time, and nobody's name: "in April", "April 2023", not "from April".
    pub fn is_time_alone(&self, at: usize, end: usize) -> bool {
        let word = self.skip(at, self.language.before_people);
        word + 1 < end || self.stands_where_a_time_stands(word) && !self.is_behind(word, self.language.before_people)
    }
}

/// The units of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    /// Its approximate number of days.
    pub fn days(self) -> i32 {
        match self {
            Unit::Day => 1,
            Unit::Week => 7,
            Unit::Month => 30,
            Unit::Year => 365,
        }
    }
}
