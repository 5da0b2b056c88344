//! The passages of a long text that fit a query best: the passages with the most of its words, cut between words and,
//! if a boundary is near, between sentences.

use unicode_segmentation::UnicodeSegmentation;

use super::hit::{Hit, is_between_graphemes};

/// The characters after a passage that are read to find the end of its last word.
const LONGEST_SEEN: usize = 50;

/// A part of a text, from its first byte to the byte after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Passage {
    pub from: usize,
    pub to: usize,
}

/// The best passages of a text, at most `count` of at most `most` characters each, in the order of the text. Each has
/// as many different words of the query as possible, without those of passages chosen before, and among such passages
/// the most words; without any word it is the beginning.
///
/// If the part of a long text is known whose meaning is nearest to the query's, the first one is from there, unless
/// another has more different words of the query.
pub fn passages(text: &str, hits: &[Hit], most: usize, count: usize, nearest: Option<Passage>) -> Vec<Passage> {
    let whole = trimmed(text, 0, text.len());
    if whole.from == whole.to || after(text, whole.from, most, whole.to) == whole.to {
        return vec![whole];
    }
    let mut chosen: Vec<Passage> = Vec::new();
    let mut seen = Vec::new();
    if let Some(nearest) = nearest.map(|nearest| trimmed(text, nearest.from, nearest.to)) {
        let new_words = |window: Option<Window>| window.map_or(0, |window| window.new_words);
        let window = best_window(text, hits_of(hits, nearest), most, &seen);
        if new_words(window) >= new_words(best_window(text, hits, most, &seen)) {
            let core = window.map_or(Passage { from: nearest.from, to: nearest.from }, |window| window.passage);
            let passage = around(text, hits, core, nearest, most);
            seen.extend(hits_of(hits, passage).iter().map(|hit| hit.word));
            chosen.push(passage);
        }
    }
    while chosen.len() < count {
        let gaps = gaps(text, whole, &chosen);
        let best = gaps
            .iter()
            .filter_map(|gap| Some((*gap, best_window(text, hits_of(hits, *gap), most, &seen)?)))
            // The first of equal ones.
            .rev()
            .max_by_key(|(_, window)| window.rank());
        let Some((gap, window)) = best else { break };
        let passage = around(text, hits, window.passage, gap, most);
        seen.extend(hits_of(hits, passage).iter().map(|hit| hit.word));
        chosen.push(passage);
        chosen.sort_by_key(|passage| passage.from);
    }
    if chosen.is_empty() {
        let start = Passage { from: whole.from, to: whole.from };
        chosen.push(around(text, hits, start, whole, most));
    }
    chosen
}

/// The hits within a passage.
pub fn hits_of(hits: &[Hit], within: Passage) -> &[Hit] {
    let from = hits.partition_point(|hit| hit.from < within.from);
    let to = hits.partition_point(|hit| hit.to <= within.to);
    hits.get(from..to).unwrap_or_default()
}

/// No passage was chosen yet.
fn gaps(text: &str, whole: Passage, chosen: &[Passage]) -> Vec<Passage> {
    let starts = std::iter::once(whole.from).chain(chosen.iter().map(|passage| passage.to));
    let ends = chosen.iter().map(|passage| passage.from).chain([whole.to]);
    starts.zip(ends).map(|(from, to)| trimmed(text, from, to)).filter(|gap| gap.from < gap.to).collect()
}

fn trimmed(text: &str, from: usize, to: usize) -> Passage {
    let part = text[from..to].trim_start();
    let from = to - part.len();
    Passage { from, to: from + part.trim_end().len() }
}

/// The place this many characters after another, at most `end`.
fn after(text: &str, from: usize, characters: usize, end: usize) -> usize {
    text[from..end].char_indices().nth(characters).map_or(end, |(at, _)| from + at)
}

/// The place this many characters before another, at least `start`.
fn before(text: &str, to: usize, characters: usize, start: usize) -> usize {
    match characters {
        0 => to,
        _ => text[start..to].char_indices().rev().nth(characters - 1).map_or(start, |(at, _)| start + at),
    }
}

/// From the first to the last of some hits.
#[derive(Debug, Clone, Copy)]
struct Window {
    passage: Passage,
    new_words: usize,
    hits: usize,
}

impl Window {
    fn rank(&self) -> (usize, usize) {
        (self.new_words, self.hits)
    }
}

