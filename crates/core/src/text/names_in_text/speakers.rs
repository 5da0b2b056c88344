//! The speaker of a text, where it says so in front: "Caroline: Hi Mel!".

use std::ops::Range;

use super::elsewhere::Elsewhere;
use super::word_lists::{LABELS, NO_NAMES};
use super::written_words::WrittenWord;
use crate::text::author::{OPENING_CHARACTERS, speaker};
use crate::text::ordinary_words::{is_also_ordinary, is_of_many};

/// Words of the longest name of a speaker: what has more is a heading.
const MOST_WORDS: usize = 4;

/// How many words before the colon name the speaker; 0 where none does. Each has a capital letter, or there is one alone.
pub fn words_of_speaker(text: &str, words: &[WrittenWord]) -> usize {
    let Some(name) = place(text) else { return 0 };
    let count = words.iter().take_while(|word| word.place.start < name.end).count();
    let named = &words[..count];
    let is_of_names = named.iter().all(|word| word.is_capital || word.is_letter || count == 1);
    let is_ordinary =
        |word: &str| is_also_ordinary(word) || is_of_many(word) || NO_NAMES.holds(word) || LABELS.holds(word);
    let is_nobody = |word: &WrittenWord| word.is_number || is_ordinary(&word.lower);
    if count == 0 || count > MOST_WORDS || !is_of_names || named.iter().all(is_nobody) { 0 } else { count }
}

/// Where the name of who speaks stands, if somebody does. One without a capital letter is a name where it is written
/// with one elsewhere, or in front of other texts, which `CaseCounts` counts as the same.
pub fn named(text: &str, words: &[WrittenWord], elsewhere: &impl Elsewhere) -> Option<Range<usize>> {
    let count = words_of_speaker(text, words);
    let word = words[..count].first()?;
    let written = elsewhere.written(&word.lower);
    let is_name = word.is_capital && (count > 1 || written.capital > 0 || written.lower == 0);
    (is_name || written.capital > written.lower).then(|| word.place.start..words[count - 1].place.end)
}

fn place(text: &str) -> Option<Range<usize>> {
    let end = text.char_indices().nth(OPENING_CHARACTERS).map_or(text.len(), |(at, _)| at);
    let name = speaker(&text[..end])?;
    let start = text.len() - text.trim_start().len();
    Some(start..start + name.len())
}
