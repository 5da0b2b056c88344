//! Runs of words with capital letters: "Sarah Miller", "University of Lisbon", "J. R. Tolkien".

use std::ops::Range;

use super::elsewhere::Elsewhere;
use super::judgement::Judgement;
use super::word_lists::{GERMAN, JOINING, NO_NAMES, SUFFIXES};
use super::written_words::{Joint, WrittenWord, is_abbreviation};

/// Particles between two parts of a name: "of the", "de la".
const MOST_PARTICLES: usize = 2;
/// The most digits of the number after a name ("Windows 11"); a year has more.
const MOST_DIGITS: usize = 3;
/// The most digits and dots of the version after one ("Ubuntu 24.04").
const LONGEST_VERSION: usize = 8;
/// Names that end in `'s` without being possessors: without it, they are another name, or none.
const OF_POSSESSORS: &str = "\
    applebee's arby's bloomingdale's carl's chili's christie's denny's domino's hershey's kellogg's kohl's levi's \
    lowe's macy's mcdonald's moody's papa john's reese's sainsbury's sotheby's wendy's";

/// The places of names, in bytes. `is_taken`: for each word, whether something else was found there.
pub fn runs(
    text: &str,
    judgement: &Judgement<'_, impl Elsewhere>,
    is_taken: &[bool],
    has_capital_nouns: bool,
) -> Vec<Range<usize>> {
    let words = judgement.words;
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if is_taken[at] || !judgement.begins_name(at) {
            at += 1;
            continue;
        }
        let last = end_of_run(judgement, is_taken, has_capital_nouns, at);
        // If every noun has a capital letter, a single one has no meaning.
        let is_alone = last == at;
        if !(is_alone && has_capital_nouns
            || judgement.is_cut_off(last)
            || is_abbreviation(text, words, at)
            || lacks_beginning(words, text, at))
        {
            let first = if is_behind_ordinal(words, at) { at - 1 } else { at };
            found.push(words[first].place.start..end_of_name(judgement, text, last));
        }
        at = last + 1;
    }
    found
}

/// The last word of the name that begins at `first`.
fn end_of_run(
    judgement: &Judgement<'_, impl Elsewhere>,
    is_taken: &[bool],
    has_capital_nouns: bool,
    first: usize,
) -> usize {
    let words = judgement.words;
    let mut last = first;
    loop {
        let next = last + 1;
        let Some(word) = words.get(next).filter(|_| !is_taken[next]) else { return last };
        if word.joint == Joint::Hyphen {
            // "Saint-Ouen", "Spider-man", and not "Boston-based".
            if words[last].is_possessor
                || !word.is_capital && SUFFIXES.holds(&word.lower)
                || word.is_number && !is_short_number(word)
            {
                return last;
            }
            last = next;
            continue;
        }
        if words[last].is_possessor && (judgement.stands_alone(last) || words[last].is_all_capitals || last > first) {
            return last;
        }
        match word.joint {
            Joint::Blank | Joint::Initial if judgement.continues_name(next) && !is_new_name(words, last, next) => {
                last = next;
            }
            Joint::Blank if is_number_of_name(words, next) => return next,
            // "Formula 1 Grand Prix"
            Joint::Blank if is_short_number(word) && is_joined(judgement, is_taken, next + 1) => last = next + 1,
            Joint::Blank => match behind_particles(judgement, is_taken, has_capital_nouns, next) {
                Some(behind) => last = behind,
                None => return last,
            },
            _ => return last,
        }
    }
}

/// Whether a word begins a new name after another one, because a sentence ends between them.
fn is_new_name(words: &[WrittenWord], last: usize, next: usize) -> bool {
    words[next].begins_sentence && words[next].joint != Joint::Initial || words[last].is_contraction
}