/// The hits within this many characters with the most new words; `None` if there are none.
fn best_window(text: &str, hits: &[Hit], most: usize, seen: &[u16]) -> Option<Window> {
    let mut counts = vec![0_usize; hits.iter().map(|hit| usize::from(hit.word) + 1).max()?];
    let (mut new_words, mut best): (usize, Option<Window>) = (0, None);
    // Characters from the first hit of the window to where the next one begins.
    let (mut last, mut length) = (0, 0);
    for first in 0..hits.len() {
        if first > 0 {
            let (gone, now) = (hits[first - 1], hits[first]);
            if last >= first {
                length -= text[gone.from..now.from].chars().count();
                let count = &mut counts[usize::from(gone.word)];
                *count -= 1;
                new_words -= usize::from(*count == 0 && !seen.contains(&gone.word));
            }
        }
        if last < first {
            (last, length) = (first, 0);
        }
        while let Some(hit) = hits.get(last) {
            let own = text[hit.from..hit.to].chars().count();
            if length + own > most {
                break;
            }
            let count = &mut counts[usize::from(hit.word)];
            *count += 1;
            new_words += usize::from(*count == 1 && !seen.contains(&hit.word));
            let next = hits.get(last + 1).map_or(hit.to, |next| next.from);
            length += text[hit.from..next].chars().count();
            last += 1;
        }
        let window = match last > first {
            true => Window {
                passage: Passage { from: hits[first].from, to: hits[last - 1].to },
                new_words,
                hits: last - first,
            },
            false => continue,
        };
        if best.is_none_or(|best| window.rank() > best.rank()) {
            best = Some(window);
        }
    }
    best
}

/// A passage around a core, within a part of the text.
fn around(text: &str, hits: &[Hit], core: Passage, within: Passage, most: usize) -> Passage {
    let slack = most.saturating_sub(text[core.from..core.to].chars().count());
    let starts = starts(text, hits, core.from, before(text, core.from, slack, within.from), within.from);
    let is_sentence = |start: &&usize| is_sentence_start(text, **start);
    // The sentence that it is in; else a few words before it.
    let from = starts.iter().find(is_sentence).copied().unwrap_or_else(|| {
        let near = before(text, core.from, slack / 2, within.from);
        starts.iter().copied().rfind(|start| *start >= near).unwrap_or(core.from)
    });
    let limit = after(text, from, most, within.to);
    let worth = before(text, limit, most / 2, core.to);
    let to = end(text, hits, core.to, core.from < core.to, limit, within.to, worth);
    // At the end of the text, the unused length is used for words before the passage.
    let left = most.saturating_sub(text[from..to].chars().count());
    let furthest = before(text, from, left, within.from);
    let from = match to == within.to && from > within.from {
        true => {
            let earlier: Vec<usize> = starts.iter().copied().filter(|start| (furthest..from).contains(start)).collect();
            let words = earlier.last().filter(|_| !is_sentence(&&from));
            earlier.iter().rev().find(is_sentence).or(words).copied().unwrap_or(from)
        }
        false => from,
    };
    trimmed(text, from, to)
}

/// The possible beginnings of a passage that holds `to`, from there back to `from`: at words.
fn starts(text: &str, hits: &[Hit], to: usize, from: usize, first: usize) -> Vec<usize> {
    let words = text[from..to].split_word_bound_indices();
    let mut starts: Vec<usize> = words
        .filter(|(at, word)| (*at > 0 || from == first) && word.contains(char::is_alphanumeric))
        .map(|(at, _)| from + at)
        .filter(|at| may_be_cut(text, hits, *at))
        .collect();
    starts.push(to);
    starts.reverse();
    starts
}

/// The end of a passage that holds `from` and may reach to `limit`: after a sentence at or after `worth`, or else after
/// the last word, or the core that ends at `from`.
fn end(text: &str, hits: &[Hit], from: usize, has_core: bool, limit: usize, last: usize, worth: usize) -> usize {
    if limit == last {
        return last;
    }
    // The last one may go on behind the limit.
    let words = text[from..after(text, limit, LONGEST_SEEN, last)].split_word_bound_indices();
    let ends: Vec<usize> = words
        .filter(|(_, word)| !word.trim().is_empty())
        .map(|(at, word)| from + at + word.len())
        .filter(|at| *at <= limit && may_be_cut(text, hits, *at))
        .collect();
    let sentence = ends.iter().rev().find(|end| **end >= worth && is_sentence_end(text, **end));
    if let Some(end) = sentence.or(ends.last()) {
        return *end;
    }
    if has_core {
        return from;
    }
    // One word that is longer than the passage.
    let mut cut = limit;
    while cut > from && !is_between_graphemes(text, cut) {
        cut -= 1;
    }
    cut
}

/// Whether no character as people see it, and no word of the query, is cut there.
fn may_be_cut(text: &str, hits: &[Hit], at: usize) -> bool {
    let next = hits.partition_point(|hit| hit.to <= at);
    hits.get(next).is_none_or(|hit| hit.from >= at) && is_between_graphemes(text, at)
}

fn ends_a_sentence(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '؟')
}

