//! The words of a question, with numbers and dates whole.

use std::ops::Range;

use jiff::civil::Date;

/// A word in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    /// Whether it begins with a capital letter.
    pub is_capital: bool,
    /// Whether a dash comes before it, as in "3-9" and "2021 – 2023".
    pub is_after_dash: bool,
    /// Whether it is written with an apostrophe for its century, as in "May '21".
    pub is_short_year: bool,
    /// The place in the text, in bytes.
    pub place: Range<usize>,
}

/// Characters of a number or a name that is no part of a date: a price, a version, an issue.
const INSIDE_WORDS: [char; 12] = ['-', '–', '.', '/', '$', '€', '£', '#', '+', '_', '@', ':'];
const DASHES: [char; 2] = ['-', '–'];
/// The signs for the century before a short year, from typewriters and editors.
const APOSTROPHES: [char; 4] = ['\'', '’', '‘', '´'];

/// The words of a text. Words end at dashes, unless digits make them something else: a phone number, a model.
pub fn words(text: &str, is_time: impl Fn(&str) -> bool) -> Vec<Word> {
    let is_inside = |character: char| character.is_alphanumeric() || INSIDE_WORDS.contains(&character);
    let mut found = Vec::new();
    let mut is_after_dash = false;
    for part in text.split(|character: char| !is_inside(character)).filter(|part| !part.is_empty()) {
        let inner = part.trim_end_matches(['.', '/', ':', '-', '–']);
        is_after_dash |= part.starts_with(DASHES);
        for piece in parts_at_colons(inner.trim_start_matches(DASHES)).flat_map(|part| pieces(part, &is_time)) {
            let is_capital = piece.chars().next().is_some_and(char::is_uppercase);
            // A piece is a part of the text, so that the distance is that within it.
            let begin = piece.as_ptr() as usize - text.as_ptr() as usize;
            let year = short_year(piece).filter(|_| is_behind_apostrophe(text, begin));
            found.push(Word {
                text: year.map_or_else(|| piece.to_lowercase(), |year| year.to_string()),
                is_capital,
                is_after_dash,
                is_short_year: year.is_some(),
                place: begin..begin + piece.len(),
            });
            is_after_dash = true;
        }
        is_after_dash = part.ends_with(DASHES);
    }
    found
}

/// Whether an apostrophe belongs to the word before a byte, as in "5'11".
fn is_behind_apostrophe(text: &str, at: usize) -> bool {
    text[..at].strip_suffix(APOSTROPHES).is_some_and(|before| !before.ends_with(char::is_alphanumeric))
}

/// A clock keeps its colons, "note:2023" does not.
fn parts_at_colons(part: &str) -> impl Iterator<Item = &str> {
    let is_clock = part.starts_with(|character: char| character.is_ascii_digit());
    part.split(move |character| character == ':' && !is_clock).filter(|part| !part.is_empty())
}

/// The parts between dashes; the whole if it is no range and no date in words.
fn pieces<'a>(part: &'a str, is_time: &impl Fn(&str) -> bool) -> Vec<&'a str> {
    if let Some(date) = iso_date(part) {
        return vec![date];
    }
    let pieces: Vec<&str> = part.split(DASHES).filter(|piece| !piece.is_empty()).collect();
    let has_digits = |piece: &str| piece.contains(|character: char| character.is_ascii_digit());
    let is_parted = if !pieces.iter().any(|piece| has_digits(piece)) {
        true
    } else if let [first, last] = pieces[..] {
        let (is_first_time, is_last_time) = (is_time(&first.to_lowercase()), is_time(&last.to_lowercase()));
        is_range(first, last) || is_first_time && is_number(last) || is_number(first) && is_last_time
    } else {
        let [day, month, year] = pieces[..] else { return vec![part] };
        day_number(day).is_some() && is_time(&month.to_lowercase()) && year_number(year).is_some()
    };
    if is_parted { pieces } else { vec![part] }
}

fn is_number(piece: &str) -> bool {
    day_number(piece).is_some() || year_number(piece).is_some()
}

/// Two days, two years or two dates.
fn is_range(first: &str, last: &str) -> bool {
    let is_date = |piece: &str| piece.contains(['.', '/']) && piece.starts_with(|first: char| first.is_ascii_digit());
    let is_short_year = || year_number(first).is_some() && last.parse::<i8>().is_ok_and(|year| year > 12);
    day_number(first).is_some() && day_number(last).is_some()
        || year_number(first).is_some() && year_number(last).is_some()
        || is_date(first) && is_date(last)
        || is_short_year()
}

/// An ISO date, or the date of an instant.
fn iso_date(part: &str) -> Option<&str> {
    let date = part.get(..10).filter(|date| date.parse::<Date>().is_ok())?;
    (part.len() == 10 || part[10..].starts_with(['T', 't'])).then_some(date)
}

/// A year, of four digits.
pub fn year_number(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| word.len() == 4 && (1900..2100).contains(year))
}

/// A number of one digit or two.
pub fn small(digits: &str) -> Option<i8> {
    digits.parse().ok().filter(|_| digits.len() <= 2 && !digits.starts_with(['+', '-']))
}

/// A year by its last two digits.
pub fn short_year(digits: &str) -> Option<i16> {
    small(digits).filter(|_| digits.len() == 2).map(|year| if year < 70 { 2000 } else { 1900 } + i16::from(year))
}

/// Words after a number that name its unit, and words before one that name the thing: a currency, a place, a thing with
/// a number.
const AFTER_AN_AMOUNT: [&str; 20] = [
    "€", "$", "£", "euro", "euros", "eur", "dollar", "dollars", "usd", "pound", "pounds", "gbp", "francs", "franken",
    "chf", "steps", "calories", "kcal", "km", "kg",
];
const BEFORE_A_NUMBER: [&str; 18] = [
    "€", "$", "£", "eur", "usd", "gbp", "chf", "http", "rfc", "iso", "room", "number", "nr", "zip", "box", "port",
    "windows", "office",
];

/// Whether a number belongs to an amount, to a thing, or to a run of numbers like a telephone number: then it is no
/// year.
pub fn is_amount(words: &[Word], at: usize) -> bool {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let before = |at: usize| at.checked_sub(1).map_or("", text);
    if AFTER_AN_AMOUNT.contains(&text(at + 1)) || BEFORE_A_NUMBER.contains(&before(at)) {
        return true;
    }
    let is_digits = |text: &str| {
        let digits = text.strip_prefix('+').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_of_telephone =
        |text: &str| is_digits(text) && (text.len() > 2 || text.starts_with('0')) && year_number(text).is_none();
    let behind = (at + 1..words.len()).map(text).take_while(|text| is_digits(text));
    let in_front = (0..at).rev().map(text).take_while(|text| is_digits(text));
    behind.take(LONGEST_TELEPHONE).chain(in_front.take(LONGEST_TELEPHONE)).any(is_of_telephone)
}

/// Runs of digits in a telephone number.
const LONGEST_TELEPHONE: usize = 6;

/// A day of a month, as "7", "7th", "1er", "1º".
pub fn day_number(word: &str) -> Option<i8> {
    const ENDINGS: [&str; 8] = ["st", "nd", "rd", "th", "er", "º", "°", "ste"];
    let digits = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    let is_short = digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|day| is_short && (1..=31).contains(day))
}
