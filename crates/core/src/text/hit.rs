//! Places of a query's words in a text.

use unicode_segmentation::GraphemeCursor;

/// A word of the query in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The byte where it begins.
    pub from: usize,
    /// The byte after it.
    pub to: usize,
    /// The number of the query's word.
    pub word: u16,
}

/// Hits in the order of a text, without overlaps: a compound that is a word of the query comes before its parts, which
/// are not marked again. Each begins and ends between characters as people see them.
pub fn apart(text: &str, hits: impl Iterator<Item = Hit>) -> Vec<Hit> {
    let mut apart: Vec<Hit> = Vec::new();
    for hit in hits {
        let hit = Hit { from: grapheme_start(text, hit.from), to: grapheme_end(text, hit.to), ..hit };
        match apart.last_mut() {
            // `C#` is `C`, and then all of it.
            Some(last) if last.from == hit.from && last.to < hit.to => *last = hit,
            Some(last) if last.to > hit.from => {}
            _ => apart.push(hit),
        }
    }
    apart
}

/// Bytes before a place that decide what is one character: for flags in a row, their number does.
const LONGEST_ROW: usize = 4 << 10;

/// Whether a place in a text is between two characters as people see them.
pub fn is_between_graphemes(text: &str, at: usize) -> bool {
    if !text.is_char_boundary(at) {
        return false;
    }
    let mut from = at.saturating_sub(LONGEST_ROW);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let near = &text[from..];
    let at = at + near.len() - text.len();
    GraphemeCursor::new(at, near.len(), true).is_boundary(near, 0) == Ok(true)
}

fn grapheme_start(text: &str, mut at: usize) -> usize {
    while at > 0 && !is_between_graphemes(text, at) {
        at -= 1;
    }
    at
}

fn grapheme_end(text: &str, mut at: usize) -> usize {
    while at < text.len() && !is_between_graphemes(text, at) {
        at += 1;
    }
    at
}

#[cfg(test)]
#[allow(missing_docs)]
pub mod tests {
    use super::*;

    /// The words of a query in a text: runs of letters and digits in lower case without a last `s`; ideographs alone.
    pub fn in_text(text: &str, query: &[&str]) -> Vec<Hit> {
        let is_alone = |character: char| ('\u{4e00}'..='\u{9fff}').contains(&character);
        let mut words: Vec<(usize, usize)> = Vec::new();
        let mut goes_on = false;
        for (at, character) in text.char_indices().filter(|(_, character)| character.is_alphanumeric()) {
            let to = at + character.len_utf8();
            match words.last_mut() {
                Some(last) if goes_on && last.1 == at && !is_alone(character) => last.1 = to,
                _ => words.push((at, to)),
            }
            goes_on = !is_alone(character);
        }
        let hits = words.into_iter().filter_map(|(from, to)| {
            let word = text[from..to].to_lowercase();
            let lexeme = word.strip_suffix('s').unwrap_or(&word);
            let number = query.iter().position(|known| *known == lexeme)?;
            Some(Hit { from, to, word: number as u16 })
        });
        apart(text, hits)
    }

    #[test]
    fn a_part_of_what_is_marked_is_not_marked_again() {
        let (whole, part) = (Hit { from: 4, to: 10, word: 0 }, Hit { from: 4, to: 7, word: 1 });
        let other = Hit { from: 11, to: 13, word: 2 };
        assert_eq!(apart("src/row.rs:12", [whole, part, other].into_iter()), [whole, other]);
    }

    #[test]
    fn a_hit_ends_between_graphemes() {
        let text = "the cafe\u{301} here";
        let hit = apart(text, [Hit { from: 4, to: 8, word: 0 }].into_iter())[0];
        assert_eq!(&text[hit.from..hit.to], "cafe\u{301}");
    }
}
