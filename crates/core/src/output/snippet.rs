//! The parts of a long entry to show: its passages, with marks around the words of the query.

use serde::Serialize;

use crate::text::hit::Hit;
use crate::text::passage::{Passage, hits_of};

/// The sign of a cut in a text.
const CUT: char = '…';

/// Passages of a text as one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// The passages, with the marks; `…` marks a cut.
    pub text: String,
    /// The places of the query's words, within their marks: from and to, in characters.
    pub ranges: Vec<(usize, usize)>,
}

impl Snippet {
    /// From passages of a text in their order.
    pub fn new(text: &str, passages: &[Passage], hits: &[Hit], marks: (&str, &str)) -> Snippet {
        let (mut writing, mut end) = (Writing::default(), 0);
        for passage in passages {
            let is_next = end > 0;
            if !text[end..passage.from].trim().is_empty() {
                writing.push(if is_next { " … " } else { "…" });
            } else if is_next {
                writing.push(&text[end..passage.from]);
            }
            writing.passage(text, *passage, hits_of(hits, *passage), marks);
            end = passage.to;
        }
        if !text[end..].trim().is_empty() {
            writing.push(CUT.encode_utf8(&mut [0; 4]));
        }
        writing.snippet
    }
}

#[derive(Default)]
struct Writing {
    snippet: Snippet,
    characters: usize,
}

impl Writing {
    fn push(&mut self, text: &str) {
        self.snippet.text.push_str(text);
        self.characters += text.chars().count();
    }

    fn passage(&mut self, text: &str, passage: Passage, hits: &[Hit], (start, stop): (&str, &str)) {
        let mut at = passage.from;
        // Words side by side, as in scripts without spaces, are marked as one.
        for hits in hits.chunk_by(|before, next| before.to == next.from) {
            let (Some(first), Some(last)) = (hits.first(), hits.last()) else { continue };
            self.push(&text[at..first.from]);
            self.push(start);
            let from = self.characters;
            self.push(&text[first.from..last.to]);
            self.snippet.ranges.push((from, self.characters));
            self.push(stop);
            at = last.to;
        }
        self.push(&text[at..passage.to]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::hit::tests::in_text;
    use crate::text::passage::passages;

    fn snippet(text: &str, most: usize, count: usize, marks: (&str, &str)) -> (Snippet, Vec<Hit>) {
        let hits = in_text(text, &["kite", "tea", "字"]);
        (Snippet::new(text, &passages(text, &hits, most, count, None), &hits, marks), hits)
    }

    #[test]
    fn words_of_the_query_are_marked_and_cuts_are_shown() {
        let text = "It rained. We flew kites <b>all</b> day, and a kite fell. Then, much later in the evening, came the tea. It was cold.";
        let (marked, _) = snippet(text, 50, 1, ("<b>", "</b>"));
        assert_eq!(marked.text, "…We flew <b>kites</b> <b>all</b> day, and a <b>kite</b> fell.…");
        assert_eq!(marked.ranges, [(12, 17), (47, 51)]);
        let (two, _) = snippet(text, 30, 2, ("[", "]"));
        assert_eq!(two.text, "…We flew [kites] <b>all</b> day, … came the [tea]. It was cold.");
    }

    #[test]
    fn a_short_text_is_whole() {
        assert_eq!(snippet("a kite\n", 50, 1, ("", "")).0, Snippet { text: "a kite".into(), ranges: vec![(2, 6)] });
        assert_eq!(snippet("字字a字", 50, 1, ("(", ")")).0.text, "(字字)a(字)");
        assert_eq!(snippet("", 50, 1, ("(", ")")).0, Snippet::default());
    }

    proptest! {
        #[test]
        fn ranges_are_where_the_words_are_and_marks_stand_around_them(
            text in proptest::collection::vec("kites?|tea|[a-e]{1,9}|[ ]{1,3}|[.!?] |<b>|字|é", 0..60),
            most in 20_usize..60,
            count in 1_usize..4,
        ) {
            let text = text.concat();
            let (plain, hits) = snippet(&text, most, count, ("", ""));
            let (marked, _) = snippet(&text, most, count, ("<b>", "</b>"));
            prop_assert_eq!(plain.ranges.len(), marked.ranges.len());
            let characters = |text: &str, from, to| text.chars().skip(from).take(to - from).collect::<String>();
            let (mut rest, mut shift) = (marked.text.clone(), 0);
            for (&(from, to), &(start, stop)) in plain.ranges.iter().zip(&marked.ranges) {
                let word = characters(&plain.text, from, to);
                prop_assert_eq!(&word, &characters(&marked.text, start, stop));
                prop_assert!(hits.iter().any(|hit| word.starts_with(&text[hit.from..hit.to])));
                prop_assert_eq!(characters(&marked.text, start - 3, start), "<b>");
                prop_assert_eq!(characters(&marked.text, stop, stop + 4), "</b>");
                shift += 7;
            }
            // Without its marks it is the plain one.
            for &(start, stop) in marked.ranges.iter().rev() {
                rest = characters(&rest, 0, start - 3) + &characters(&rest, start, stop) + &characters(&rest, stop + 4, usize::MAX);
            }
            prop_assert_eq!(&rest, &plain.text);
            prop_assert_eq!(marked.text.chars().count(), plain.text.chars().count() + shift);
        }
    }
}
