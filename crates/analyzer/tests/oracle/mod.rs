//! The rules, implemented in the slow and obvious way: patterns recognize the text at a place, and every name is a
//! string of its own.

use std::sync::LazyLock;

use memory_search_analyzer::Kind;
use regex::Regex;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

const IDEOGRAPH: &str = r"[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]&&[\p{Alphabetic}]]";
const SYLLABIC: &str = r"[[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]&&[\p{Alphabetic}\p{M}]&&[^\p{N}]]";
const BEFORE: &str = r"[\u{e40}-\u{e44}\u{ec0}-\u{ec4}]";
const BEHIND: &str = r"[\p{M}\u{e30}\u{e32}\u{e33}\u{e45}\u{eb0}\u{eb2}\u{eb3}\u{ebd}]";
const COLOURED_EMOJI: &str = r"[[[\p{Emoji}&&[\u{2600}-\u{10ffff}]]\p{Emoji_Presentation}]&&[^\p{Alphabetic}\p{N}]]";
const EMOJI_SIGN: &str = r"[\p{Emoji}&&[^\x00-\x7f\p{Alphabetic}\p{N}]]";
const JOIN: &str = r"[\u{17d2}\u{1039}]";

/// A pattern at the beginning of a text: `<W>` is a word.
fn pattern(text: &str) -> Regex {
    let letter = format!(r"[[\p{{Alphabetic}}\p{{N}}]&&[^{IDEOGRAPH}{SYLLABIC}]]");
    let mark = format!(r"[\p{{M}}&&[^{IDEOGRAPH}{SYLLABIC}]]");
    let word = format!("{letter}(?:{letter}|{mark})*");
    Regex::new(&text.replace("<W>", &word)).unwrap()
}

fn unit_pattern() -> Regex {
    let any = format!("[{IDEOGRAPH}{SYLLABIC}]");
    let base = format!("[{any}&&[^{BEFORE}{BEHIND}]]");
    Regex::new(&format!("^(?:{BEFORE}{base}?|{JOIN}{base}|{any})(?:{JOIN}{base}|{BEHIND})*")).unwrap()
}

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => { $(static $name: LazyLock<Regex> = LazyLock::new(|| $pattern);)* };
}
patterns! {
    ENTITY = pattern(r"^&(?:(?:amp|lt|gt|quot|nbsp|apos);|#x?[0-9A-Fa-f]{1,7};)");
    WORD = pattern("<W>");
    WORD_HERE = pattern("^<W>");
    PROTOCOL = pattern("^[A-Za-z]{2,}://");
    ADDRESS = pattern(r"^(?:<W>|[-._@+~%/:?=&#!$*])+");
    DRIVE = pattern(r"^[A-Za-z]:(?:[/\\])");
    RUN = pattern("^(?:<W>|[-._@+~%/])+");
    WINDOWS_RUN = pattern(r"^(?:<W>|[-._@+~%/\\])+");
    PATH = pattern(r"^(?:/|\./|\.\./|~/)");
    UNIT = unit_pattern();
    EMOJI = pattern(&format!("^(?:{COLOURED_EMOJI}|{EMOJI_SIGN}\\u{{fe0f}})"));
    SEEN_OTHERWISE = pattern(r"^[\u{b5}\u{fb00}-\u{fb06}０-９Ａ-Ｚａ-ｚ\u{ff65}-\u{ff9f}]");
    NEVER_SEEN = pattern(r"^[\u{ad}\u{34f}\u{2060}\u{feff}]");
    JOINER = pattern(r"^[\u{200c}\u{200d}\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]");
    MARK = pattern(&format!(r"^[\p{{M}}&&[^\p{{Alphabetic}}\p{{N}}{IDEOGRAPH}{SYLLABIC}]]"));
    OF_WORD = pattern(&format!(r"^[\p{{Alphabetic}}\p{{N}}{IDEOGRAPH}{SYLLABIC}]"));
    STRESSED = pattern(r"^[[\u{400}-\u{52f}]&&[^ГгКк]]");
    ELEMENT = pattern("^<W>(?:(?:[.-]|_+)<W>)*");
    PERSON = pattern("^[A-Za-z0-9._+-]{1,64}@");
    LETTERS_AT_END = pattern(r"[^\p{N}[:punct:]]+$");
    NUMBER = pattern(r"[0-9]+(?:\.[0-9]+)+");
    FLOAT = pattern(r"^[0-9]+\.[0-9]+$");
    SFLOAT = pattern(r"^[0-9]+(?:\.[0-9]+)?[eE]-?[0-9]+$");
    VERSION = pattern(r"^[0-9]+(?:\.[0-9]+){2,}$");
    ROOT = pattern(r"^/?(?:(?:\.|\.\.|~)/+)*$");
    DATE = pattern("^([0-9]{4}-[0-9]{2}-[0-9]{2})T([A-Za-z0-9]+)$");
    CODE = pattern(r"^[0-9]+(?:-[0-9]+)+$");
}

