//! The speaker of a text, from its beginning: "Caroline: Hi Mel!".

use std::ops::Range;

use super::elsewhere::Elsewhere;
use super::word_lists::{LABELS, NO_NAMES};
use super::written_words::WrittenWord;
use crate::text::author::{OPENING_CHARACTERS, speaker};
use crate::text::ordinary_words::{is_also_ordinary, is_of_many};

/// The most words of a speaker's name: a text with more is a heading.
const MOST_WORDS: usize = 4;

/// The number of words before the colon that name the speaker; 0 if none do. Each has a capital letter, or there is
/// only one word.
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

/// The place of the speaker's name, if there is one. A word without a capital letter is a name if it has one elsewhere,
/// or before other texts, which `CaseCounts` counts in the same way.
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
