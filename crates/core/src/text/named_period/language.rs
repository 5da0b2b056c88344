//! The words of a language that speak of time, as its table has them.

use super::words::Word;

/// Words in a table are parted by `|`; a phrase is several words in a row.
pub type Words = &'static str;

/// What a language says of time.
pub struct Language {
    /// By one of these a text is known to be of the language; none is a word of English. English has none: it is always
    /// tried.
    pub own: Words,
    /// From January on.
    pub months: [Words; 12],
    /// From Monday on.
    pub weekdays: [Words; 7],
    /// Spring, summer, autumn and winter.
    pub seasons: [Words; 4],
    /// Months, weekdays and seasons, and words before the number of a week, that are a time wherever they stand; the
    /// others only beside a number or a word of `before_a_time`.
    pub plain: Words,
    /// Months that are a time behind an article as well: people, who are called so, have none.
    pub behind_article: Words,
    /// From one on, with the articles that mean one.
    pub numbers: [Words; 12],
    /// Some, of a number that is not said.
    pub few: Words,
    /// Words before a number that it is only a part of: "twenty-one", "half a year".
    pub part_of_more: Words,
    /// Day, week, month and year, of one and of several.
    pub units: [(Words, Words); 4],
    pub weekend: Words,
    pub today: Words,
    pub yesterday: Words,
    pub day_before_yesterday: Words,
    /// A day not long ago.
    pub other_day: Words,
    pub last: Words,
    /// As `last`, of what ends today as well.
    pub past: Words,
    pub this: Words,
    pub next: Words,
    /// Whether "last" may also stand behind its noun.
    pub last_follows: bool,
    /// The one before the last: "vorletzte", ...
    pub before_last: Words,
    /// ... and behind its noun: "the week before last".
    pub before_last_follows: Words,
    pub ago_before: Words,
    pub ago_after: Words,
    /// Words that make a time of the word behind them.
    pub before_a_time: Words,
    /// Those of them that stand before people as well: "a letter from April".
    pub before_people: Words,
    /// What may stand between such a word and the time.
    pub articles: Words,
    /// Words before a weekday that is no day of its own.
    pub not_before_weekday: Words,
    /// What may stand between day, month and year.
    pub of: Words,
    /// The first, the middle and the last third of what follows.
    pub thirds: [Words; 3],
    pub between: Words,
    pub and: Words,
    pub from: Words,
    pub to: Words,
    pub since: Words,
    pub after: Words,
    pub before: Words,
    pub until: Words,
    /// What stands before the number of a week of a year that is said.
    pub week_number: Words,
    /// Those of them that need no year where a time stands: the weeks of the calendar are counted so.
    pub calendar_week: Words,
    /// Words behind the number of a week that say of what it is a week.
    pub of_a_thing: Words,
    pub quarter: Words,
    /// First to fourth, of quarters.
    pub ordinals: [Words; 4],
    /// Christmas, New Year's Eve, New Year, Halloween, Easter.
    pub feasts: [Words; 5],
}

impl Language {
    /// The lists that a form may begin with, beside numbers in digits.
    pub fn beginnings(&self) -> impl Iterator<Item = Words> {
        let several = [
            &self.months[..],
            &self.weekdays,
            &self.seasons,
            &self.numbers,
            &self.thirds,
            &self.feasts,
            &self.ordinals,
        ];
        let units = self.units.into_iter().flat_map(|(one, many)| [one, many]);
        let days = [self.today, self.yesterday, self.day_before_yesterday, self.other_day, self.weekend];
        let which =
            [self.last, self.before_last, self.past, self.this, self.next, self.few, self.ago_before, self.week_number];
        let ranges = [self.between, self.from, self.since, self.after, self.before, self.until];
        let lists: Vec<Words> =
            several.concat().into_iter().chain(units).chain(days).chain(which).chain(ranges).collect();
        lists.into_iter().filter(|list| !list.is_empty())
    }
}

/// Where the longest phrase of a list ends that begins at a word.
pub fn phrase(words: &[Word], at: usize, list: Words) -> Option<usize> {
    let first = &words.get(at)?.text;
    // Most words are in no list, and this is the fastest way to know it.
    if !list.contains(first.as_str()) {
        return None;
    }
    let end_of = |phrase: &str| {
        let rest = phrase.strip_prefix(first.as_str())?;
        if !rest.is_empty() && !rest.starts_with(' ') {
            return None;
        }
        let mut end = at;
        for word in phrase.split(' ') {
            if words.get(end)?.text != word {
                return None;
            }
            end += 1;
        }
        Some(end)
    };
    list.split('|').filter(|phrase| !phrase.is_empty()).filter_map(end_of).max()
}