fn is_sentence_start(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end();
    let between = &text[before.len()..at];
    let last = before.chars().rev().find(|last| !matches!(last, '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '」'));
    let is_ended = last.is_none_or(ends_a_sentence);
    between.contains(['\n', '\r', '\u{2029}'])
        || before.is_empty()
        || (is_ended && (!between.is_empty() || last.is_some_and(|last| !last.is_ascii())))
}

fn is_sentence_end(text: &str, at: usize) -> bool {
    at == text.len() || is_sentence_start(text, at + text[at..].len() - text[at..].trim_start().len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::hit::tests::in_text;
    use super::*;

    fn hits(text: &str) -> Vec<Hit> {
        in_text(text, &["kite", "tea", "sea"])
    }

    fn best(text: &str, most: usize, count: usize) -> Vec<&str> {
        best_near(text, most, count, None)
    }

    fn best_near<'a>(text: &'a str, most: usize, count: usize, near: Option<&str>) -> Vec<&'a str> {
        let near = near.map(|near| (text.find(near).unwrap(), near.len()));
        let near = near.map(|(from, length)| Passage { from, to: from + length });
        let found = passages(text, &hits(text), most, count, near);
        found.into_iter().map(|passage| &text[passage.from..passage.to]).collect()
    }

    const STORY: &str = "It rained all day. We stayed in and read. At last the sun came out! Then we flew a kite by the sea. \
                         Nobody was there. In the evening there was tea.";

    #[test]
    fn a_short_text_is_its_own_passage() {
        assert_eq!(best("  a kite \n", 300, 1), ["a kite"]);
        assert_eq!(best("", 300, 3), [""]);
    }

    #[test]
    fn a_passage_is_a_sentence_where_one_fits() {
        assert_eq!(best(STORY, 40, 1), ["Then we flew a kite by the sea."]);
        assert_eq!(best(STORY, 60, 1), ["Then we flew a kite by the sea. Nobody was there."]);
    }

    #[test]
    fn what_says_nothing_begins_at_the_beginning() {
        assert_eq!(best("It rained all day. We stayed in and read.", 20, 1), ["It rained all day."]);
        assert_eq!(best("one two three four", 10, 2), ["one two"]);
    }

    #[test]
    fn several_passages_have_words_that_the_first_lacks() {
        assert_eq!(best(STORY, 40, 2), ["Then we flew a kite by the sea.", "In the evening there was tea."]);
        assert_eq!(best(STORY, 40, 9).len(), 2);
    }

    #[test]
    fn the_nearest_part_comes_first_unless_another_has_more_words() {
        let near = "It rained all day. We stayed in and read.";
        assert_eq!(best_near(STORY, 40, 1, Some(near)), ["Then we flew a kite by the sea."]);
        let near = "Nobody was there. In the evening there was tea.";
        assert_eq!(best_near("A sea. Two seas. No more than that.", 9, 1, Some("No more than that.")), ["A sea."]);
        assert_eq!(
            best_near(&STORY.replace("kite by the sea", "kite"), 40, 1, Some(near)),
            ["In the evening there was tea."]
        );
        let without = "It rained all day. We stayed in and read. At last the sun came out! Then it was late.";
        assert_eq!(best_near(without, 30, 1, Some("At last the sun came out!")), ["At last the sun came out!"]);
    }

    #[test]
    fn flags_without_end_take_no_longer_than_other_text() {
        let text = "🇩🇪".repeat(40_000) + " kite " + &"🇩🇪".repeat(40_000);
        let passage = best(&text, 10_000, 1)[0];
        assert!(passage.contains("kite") && passage.chars().count() <= 10_000);
    }

    #[test]
    fn a_word_longer_than_a_passage_is_cut_between_graphemes() {
        assert_eq!(best(&"e\u{301}".repeat(30), 21, 1), ["e\u{301}".repeat(10)]);
        assert_eq!(best("字字字字字字字字", 5, 1), ["字字字字字"]);
    }

    /// The most different words, and the most hits with as many, of hits within this many characters: all pairs.
    fn naive(text: &str, hits: &[Hit], most: usize) -> (usize, usize) {
        let mut best = (0, 0);
        for first in 0..hits.len() {
            for last in first..hits.len() {
                if text[hits[first].from..hits[last].to].chars().count() <= most {
                    best = best.max(value(&hits[first..=last]));
                }
            }
        }
        best
    }

    fn value(hits: &[Hit]) -> (usize, usize) {
        let words: std::collections::BTreeSet<u16> = hits.iter().map(|hit| hit.word).collect();
        (words.len(), hits.len())
    }

    proptest! {
        #[test]
        fn no_passage_of_its_length_says_more_and_none_cuts_a_word_of_the_query(
            text in proptest::collection::vec("kites?|tea|sea|[a-e]{1,9}|[ ]{1,3}|[.!?] |, |\n|字|e\u{301}|🇩🇪|👩‍👧", 0..80),
            most in 5_usize..60,
            count in 1_usize..4,
        ) {
            let text = text.concat();
            let hits = hits(&text);
            let chosen = passages(&text, &hits, most, count, None);
            prop_assert!((1..=count).contains(&chosen.len()));
            let values: Vec<(usize, usize)> = chosen.iter().map(|passage| value(hits_of(&hits, *passage))).collect();
            prop_assert!(values.contains(&naive(&text, &hits, most)), "{:?}", values);
            let mut end = 0;
            for Passage { from, to } in chosen {
                prop_assert!(end <= from && from <= to);
                end = to;
                let passage = &text[from..to];
                prop_assert!(passage.chars().count() <= most && passage.trim() == passage);
                for at in [from, to] {
                    prop_assert!(is_between_graphemes(&text, at));
                    prop_assert!(hits.iter().all(|hit| hit.to <= at || hit.from >= at), "{:?}", passage);
                }
            }
        }
    }
}
