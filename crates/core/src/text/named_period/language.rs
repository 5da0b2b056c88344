//! The words of a language about time, as in its table.

use super::words::Word;

/// Words in a table are separated by `|`; a phrase is several words in a row.
pub type Words = &'static str;

/// The words of a language about time.
pub struct Language {
    /// Words that show that a text is in this language; none of them is a word of English. English has none, because it
    /// is always tried.
    pub own: Words,
    /// From January on.
    pub months: [Words; 12],
    /// From Monday on.
    pub weekdays: [Words; 7],
    /// Spring, summer, autumn and winter.
    pub seasons: [Words; 4],
    /// Months, weekdays and seasons, and words before the number of a week, that are always a time; the others only
    /// beside a number or a word of `before_a_time`.
    pub plain: Words,
    /// Months that are also a time after an article: people with such names have none.
    pub behind_article: Words,
    /// From one on, with the articles that mean one.
    pub numbers: [Words; 12],
    /// "Some", for a number that is not given.
    pub few: Words,
    /// Words before a number that is only a part: "twenty-one", "half a year".
    pub part_of_more: Words,
    /// Day, week, month and year, in singular and plural.
    pub units: [(Words, Words); 4],
    pub weekend: Words,
    pub today: Words,
    pub yesterday: Words,
    pub day_before_yesterday: Words,
    /// A day not long ago.
    pub other_day: Words,
    pub last: Words,
    /// Like `last`, for periods that end today as well.
    pub past: Words,
    pub this: Words,
    pub next: Words,
    /// Whether "last" may also come after its noun.
    pub last_follows: bool,
    /// The one before the last: "vorletzte", ...
    pub before_last: Words,
    /// ... and after its noun: "the week before last".
    pub before_last_follows: Words,
    pub ago_before: Words,
    pub ago_after: Words,
    /// Words that show that the next word is a time.
    pub before_a_time: Words,
    /// Words of these that may also come before people: "a letter from April".
    pub before_people: Words,
    /// Words that may be between such a word and the time.
    pub articles: Words,
    /// Words before a weekday that is no separate day.
    pub not_before_weekday: Words,
    /// Words that may be between day, month and year.
    pub of: Words,
    /// The first, the middle and the last third of the following period.
    pub thirds: [Words; 3],
    pub between: Words,
    pub and: Words,
    pub from: Words,
    pub to: Words,
    pub since: Words,
    pub after: Words,
    pub before: Words,
    pub until: Words,
    /// Words before the number of a week of a given year.
    pub week_number: Words,
    /// Words of these that need no year if a time must be here: the calendar counts weeks in this way.
    pub calendar_week: Words,
    /// Words after the number of a week that name another thing counted in weeks.
    pub of_a_thing: Words,
    pub quarter: Words,
    /// First to fourth, for quarters.
    pub ordinals: [Words; 4],
    /// Christmas, New Year's Eve, New Year, Halloween, Easter.
    pub feasts: [Words; 5],
}

impl Language {
    /// The lists with which a form may begin, beside numbers in digits.
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

/// The end of the longest phrase of a list that begins at a word.
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
