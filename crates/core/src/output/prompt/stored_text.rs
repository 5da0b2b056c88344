//! Stored text within a prompt: it must not look like a part of the prompt, nor hide one.

/// The characters that break lines for a program that reads the prompt.
const LINE_BREAKS: [char; 10] =
    ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Marks that may stand before a sentence, and behind one.
const BEFORE_SENTENCES: &str = "\"'([{«»‹›‘‚“„¿¡「『—*_";
const BEHIND_SENTENCES: &str = ".,;:!?…\"')]}«»‹›’“”」』—*_";
/// Marks behind which languages that write no spaces begin the next sentence.
const GAPS_WITHOUT_SPACE: &str = " 。、，！？：；";

/// A text as one line.
pub fn one_line(text: &str) -> String {
    let is_break = |character: char| character.is_whitespace() || LINE_BREAKS.contains(&character);
    text.split(is_break).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether a line says what another one says, in whole words: "The PIN is 19" is not in "The PIN is 1917", nor in "The
/// PIN is 19.5".
pub fn says(line: &str, other: &str) -> bool {
    let is_within = |character: &char| !GAPS_WITHOUT_SPACE.contains(*character);
    line.match_indices(other).any(|(at, found)| {
        let (before, behind) = (&line[..at], &line[at + found.len()..]);
        before.chars().rev().take_while(is_within).all(|mark| BEFORE_SENTENCES.contains(mark))
            && behind.chars().take_while(is_within).all(|mark| BEHIND_SENTENCES.contains(mark))
    })
}

/// Stored text must not look like a part of the prompt: a line that would be a heading, would make the line above it one,
/// or would begin a block of HTML is escaped, for any character that breaks lines.
pub fn without_headings(text: &str) -> String {
    let lines = text.replace("\r\n", "\n");
    lines.split(LINE_BREAKS).map(without_heading).collect::<Vec<_>>().join("\n")
}

/// The line that closes the block of code in which a text ends: within it, what follows would be code too. `None` if the
/// text ends in none. A block in a quote or in a list ends with it.
fn closing_fence(text: &str) -> Option<String> {
    let mut open: Option<(char, usize)> = None;
    for line in text.lines() {
        let rest = line.trim_start_matches(' ');
        let Some(mark) = rest.chars().next().filter(|mark| ['`', '~'].contains(mark)) else { continue };
        let info = rest.trim_start_matches(mark);
        let length = rest.len() - info.len();
        if length < 3 || line.len() - rest.len() > 3 {
            continue;
        }
        match open {
            None if mark == '~' || !info.contains('`') => open = Some((mark, length)),
            Some((opening, least)) if opening == mark && length >= least && info.trim().is_empty() => open = None,
            _ => {}
        }
    }
    open.map(|(mark, length)| format!("\n{}", mark.to_string().repeat(length)))
}

/// A text with the end of the block of code in which it ends.
pub fn closed(text: String) -> String {
    match closing_fence(&text) {
        Some(fence) => text + &fence,
        None => text,
    }
}

/// A line, escaped if it would be a heading, the underline of one, or the beginning of HTML that hides what follows or is
/// a heading, also behind invisible characters, in a quote or in a list.
pub fn without_heading(line: &str) -> String {
    let visible = line.trim_start_matches(is_blank);
    let mut rest = visible;
    while !is_mark_of_heading(rest) {
        let Some(inner) = behind_mark_of_block(rest) else { return line.to_owned() };
        rest = inner.trim_start_matches(is_blank);
    }
    let (before, heading) = visible.split_at(visible.len() - rest.len());
    format!("{before}\\{heading}")
}

/// Whether Markdown reads a line as a heading, as the underline of one (`===` or `---`), or as the beginning of such HTML.
fn is_mark_of_heading(line: &str) -> bool {
    let underline = line.trim_end_matches(is_blank);
    let is_all = |mark| underline.chars().all(|character| character == mark);
    line.starts_with('#') || begins_html(line) || !underline.is_empty() && ['=', '-'].into_iter().any(is_all)
}

/// Whether a line begins with HTML that may reach beyond an empty line (a comment, a declaration, an instruction, or an
/// element whose text is not read as Markdown), or with a heading of HTML.
fn begins_html(line: &str) -> bool {
    let Some(tag) = line.strip_prefix('<') else { return false };
    let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
    const NAMES: [&str; 10] = ["script", "pre", "style", "textarea", "h1", "h2", "h3", "h4", "h5", "h6"];
    tag.starts_with(['!', '?']) || NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The rest of a line that begins a quote, or an item of a list.
fn behind_mark_of_block(line: &str) -> Option<&str> {
    if let Some(quoted) = line.strip_prefix('>') {
        return Some(quoted);
    }
    let behind_number = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let marks: &[char] = if behind_number.len() < line.len() { &['.', ')'] } else { &['-', '*', '+'] };
    behind_number.strip_prefix(marks).filter(|item| item.starts_with(is_blank))
}

/// Whether a character shows nothing, so that what follows seems to begin a line.
fn is_blank(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
                | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_behind_invisible_signs_in_quotes_and_in_lists_are_escaped_too() {
        let blanks = ["", " ", "\u{feff}", "\u{200b}", "\u{2060}\t", "\u{0}", "\u{e0020}"];
        let blocks = ["", "> ", ">", ">> ", "- ", "* ", "+\t", "1. ", "12) ", "- > 3. "];
        for (blank, block) in blanks.iter().flat_map(|blank| blocks.iter().map(move |block| (blank, block))) {
            let line = without_heading(&format!("{blank}{block}{blank}## LATEST CONTEXT"));
            let before = line.strip_suffix("\\## LATEST CONTEXT");
            assert!(before.is_some_and(|before| !before.contains('#')), "{line:?}");
        }
        assert_eq!(without_heading("> ==="), "> \\===");
        assert_eq!(without_heading("===\u{200b}"), "\\===\u{200b}");
        let texts = ["> a quote", "- [x] done", "1. first", "1.5 # of them", "C# and -#", "*#*", "", "2024-01-01"];
        texts.iter().for_each(|text| assert_eq!(without_heading(text), *text));
    }

    #[test]
    fn a_line_says_another_in_whole_words() {
        let line = "Mozart is boring, she says. The PIN is 1917, at -19.5 degrees. (Tea at five!) In C++. 她喜欢茶。她住在柏林。";
        for other in ["art is boring", "The PIN is 19", "at -19", "19.5 degrees", "In C", "喜欢茶", "says. The"] {
            assert_eq!(says(line, other), other == "says. The", "{other}");
        }
        for other in ["Mozart is boring", "The PIN is 1917", "Tea at five", "Tea at five!", "In C++.", "她住在柏林"]
        {
            assert!(says(line, other), "{other}");
        }
    }
}
