//! Places where capital letters have no meaning: headings in title case, texts in capital letters, languages whose
//! nouns have one.

use super::word_lists::{ENGLISH, GERMAN, NO_NAMES};
use super::written_words::{Joint, WrittenWord};

/// The least length, in bytes, of a word that has a capital letter in title case.
const LONG: usize = 4;
/// The least words of a heading.
const LEAST_WORDS: usize = 2;
/// The share of words inside of sentences with a capital letter, in percent, from which on all nouns of a language have
/// one. English has 5 to 10, German 25 to 35.
const NOUNS_OF_GERMAN: usize = 12;
/// That share if the words do not show which language it is: more than half, as if all words had one, ...
const NOUNS: usize = 50;
/// ... and the least number of words for it.
const ENOUGH_WORDS: usize = 20;

/// For each word, whether its capital letter has no meaning.
pub fn of(text: &str, words: &[WrittenWord]) -> Vec<bool> {
    let mut says_nothing = vec![false; words.len()];
    let mut from = 0;
    while from < words.len() {
        let to = end_of_piece(text, words, from);
        let piece = &words[from..to];
        if is_shouted(piece) || is_in_title_case(text, piece) {
            says_nothing[from..to].fill(true);
        }
        from = to;
    }
    says_nothing
}

/// Whether all nouns of a text have a capital letter, as in German: too many of its words inside of sentences have one.
pub fn has_capital_nouns(words: &[WrittenWord], says_nothing: &[bool]) -> bool {
    let (mut all, mut capital, mut english, mut german) = (0, 0, 0, 0);
    for (word, says_nothing) in words.iter().zip(says_nothing) {
        if word.is_number || word.is_letter || *says_nothing {
            continue;
        }
        english += usize::from(ENGLISH.holds(&word.lower));
        german += usize::from(GERMAN.holds(&word.lower));
        if !word.begins_sentence {
            all += 1;
            capital += usize::from(word.is_capital);
        }
    }
    let is_above = |percent: usize| capital * 100 > all * percent;
    german >= 2 && german > english && is_above(NOUNS_OF_GERMAN) || all >= ENOUGH_WORDS && is_above(NOUNS)
}

/// The end of the line of a word, or of its part before or between signs of Markdown.
fn end_of_piece(text: &str, words: &[WrittenWord], from: usize) -> usize {
    let is_end = |pair: &[WrittenWord]| {
        let gap = &text[pair[0].behind..pair[1].place.start];
        gap.contains(['\n', '*', '|', ':', '.', '!', '?']) && pair[1].begins_sentence
    };
    words[from..].windows(2).position(is_end).map_or(words.len(), |at| from + at + 1)
}

/// Whether most of some words are in capital letters.
fn is_shouted(piece: &[WrittenWord]) -> bool {
    let words = piece.iter().filter(|word| !word.is_letter && !word.is_number);
    let (all, capital) =
        words.fold((0, 0), |(all, capital), word| (all + 1, capital + usize::from(word.is_all_capitals)));
    capital >= 2 && capital * 2 > all
}

/// Whether every long word has a capital letter, and there is another sign of a heading: its place, or capital letters
/// of words that have none elsewhere.
fn is_in_title_case(text: &str, piece: &[WrittenWord]) -> bool {
    let (Some(first), Some(last)) = (piece.first(), piece.last()) else { return false };
    let is_low = |word: &WrittenWord| !word.is_capital && word.lower.len() >= LONG && !word.is_number;
    let capital = piece.iter().filter(|word| word.is_capital && !word.is_letter).count();
    if capital < LEAST_WORDS || piece.iter().any(|word| is_low(word) && word.joint != Joint::Hyphen) {
        return false;
    }
    let before = text[..first.place.start].trim_end_matches(|c: char| c != '\n' && !c.is_alphabetic());
    let begins_line = before.is_empty() || before.ends_with('\n');
    let is_marked = begins_line && !text[before.len()..first.place.start].trim().is_empty();
    let behind = text[last.behind..].trim_start_matches(['*', '_', '"', ' ']);
    let ends_line = behind.is_empty() || behind.starts_with('\n');
    // A text of one line is a sentence.
    let is_one_of_lines = !before.is_empty() || !behind.is_empty();
    let ends_heading = begins_line && behind.starts_with(':') || is_marked && ends_line;
    let is_whole_line = begins_line && ends_line && is_one_of_lines && piece.len() > LEAST_WORDS;
    let odd = piece.iter().skip(1).filter(|word| word.is_capital && !word.is_letter && NO_NAMES.holds(&word.lower));
    ends_heading || is_whole_line || odd.count() >= 2
}