/// The tokens of a text, with their kinds.
pub fn tokens(text: &str) -> Vec<(Kind, String)> {
    let text = &respelt(text);
    let mut oracle = Oracle { text, found: Vec::new(), end_of_address: 0 };
    oracle.region(0, text.len());
    oracle.found
}

/// A text with the characters that people see.
fn respelt(text: &str) -> String {
    let mut respelt = String::new();
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let is_of_letter = |c: &char| [&NEVER_SEEN, &JOINER, &MARK].iter().any(|of| of.is_match(&c.to_string()));
        let base = text[..at].chars().rev().find(|c| !is_of_letter(c)).unwrap_or(' ').to_string();
        let is_unseen = NEVER_SEEN.is_match(rest)
            || JOINER.is_match(rest) && OF_WORD.is_match(&base)
            || c == '\u{20e3}' && base.chars().all(is_digit)
            || c == '\u{301}' && STRESSED.is_match(&base);
        match c {
            _ if is_unseen => {}
            '\u{2010}' | '\u{2011}' => respelt.push('-'),
            _ if SEEN_OTHERWISE.is_match(rest) => respelt.extend(c.nfkc()),
            _ => respelt.push(c),
        }
    }
    respelt
}

fn is_digit(c: char) -> bool {
    c.is_numeric() && !c.is_lowercase() && !c.is_uppercase()
}

struct Oracle<'a> {
    text: &'a str,
    found: Vec<(Kind, String)>,
    end_of_address: usize,
}

/// The beginning of the first word and the end of the last one.
fn words_of(text: &str) -> Option<(usize, usize)> {
    Some((WORD.find(text)?.start(), WORD.find_iter(text).last()?.end()))
}

fn is_short(text: &str) -> bool {
    text.chars().count() <= 200
}

fn number(text: &str) -> Option<Kind> {
    let kinds = [(&FLOAT, Kind::Float), (&SFLOAT, Kind::SFloat), (&VERSION, Kind::Version)];
    kinds.into_iter().find(|(pattern, _)| pattern.is_match(text)).map(|(_, kind)| kind)
}

fn word_kind(word: &str, in_hyphens: bool) -> Kind {
    let characters = || word.chars().filter(|c| c.is_alphanumeric());
    match (characters().all(is_digit), characters().any(is_digit), word.is_ascii(), in_hyphens) {
        (true, ..) => Kind::UInt,
        (_, true, _, false) => number(word).unwrap_or(Kind::NumWord),
        (_, true, _, true) => number(word).unwrap_or(Kind::HwordNumPart),
        (_, _, true, false) => Kind::AsciiWord,
        (_, _, true, true) => Kind::HwordAsciiPart,
        (_, _, false, false) => Kind::Word,
        (_, _, false, true) => Kind::HwordPart,
    }
}

