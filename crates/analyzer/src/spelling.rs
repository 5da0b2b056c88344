//! Characters that look like other characters, or are invisible. `long‑term` with a hyphen that allows no line break
//! becomes `long-term`, and a word loses its soft hyphens. This happens before a text is split, so that people find a
//! word by typing what they see.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::characters::{Class, DIGIT, class};
use crate::output::composed;

/// A text as people see it: composed (NFC), with the usual hyphens, letters and digits, without invisible signs inside
/// of words, and with plain blanks for those that allow no line break. Two texts that look the same are the same.
pub fn as_seen(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut seen = respelt(text).map_or(Cow::Borrowed(text), |respelt| Cow::Owned(respelt.text));
    if let Cow::Owned(composed) = composed(&seen) {
        seen = Cow::Owned(composed);
    }
    if seen.contains(UNBROKEN_BLANKS) {
        seen = Cow::Owned(seen.replace(UNBROKEN_BLANKS, " "));
    }
    seen
}

/// Blanks that allow no line break.
const UNBROKEN_BLANKS: [char; 2] = ['\u{a0}', '\u{202f}'];

/// A text with the usual characters, and the places of its bytes in the source.
pub struct Respelt {
    pub text: String,
    runs: Vec<Run>,
}

/// A run of characters that all take the same number of bytes: `step` in the text, `source_step` in the source.
struct Run {
    start: usize,
    step: usize,
    source: usize,
    source_step: usize,
}

impl Run {
    fn source_of(&self, characters: usize) -> usize {
        self.source + characters * self.source_step
    }
}

/// The text with the usual characters; `None` if it has no others.
pub fn respelt(source: &str) -> Option<Respelt> {
    if source.is_ascii() || !source.chars().any(may_differ) {
        return None;
    }
    let mut text = String::with_capacity(source.len());
    let mut runs: Vec<Run> = Vec::new();
    // The end of the last run in the source, and the last character that is no mark.
    let (mut behind, mut base) = (0, ' ');
    for (at, c) in source.char_indices() {
        let start = text.len();
        match usual(c, base) {
            Some(usual) => text.push_str(&usual),
            None => text.push(c),
        }
        if class(c) != Class::Mark && !is_joiner(c) && !is_never_seen(c) {
            base = c;
        }
        let mut step = text.len() - start;
        if step == 0 {
            continue;
        }
        let mut source_step = c.len_utf8();
        if text[start..] == source[at..at + source_step] {
            (step, source_step) = (1, 1);
        }
        let goes_on = runs.last().is_some_and(|run| (run.step, run.source_step) == (step, source_step));
        if !goes_on || behind != at {
            runs.push(Run { start, step, source: at, source_step });
        }
        behind = at + c.len_utf8();
    }
    Some(Respelt { text, runs })
}

impl Respelt {
    /// The place in the source of a token between two places in the text.
    pub fn place(&self, start: usize, end: usize) -> (usize, usize) {
        let run = |is_before: &dyn Fn(&Run) -> bool| &self.runs[self.runs.partition_point(is_before).saturating_sub(1)];
        let first = run(&|run| run.start <= start);
        let last = run(&|run| run.start < end);
        (first.source_of((start - first.start) / first.step), last.source_of((end - last.start).div_ceil(last.step)))
    }
}

/// Whether [`usual`] may exchange a character.
fn may_differ(c: char) -> bool {
    c >= '\u{ad}' && (is_never_seen(c) || is_joiner(c) || is_of_width_or_ligature(c))
        || matches!(c, '\u{301}' | '\u{20e3}' | '\u{2010}' | '\u{2011}')
}

/// The usual characters for one that follows `base`, perhaps none; `None` if it is usual itself.
fn usual(c: char, base: char) -> Option<Cow<'static, str>> {
    match c {
        '\u{2010}' | '\u{2011}' => Some("-".into()),
        '\u{301}' if is_stressed(base) => Some("".into()),
        // The frame of a keycap.
        '\u{20e3}' if matches!(class(base), Class::Word(bits) if bits & DIGIT != 0) => Some("".into()),
        _ if is_never_seen(c) => Some("".into()),
        // In emoji these signs distinguish.
        _ if is_joiner(c) && matches!(class(base), Class::Word(_) | Class::Blankless) => Some("".into()),
        _ if is_of_width_or_ligature(c) => Some(c.nfkc().collect::<String>().into()),
        _ => None,
    }
}

/// Soft hyphen, combining grapheme joiner, word joiner, byte order mark.
fn is_never_seen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{2060}' | '\u{feff}')
}

/// Zero width joiner and non-joiner, and selectors of the form of a character.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The sign for micro, ligatures of Latin, full-width letters and digits, half-width Katakana.
fn is_of_width_or_ligature(c: char) -> bool {
    matches!(c, '\u{b5}' | '\u{fb00}'..='\u{fb06}' | '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' | '\u{ff65}'..='\u{ff9f}')
}

/// Letters of Cyrillic on which an acute accent shows the stress. With `г` and `к` it makes letters of Macedonian.
fn is_stressed(base: char) -> bool {
    matches!(base, '\u{400}'..='\u{52f}') && !matches!(base, 'Г' | 'г' | 'К' | 'к')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_the_same_are_the_same() {
        let same = [
            ("cafe\u{301} ok", "café ok"),
            ("Donau\u{ad}dampf\u{2011}er", "Donaudampf-er"),
            ("10\u{a0}km 1\u{202f}000", "10 km 1 000"),
            ("ＡＢ１", "AB1"),
        ];
        for (written, seen) in same {
            assert_eq!(as_seen(written), seen);
        }
        for text in ["plain", "café", "日本", "👨\u{200d}👩", "m² ½"] {
            assert_eq!(as_seen(text), text);
        }
    }
}
