//! Paths: names with slashes between them. A token of the whole path comes first, then the tokens of each name. The
//! last two names of a path together are a token too, and so are the last three. Each of these two tokens comes before
//! the tokens of its first name.

use std::ops::ControlFlow;

use crate::dotted::LAST_NAMES;
use crate::element::elements;
use crate::extent::{Separators, end_of_run, next_word, words_of};
use crate::output::{Flow, Output};
use crate::plain_word::PlainWord;
use crate::token::{Kind, Token};

/// The tokens of the path between `start` and `end`, the ends of a run of names and slashes.
pub fn path<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    kind: Kind,
    start: usize,
    end: usize,
    separators: Separators,
    depth: u8,
) -> Flow {
    let text = out.text;
    let mut names = 0;
    let mut whole = None;
    for (from, to) in names_between(text, start, end, separators) {
        if let Some((first, last)) = words_of(text, from, to) {
            names += 1;
            whole = Some((whole.map_or((from, first), |(whole, _)| whole), last));
        }
    }
    // The beginnings of the first name and of its first word, and the end of the last word.
    let Some(((name, first), last)) = whole else { return Flow::Continue(()) };
    let begins_with_root = name > start && is_root(text, start, name);
    let whole_start = if begins_with_root { start } else { first };
    let mut depth = depth;
    if names > 1 || begins_with_root {
        depth = out.whole(kind, whole_start, last, depth)?;
    }
    let is_short = out.may_be_whole(whole_start, last);
    let mut left = names;
    for (from, to) in names_between(text, start, end, separators) {
        let Some(first) = next_word(text, from, to) else { continue };
        if is_short && first > whole_start && (2..=LAST_NAMES).contains(&left) {
            depth = out.whole(kind, first, last, depth)?;
        }
        elements(out, from, to, depth)?;
        left -= 1;
    }
    Flow::Continue(())
}

/// The tokens of a path like `C:\a\b.txt`, if `first` is its drive. Returns its end.
pub fn with_drive<'a, F: FnMut(Token<'a>) -> bool>(
    out: &mut Output<'a, F>,
    start: usize,
    first: PlainWord,
    end: usize,
) -> ControlFlow<(), Option<usize>> {
    let text = out.text;
    let is_drive = first.end == start + 1 && text.as_bytes()[start].is_ascii_alphabetic();
    let rest = &text.as_bytes()[first.end..end];
    if !is_drive || !(rest.starts_with(b":\\") || rest.starts_with(b":/")) {
        return ControlFlow::Continue(None);
    }
    let (run_end, _) = end_of_run(text, first.end + 1, end, Separators::Windows);
    let Some((behind, last)) = words_of(text, first.end + 1, run_end) else { return ControlFlow::Continue(None) };
    // The drive counts as a name, so the rest of the path begins without a sign.
    let depth = out.whole(Kind::File, start, last, 0)?;
    out.token(first.kind(), start, first.end)?;
    path(out, Kind::File, behind, run_end, Separators::Windows, depth)?;
    ControlFlow::Continue(Some(run_end))
}

/// Whether the text before the first name is the beginning of a path: `/`, `~/`, `./`, `../../`. A closing tag of HTML
/// (`</div>`) is no path.
fn is_root(text: &str, start: usize, name: usize) -> bool {
    let before = &text[start..name];
    let is_of_tag = text[..start].ends_with('<');
    !is_of_tag
        && !before.starts_with("//")
        && before.split_terminator('/').all(|part| matches!(part, "" | "." | ".." | "~"))
}

/// The pieces between separators, also those without a word.
fn names_between(text: &str, start: usize, end: usize, separators: Separators) -> impl Iterator<Item = (usize, usize)> {
    let pieces = text.as_bytes()[start..end].split(move |byte| separators.contain(*byte));
    pieces.scan(start, |from, piece| {
        let name = (*from, *from + piece.len());
        *from = name.1 + 1;
        Some(name)
    })
}
