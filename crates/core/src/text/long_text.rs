//! The passages of a long text, each of which has an embedding of its own. One embedding says little of a text about many
//! things, and an encoder reads only the beginning of it.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::bounds_and_defaults::MAX_PASSAGES;
use crate::interrupt::Tick;

/// Texts with more words than this have passages.
const LONG_WORDS: usize = 200;
/// Texts with at most so many bytes have none: a word takes two bytes with the blank behind it, or three without one.
pub const SHORT_BYTES: usize = 2 * LONG_WORDS;
/// The words of a passage: an encoder that reads 256 tokens reads all of them. On conversations whose sessions are one
/// entry each, 40 to 120 words find about equally much (ADR 0066).
const PASSAGE_WORDS: usize = 120;
/// A word with more characters counts as several: the words of scripts without blanks are in one piece, as is data.
const CHARACTERS_OF_A_WORD: usize = 12;
/// Words, blanks and signs between two ticks: less than a millisecond.
const PIECES_A_TICK: usize = 8_192;
/// Characters in a row that are no letters or digits, after which a sentence ends in any case.
const LONGEST_RUN: usize = 64;
/// A last passage with fewer words than this share of a passage belongs to the one before.
const LEAST_SHARE: usize = 4;

/// The passages of a text, in order: whole sentences, or parts of one that is longer than a passage. Empty for a text
/// that is not long.
///
/// Each begins and ends with a character that is not blank; only blank characters are in no passage. The time is
/// proportional to the length, for every text. `tick` checks for a cancel.
pub fn passages(text: &str, tick: Tick<'_>) -> Vec<Range<usize>> {
    if text.len() <= SHORT_BYTES {
        return Vec::new();
    }
    let total = words(text, tick);
    if total <= LONG_WORDS {
        return Vec::new();
    }
    // Two passages in a row have more words together than one may have, so that there are at most MAX_PASSAGES;
    // passages of a longer text have more words.
    let most = PASSAGE_WORDS.max((2 * total).div_ceil(MAX_PASSAGES - 1));
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut current, mut count) = (0..0, 0);
    each_piece(text, most, tick, &mut |piece, more| {
        if count > 0 && count + more > most {
            found.push(current.clone());
            (current, count) = (piece.start..piece.start, 0);
        }
        current.end = piece.end;
        count += more;
    });
    match found.last_mut() {
        Some(last) if count * LEAST_SHARE < most => last.end = current.end,
        _ => found.push(current),
    }
    found.into_iter().map(|range| trimmed(text, range)).filter(|range| !range.is_empty()).collect()
}

/// Calls `each` with the sentences of a text, one after the other, and their words; with parts of sentences that have more
/// than `most` words.
fn each_piece(text: &str, most: usize, tick: Tick<'_>, each: &mut impl FnMut(Range<usize>, usize)) {
    for block in blocks(text) {
        for (at, sentence) in text[block.clone()].split_sentence_bound_indices() {
            let start = block.start + at;
            let total = words(sentence, tick);
            if total <= most {
                each(start..start + sentence.len(), total);
                continue;
            }
            let (mut from, mut count) = (start, 0);
            for (at, part) in sentence.split_word_bound_indices() {
                for (at, part) in short_parts(start + at, part, most) {
                    let more = weight(part);
                    if count > 0 && count + more > most {
                        tick();
                        each(from..at, count);
                        (from, count) = (at, 0);
                    }
                    count += more;
                }
            }
            each(from..start + sentence.len(), count);
        }
    }
}

/// The text in parts that each end after a long run of characters that are no letters or digits, or at its end. Where a
/// sentence may end, the search for its end looks at all such characters that follow, and does so again at each of them.
fn blocks(text: &str) -> impl Iterator<Item = Range<usize>> {
    let (mut characters, mut start) = (text.char_indices(), 0);
    std::iter::from_fn(move || {
        let from = start;
        let mut run = 0;
        for (at, character) in characters.by_ref() {
            run = if character.is_alphanumeric() { 0 } else { run + 1 };
            if run == LONGEST_RUN {
                start = at + character.len_utf8();
                return Some(from..start);
            }
        }
        start = text.len();
        (from < start).then_some(from..start)
    })
}