/// The part of a name after one or two particles: the "Lisbon" of "University of Lisbon". If every noun has a capital
/// letter, German particles join nouns that are no names: "der Garten von Anna".
fn behind_particles(
    judgement: &Judgement<'_, impl Elsewhere>,
    is_taken: &[bool],
    has_capital_nouns: bool,
    at: usize,
) -> Option<usize> {
    let words = judgement.words;
    let is_particle = |word: &&WrittenWord| {
        let joins = JOINING.holds(&word.lower) || word.lower == "the";
        let is_german = has_capital_nouns && GERMAN.holds(&word.lower);
        word.joint == Joint::Blank && !word.is_capital && joins && !is_german
    };
    let particles = words[at..].iter().take(MOST_PARTICLES).take_while(is_particle).count();
    let behind = at + particles;
    let is_joined = particles > 0 && words[at].lower != "the";
    let word = words.get(behind).filter(|word| is_joined && word.joint == Joint::Blank && !is_taken[behind])?;
    (judgement.continues_name(behind) && !word.is_letter).then_some(behind)
}

/// Whether an ordinal number belongs to a name: "5th Avenue".
fn is_behind_ordinal(words: &[WrittenWord], at: usize) -> bool {
    let is_ordinal = |word: &WrittenWord| {
        let ending = word.lower.trim_start_matches(|c: char| c.is_ascii_digit());
        ending.len() < word.lower.len() && matches!(ending, "st" | "nd" | "rd" | "th")
    };
    words[at].joint == Joint::Blank && at.checked_sub(1).is_some_and(|before| is_ordinal(&words[before]))
}

fn is_short_number(word: &WrittenWord) -> bool {
    word.is_number
        && word.place.len() <= if word.lower.len() < word.place.len() { LONGEST_VERSION } else { MOST_DIGITS }
}

/// Whether a word continues the name before it, after blanks only.
fn is_joined(judgement: &Judgement<'_, impl Elsewhere>, is_taken: &[bool], at: usize) -> bool {
    let is_behind_blank = |word: &WrittenWord| word.joint == Joint::Blank && !word.begins_sentence && !word.is_letter;
    judgement.words.get(at).is_some_and(is_behind_blank) && !is_taken[at] && judgement.continues_name(at)
}

/// Whether a number belongs to the name before it ("FIFA 23"), and not to the next word ("Boston 3 times").
fn is_number_of_name(words: &[WrittenWord], at: usize) -> bool {
    let is_short = is_short_number(&words[at]);
    let counts =
        |next: &WrittenWord| next.joint == Joint::Hyphen || next.joint == Joint::Blank && !NO_NAMES.holds(&next.lower);
    is_short && !words.get(at + 1).is_some_and(counts)
}

/// Whether a name lacks its beginning, which is an ordinary word in emphasis or after a colon: the "Electric" of
/// "**General Electric**".
fn lacks_beginning(words: &[WrittenWord], text: &str, first: usize) -> bool {
    let Some(before) = first.checked_sub(1).map(|before| &words[before]) else { return false };
    let opening = text[..before.place.start].trim_end_matches(' ');
    let is_emphasized = opening.ends_with(['*', '"', '\u{201c}', ':']);
    let is_joined = words[first].joint == Joint::Blank && before.begins_sentence && !NO_NAMES.holds(&before.lower);
    is_joined && before.is_capital && is_emphasized
}

/// The end of the name whose last word is given: "Nina's" is Nina, "McDonald's" is that, "LGBTQ+" has its plus.
fn end_of_name(judgement: &Judgement<'_, impl Elsewhere>, text: &str, last: usize) -> usize {
    let word = &judgement.words[last];
    let is_called_so = || {
        let called = format!("{}'s", word.lower);
        OF_POSSESSORS.split_whitespace().any(|name| name == called)
    };
    if word.is_possessor && (judgement.is_always_possessor(last) || is_called_so() && !judgement.stands_alone(last)) {
        return word.behind;
    }
    let rest = &text[word.place.end..];
    let has_plus =
        rest.strip_prefix('+').is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '+'));
    word.place.end + usize::from(has_plus)
}
