//! Pairs of neighbouring characters in scripts that put no blank between words. One character is weak evidence, because
//! thousands of words have it; two are often a word. They are words of the memory index, beside the single characters
//! that the analyzer makes: no phrase asks for them, and to_tsvector() does not make them.

use memory_search_analyzer::{Kind, has_blankless, is_blankless, tokens};

use crate::pg::interrupt;

/// The kind of token by which a configuration knows pairs.
pub const KIND: Kind = Kind::Hword;

/// Calls `take` with the number of the first token of each pair in a text, from 1, and the pair, until it returns false.
pub fn each(text: &str, mut take: impl FnMut(u32, &str) -> bool) {
    if !has_blankless(text) {
        return;
    }
    let (mut pair, mut end_of_last, mut number) = (String::new(), None, 0_u32);
    tokens(text, |token| {
        interrupt::check();
        let is_one = is_blankless(&token);
        let follows = is_one && end_of_last == Some(token.start);
        let first = pair.len();
        pair.push_str(if is_one { &token.text } else { "" });
        let goes_on = !follows || take(number, &pair);
        // The last character is the first of the next pair.
        if is_one {
            pair.drain(..first);
        } else {
            pair.clear();
        }
        end_of_last = is_one.then_some(token.end);
        // Parts by case come after the text.
        number = number.saturating_add(u32::from(!token.by_case));
        goes_on
    });
}