/// A word, or the parts of one that alone counts as more than a passage.
fn short_parts(start: usize, word: &str, most: usize) -> Vec<(usize, &str)> {
    if weight(word) <= most {
        return vec![(start, word)];
    }
    let characters = most * CHARACTERS_OF_A_WORD / 2;
    let mut cuts: Vec<usize> = word.grapheme_indices(true).step_by(characters.max(1)).map(|(at, _)| at).collect();
    cuts.push(word.len());
    cuts.windows(2).map(|cut| (start + cut[0], &word[cut[0]..cut[1]])).collect()
}

fn words(text: &str, tick: Tick<'_>) -> usize {
    let mut total = 0;
    for (number, piece) in text.split_word_bounds().enumerate() {
        if number.is_multiple_of(PIECES_A_TICK) {
            tick();
        }
        total += weight(piece);
    }
    total
}

/// The number of words that a piece between two word boundaries counts as: blanks and punctuation are none.
fn weight(piece: &str) -> usize {
    if piece.chars().any(char::is_alphanumeric) { 1 + piece.chars().count() / CHARACTERS_OF_A_WORD } else { 0 }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text[range.clone()].trim_start();
    let start = range.end - part.len();
    start..start + part.trim_end().len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        passages(text, &|| ()).into_iter().map(|range| &text[range]).collect()
    }

    fn sentences(count: usize, words: usize) -> String {
        (0..count).map(|number| format!("S{number} {}. ", vec!["word"; words - 1].join(" "))).collect()
    }

    #[test]
    fn a_text_of_200_words_has_no_passages() {
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts(&sentences(20, 10)), [""; 0]);
        assert!(!texts(&(sentences(20, 10) + "More.")).is_empty());
    }

    #[test]
    fn passages_are_whole_sentences_of_at_most_120_words() {
        let text = sentences(25, 10);
        let found = texts(&text);
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("S0 ") && found[0].ends_with("word."));
        assert!(found[1].starts_with("S12 "), "the last ten words belong to the passage before: {}", found[1]);
    }

    #[test]
    fn a_sentence_without_end_is_cut_between_words() {
        let text = vec!["word"; 300].join(" ");
        let found = texts(&text);
        assert_eq!(found.iter().map(|passage| passage.split(' ').count()).collect::<Vec<_>>(), [120, 120, 60]);
    }

    #[test]
    fn ideographs_count_as_words_and_data_without_blanks_is_cut() {
        assert_eq!(texts(&"我们去年春天在山里租了一间小木屋。".repeat(20)).len(), 3);
        let data = "0123456789abcdef".repeat(1_000);
        assert!(texts(&data).len() > 5);
    }

    #[test]
    fn a_full_stop_before_blanks_without_end_takes_no_longer_than_other_text() {
        for filler in [" ", ")", "\u{301}", "\u{ad}", "🇩🇪", "'"] {
            let text = format!("x.{}{}", filler.repeat(200_000), " word".repeat(300));
            assert!(texts(&text).len() > 1, "{filler:?}");
        }
    }

    #[test]
    fn a_text_of_any_length_has_at_most_256_passages() {
        let text = sentences(40_000, 7);
        let found = texts(&text);
        assert!((100..=MAX_PASSAGES).contains(&found.len()), "{}", found.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn passages_hold_everything_but_blanks_in_order(
            parts in proptest::collection::vec("[a-z]{1,9}|[a-z]{30,200}|[ ]{1,3}|[.!?] |, |\n|字{1,30}|e\u{301}|👩‍👧|[.-]{1,30}", 0..300),
        ) {
            let text = parts.concat();
            let (found, total) = (passages(&text, &|| ()), words(&text, &|| ()));
            prop_assert!(found.len() <= MAX_PASSAGES);
            if found.is_empty() {
                prop_assert!(total <= LONG_WORDS);
            } else {
                let mut end = 0;
                for range in found {
                    prop_assert!(text[end..range.start].trim().is_empty() && range.start < range.end);
                    let passage = &text[range.clone()];
                    prop_assert_eq!(passage.trim(), passage);
                    prop_assert!(words(passage, &|| ()) <= 2 * PASSAGE_WORDS.max((2 * total).div_ceil(MAX_PASSAGES - 1)));
                    end = range.end;
                }
                prop_assert!(text[end..].trim().is_empty());
            }
        }
    }
}