impl Oracle<'_> {
    fn push(&mut self, kind: Kind, text: &str) {
        self.found.push((kind, text.nfc().collect()));
    }

    fn whole(&mut self, kind: Kind, text: &str, depth: usize) -> usize {
        if depth == 6 || !is_short(text) {
            return depth;
        }
        self.push(kind, text);
        depth + 1
    }

    fn region(&mut self, from: usize, to: usize) {
        let mut at = from;
        while let Some(c) = self.text[at..to].chars().next() {
            let rest = &self.text[at..to];
            at = if let Some(entity) = ENTITY.find(rest) {
                at + entity.end()
            } else if WORD_HERE.is_match(rest) {
                self.word(at, to)
            } else if PATH.is_match(rest) {
                self.run(at, to, Kind::File)
            } else if let Some(unit) = UNIT.find(rest) {
                if unit.as_str().chars().any(char::is_alphabetic) {
                    self.push(Kind::Word, unit.as_str());
                }
                at + unit.end()
            } else if EMOJI.is_match(rest) {
                let cluster = rest.graphemes(true).next().unwrap();
                self.push(Kind::Word, &cluster.replace(['\u{fe0e}', '\u{fe0f}'], ""));
                at + cluster.len()
            } else {
                at + c.len_utf8()
            };
        }
    }

    fn word(&mut self, at: usize, to: usize) -> usize {
        let rest = &self.text[at..to];
        if let Some(protocol) = PROTOCOL.find(rest).filter(|_| at >= self.end_of_address) {
            let host = at + protocol.end();
            let behind = &self.text[host..to];
            if behind.starts_with('/') {
                return host;
            }
            if WORD_HERE.is_match(behind) {
                let address = ADDRESS.find(behind).unwrap().as_str();
                self.end_of_address = host + address.len();
                let (_, last) = words_of(address).unwrap();
                if ELEMENT.find(address).unwrap().end() < last {
                    self.whole(Kind::Url, &address[..last], 0);
                }
                let host_end = address.find(['/', '?', '#']).unwrap_or(address.len());
                self.region(host, host + host_end);
                let is_path = address[host_end..].starts_with('/');
                return match is_path {
                    true => self.run(host + host_end, host + address.len(), Kind::UrlPath),
                    false => host + host_end,
                };
            }
        }
        if DRIVE.is_match(rest) {
            let run = WINDOWS_RUN.find(&rest[2..]).unwrap().as_str();
            if let Some((first, last)) = words_of(run) {
                let depth = self.whole(Kind::File, &rest[..2 + last], 0);
                self.push(Kind::AsciiWord, &rest[..1]);
                self.path(at + 2 + first, at + 2 + run.len(), Kind::File, &['/', '\\'], depth);
                return at + 2 + run.len();
            }
        }
        self.run(at, to, Kind::File)
    }

    fn run(&mut self, at: usize, to: usize, kind: Kind) -> usize {
        let run = RUN.find(&self.text[at..to]).unwrap().as_str();
        if run.contains('/') {
            self.path(at, at + run.len(), kind, &['/'], 0);
        } else {
            self.and(at, at + run.len(), to);
            self.elements(at, at + run.len(), 0);
        }
        at + run.len()
    }

    fn and(&mut self, at: usize, sign: usize, to: usize) {
        let (left, behind) = (&self.text[at..sign], &self.text[sign..to]);
        let is_joined = self.text[..at].ends_with(['=', '?', '&', '/', ';', '.', '%', '#', '_', '@', ':', '-']);
        let is_word = WORD_HERE.find(left).is_some_and(|word| word.end() == left.len());
        if !behind.starts_with('&') || is_joined || !is_word || ENTITY.is_match(behind) {
            return;
        }
        let Some(right) = WORD_HERE.find(&behind[1..]) else { return };
        let goes_on = behind[1 + right.end()..].starts_with(['=', '&']);
        if !goes_on && is_short(&format!("{left}&{}", right.as_str())) {
            let word = format!("{left}and{}", right.as_str());
            self.push(word_kind(&word, false), &word);
        }
    }

    fn path(&mut self, from: usize, to: usize, kind: Kind, separators: &[char], mut depth: usize) {
        let text = &self.text[from..to];
        let mut names = Vec::new();
        let mut at = 0;
        for name in text.split(separators) {
            names.push((at, name.len(), words_of(name)));
            at += name.len() + 1;
        }
        names.retain(|(_, _, words)| words.is_some());
        let Some((begin, _, Some((first, _)))) = names.first().copied() else { return };
        let Some((_, last)) = words_of(text) else { return };
        let is_root = begin > 0 && ROOT.is_match(&text[..begin]) && !self.text[..from].ends_with('<');
        let start = if is_root { 0 } else { begin + first };
        if is_root || names.len() > 1 {
            depth = self.whole(kind, &text[start..last], depth);
        }
        for (place, (begin, length, words)) in names.iter().enumerate() {
            let first = begin + words.unwrap().0;
            if first > start && [2, 3].contains(&(names.len() - place)) && is_short(&text[start..last]) {
                depth = self.whole(kind, &text[first..last], depth);
            }
            self.elements(from + begin, from + begin + length, depth);
        }
    }

    fn elements(&mut self, from: usize, to: usize, depth: usize) {
        let mut at = from;
        while let Some(word) = WORD.find(&self.text[at..to]) {
            let rest = &self.text[at + word.start()..to];
            at += word.start();
            if let Some(person) = PERSON.find(rest)
                && let Some(host) = ELEMENT.find(&rest[person.end()..])
                && host.as_str().contains('.')
            {
                let length = person.end() + host.end();
                let depth = self.whole(Kind::Email, &rest[..length], depth);
                for name in rest[..person.end() - 1].split('+') {
                    // Adjacent dots and dashes separate names, too.
                    let mut name = name;
                    while let Some(word) = WORD.find(name) {
                        let element = ELEMENT.find(&name[word.start()..]).unwrap().as_str();
                        self.element(element, depth);
                        name = &name[word.start() + element.len()..];
                    }
                }
                self.element(host.as_str(), depth);
                at += length;
                continue;
            }
            let element = ELEMENT.find(rest).unwrap().as_str();
            self.element(element, depth);
            at += element.len();
            for (sign, name) in [("++", "plusplus"), ("#", "sharp")] {
                if let Some(behind) = self.text[at..].strip_prefix(sign)
                    && !WORD_HERE.is_match(behind)
                    && at >= self.end_of_address
                    && let Some(letters) = LETTERS_AT_END.find(element)
                    && WORD_HERE.is_match(letters.as_str())
                {
                    let word = format!("{}{name}", letters.as_str());
                    self.push(word_kind(&word, false), &word);
                }
            }
        }
    }

    fn element(&mut self, text: &str, depth: usize) {
        if let Some(kind) = number(text).filter(|_| is_short(text)) {
            return self.push(kind, text);
        }
        let mut pieces: Vec<String> = Vec::new();
        let mut was_numbered = false;
        for word in text.split('-') {
            let is_numbered = NUMBER.is_match(word);
            match pieces.last_mut().filter(|_| !is_numbered && !was_numbered) {
                Some(piece) => *piece += &format!("-{word}"),
                None => pieces.push(word.to_owned()),
            }
            was_numbered = is_numbered;
        }
        let depth = if pieces.len() > 1 { self.whole(Kind::NumHword, text, depth) } else { depth };
        for piece in pieces {
            self.dotted(&piece, depth);
        }
    }

    fn dotted(&mut self, text: &str, mut depth: usize) {
        let mut names: Vec<String> = Vec::new();
        for name in text.split('.') {
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let is_number = |left: &&mut String| digit(left.chars().last()) && digit(name.chars().next());
            match names.last_mut().filter(|left| is_short(text) && is_number(left)) {
                Some(left) => *left += &format!(".{name}"),
                None => names.push(name.to_owned()),
            }
        }
        for place in 0..names.len() {
            let left = names.len() - place;
            if left > 1 && (place == 0 || left <= 3 && is_short(text)) {
                depth = self.whole(Kind::Host, &names[place..].join("."), depth);
            }
            self.numbered(&names[place], depth);
        }
    }

    fn numbered(&mut self, text: &str, depth: usize) {
        if !text.contains('.') {
            return self.hyphenated(text, depth);
        }
        if let Some(kind) = number(text) {
            return self.push(kind, text);
        }
        let depth = self.whole(Kind::Version, text, depth);
        let mut rest = text;
        while let Some(found) = NUMBER.find(rest) {
            if let Some((words, _)) = rest[..found.start()].rsplit_once('_') {
                self.words(words, depth);
            }
            self.push(number(found.as_str()).unwrap(), found.as_str());
            rest = &rest[found.end()..];
        }
        self.words(rest, depth);
    }

    fn words(&mut self, text: &str, depth: usize) {
        if let Some((first, last)) = words_of(text) {
            self.identifier(&text[first..last], false, depth);
        }
    }

    fn hyphenated(&mut self, text: &str, mut depth: usize) {
        let Some((first, rest)) = text.split_once('-') else { return self.identifier(text, false, depth) };
        if let Some(date_and_time) = DATE.captures(text) {
            let depth = self.whole(Kind::NumHword, text, depth);
            self.hyphenated(&date_and_time[1], depth);
            return self.identifier(&date_and_time[2], true, depth);
        }
        let kind = match word_kind(&text.replace(['-', '_'], ""), false) {
            Kind::AsciiWord => Kind::AsciiHword,
            Kind::Word => Kind::Hword,
            _ => Kind::NumHword,
        };
        depth = self.whole(kind, text, depth);
        self.identifier(first, true, depth);
        if CODE.is_match(rest) && !first.bytes().all(|byte| byte.is_ascii_digit()) && is_short(text) {
            depth = self.whole(Kind::NumHword, rest, depth);
        }
        for part in rest.split('-') {
            self.identifier(part, true, depth);
        }
    }

    fn identifier(&mut self, text: &str, in_hyphens: bool, mut depth: usize) {
        if text.contains('_') {
            let kind = if in_hyphens { Kind::HwordNumPart } else { Kind::NumWord };
            depth = self.whole(kind, text, depth);
        }
        for word in text.split('_').filter(|word| !word.is_empty()) {
            let mut parts = vec![String::new()];
            let mut before = ' ';
            for c in word.chars() {
                if before.is_lowercase() && c.is_uppercase() {
                    parts.push(String::new());
                }
                parts.last_mut().unwrap().push(c);
                before = if c.is_alphanumeric() { c } else { before };
            }
            let letters = |part: &String| part.chars().filter(|c| c.is_alphanumeric()).count();
            let is_camel_case = parts.len() > 1 && letters(&parts[0]) >= 3 && parts.iter().all(|p| letters(p) >= 2);
            if !is_camel_case || !is_short(word) || depth == 6 {
                self.push(word_kind(word, in_hyphens), word);
                continue;
            }
            self.whole(word_kind(word, in_hyphens), word, depth);
            for part in parts {
                self.push(word_kind(&part, in_hyphens), &part);
            }
        }
    }
}
