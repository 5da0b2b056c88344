//! Dictionaries that process several tokens together, such as a thesaurus: its phrase takes one position.

use pgrx::pg_sys;

use super::configuration::Configuration;
use super::dictionary::{self, Answer, Lexeme, Progress};
use super::letter_case;
use super::token::Token;

/// The result for the tokens of a text: the lexemes of each position, in order; with `is_folded` also those without
/// accents, for a position that one token has. The rule is that of the server's
/// parsetext(): a dictionary that needs more tokens gets the next ones, as long as it is among the dictionaries of each
/// token's kind, and its last answer counts; if it gives none, the next dictionary is asked about the first token.
///
/// # Safety
/// Inside a transaction; what dictionaries allocate stays in the current memory context.
pub unsafe fn places(configuration: &Configuration, tokens: &[Token], is_folded: bool) -> Vec<Vec<Lexeme>> {
    let (mut places, mut first) = (Vec::new(), 0);
    while let Some(token) = tokens.get(first) {
        let mut text = letter_case::for_dictionary(&token.text).into_owned().into_bytes();
        let mut next = first + 1;
        for &dictionary in configuration.dictionaries_of_written(token.kind) {
            let mut progress = Progress::new();
            // SAFETY: by the caller's promise; the progress is new.
            let answer = unsafe { dictionary::ask(dictionary, Some(&text), &mut progress) };
            if progress.wants_more() {
                let begun = if let Answer::Lexemes(lexemes) = answer { Some((lexemes, next)) } else { None };
                // SAFETY: by the caller's promise; the progress was used with this dictionary.
                let found = unsafe { phrase(configuration, dictionary, &tokens[next..], next, &mut progress, begun) };
                if let Some((lexemes, behind)) = found {
                    places.push(lexemes);
                    next = behind;
                    break;
                }
                continue;
            }
            match answer {
                Answer::Unknown => {}
                Answer::Filtered(other) => text = other,
                Answer::Lexemes(mut lexemes) => {
                    if is_folded && !lexemes.is_empty() && !token.text.is_ascii() {
                        let folded = configuration.folded(token.kind, &token.text).flatten().unwrap_or_default();
                        for lexeme in folded {
                            if lexemes.iter().all(|written| written.text != lexeme.text) {
                                lexemes.push(Lexeme { is_next: false, ..lexeme });
                            }
                        }
                    }
                    places.push(lexemes);
                    break;
                }
            }
        }
        first = next;
    }
    places
}

/// The answer of a dictionary for a phrase that has begun, and the number of the token after it.
///
/// # Safety
/// As [`places`]; the progress was used with this dictionary.
unsafe fn phrase(
    configuration: &Configuration,
    dictionary: pg_sys::Oid,
    rest: &[Token],
    mut number: usize,
    progress: &mut Progress,
    mut best: Option<(Vec<Lexeme>, usize)>,
) -> Option<(Vec<Lexeme>, usize)> {
    for token in rest.iter().map(Some).chain([None]) {
        if let Some(token) = token {
            let asked = configuration.dictionaries_of_written(token.kind);
            if asked.is_empty() {
                number += 1;
                continue;
            }
            if !asked.contains(&dictionary) {
                return None;
            }
            number += 1;
        }
        let text = token.map(|token| letter_case::for_dictionary(&token.text));
        // SAFETY: by the caller's promise.
        let answer = unsafe { dictionary::ask(dictionary, text.as_deref().map(str::as_bytes), progress) };
        match answer {
            Answer::Lexemes(lexemes) if progress.wants_more() => best = Some((lexemes, number)),
            Answer::Lexemes(lexemes) => return Some((lexemes, number)),
            _ if progress.wants_more() => {}
            _ => return best,
        }
    }
    best
}
