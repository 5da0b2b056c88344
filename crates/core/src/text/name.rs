//! A name that a question may hold: which of its words name a person alone, and the places of the name in the question.

use std::ops::Range;

use crate::text::name_words::{NameWord, Script, words};
use crate::text::ordinary_words::{is_also_ordinary, is_of_many};

/// The least letters of a part of an id that is a name, ...
const SHORTEST_PART_OF_ID: usize = 3;
/// ... and the least digits of a number that names a person.
const SHORTEST_NUMBER: usize = 5;
/// Hiragana that may follow a name: polite endings and particles. Other Hiragana is the beginning of another word.
const AFTER_HIRAGANA: [&str; 19] = [
    "さん",
    "ちゃん",
    "くん",
    "さま",
    "は",
    "が",
    "の",
    "を",
    "に",
    "と",
    "も",
    "へ",
    "や",
    "って",
    "から",
    "まで",
    "より",
    "です",
    "だ",
];
/// Particles that may come before a name.
const BEFORE_HIRAGANA: [&str; 9] = ["は", "が", "の", "を", "に", "と", "も", "へ", "や"];

/// A word of a question, which may name a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionWord {
    /// The form for comparisons with names.
    pub word: NameWord,
    /// Whether it has a capital letter that its place does not require.
    pub is_marked: bool,
    /// Whether it belongs to a time, and not to a name.
    pub is_time: bool,
}

/// The words of a name.
pub struct Name {
    /// All of them, in order; for a mail address, the words of its local part. Adjacent characters of a script without
    /// blanks are one part.
    all: Vec<Part>,
    /// The words that name a person alone.
    parts: Vec<Part>,
    is_mail: bool,
}

/// A word, or its characters if each is a word.
#[derive(Clone)]
struct Part {
    words: Vec<String>,
    script: Option<Script>,
}

impl Name {
    pub fn of(name: &str) -> Name {
        let (local, is_mail) = name.split_once('@').map_or((name, false), |(local, _)| (local, true));
        let all = parts_of(words(local));
        let is_id = local.contains(|character: char| character.is_numeric());
        let is_uuid = uuid::Uuid::try_parse(name).is_ok();
        let parts = if is_uuid { Vec::new() } else { all.iter().filter(|part| part.is_name(is_id)).cloned().collect() };
        Name { all, parts, is_mail }
    }

    /// The places at which a question names a person, as runs of words.
    pub fn places_in(&self, question: &[QuestionWord]) -> Vec<Range<usize>> {
        let is_part = |asked: &QuestionWord| self.all.iter().any(|part| part.words.contains(&asked.word.text));
        let mut places = Vec::new();
        let mut begin = 0;
        while begin < question.len() {
            let length = question[begin..].iter().take_while(|word| is_part(word)).count();
            let run = begin..begin + length;
            let is_named = |part: &Part| run.clone().any(|at| part.names_at(question, at, run.end));
            if self.parts.iter().any(is_named) || self.is_whole_in(&question[run.clone()]) {
                places.push(run);
            }
            begin += length + 1;
        }
        places
    }

    /// Whether all words of the name are in a run of its words, in order.
    fn is_whole_in(&self, run: &[QuestionWord]) -> bool {
        if let [part] = &self.all[..] {
            let [word] = &part.words[..] else { return false };
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let is_long_enough = word.chars().count() >= if is_number { SHORTEST_NUMBER } else { 2 };
            // "user@example.org" is not who "the user" is.
            let is_nobody = self.is_mail && is_of_many(word);
            return part.script.is_none() && is_long_enough && !is_nobody && run.iter().any(may_name);
        }
        let all: Vec<&String> = self.all.iter().flat_map(|part| &part.words).collect();
        let is_name = |words: &[QuestionWord]| words.iter().map(|asked| &asked.word.text).eq(all.iter().copied());
        !all.is_empty() && run.windows(all.len()).any(is_name)
    }
}

/// Whether a word of a name may name a person at its place.
fn may_name(asked: &QuestionWord) -> bool {
    !asked.is_time && (asked.is_marked || !is_also_ordinary(&asked.word.text))
}

/// Words; adjacent ones of scripts without blanks are joined.
fn parts_of(words: Vec<NameWord>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut end = None;
    for word in words {
        let goes_on = word.script.is_some() && end == Some(word.place.start);
        end = word.script.map(|_| word.place.end);
        match parts.last_mut().filter(|_| goes_on) {
            Some(part) => part.words.push(word.text),
            None => parts.push(Part { words: vec![word.text], script: word.script }),
        }
    }
    parts
}

impl Part {
    /// Whether it is enough to name a person.
    fn is_name(&self, is_of_id: bool) -> bool {
        let [word] = &self.words[..] else { return self.script.is_some_and(|_| self.is_long_enough()) };
        let shortest = if is_of_id { SHORTEST_PART_OF_ID } else { 2 };
        self.script.is_none()
            && word.chars().count() >= shortest
            && !word.contains(char::is_numeric)
            && !is_of_many(word)
    }

    /// Two letters of Thai are part of many words.
    fn is_long_enough(&self) -> bool {
        self.words.len() >= if self.script == Some(Script::SoutheastAsian) { 3 } else { 2 }
    }

    /// Whether it names a person by the words of a question from `at` on; the words up to `end` belong to the name.
    fn names_at(&self, question: &[QuestionWord], at: usize, end: usize) -> bool {
        let behind = at + self.words.len();
        if behind > end || !question[at..behind].iter().map(|asked| &asked.word.text).eq(&self.words) {
            return false;
        }
        if self.script.is_none() {
            return may_name(&question[at]);
        }
        let goes_on = |at: usize| {
            (1..question.len()).contains(&at) && question[at - 1].word.place.end == question[at].word.place.start
        };
        let script_of = |at: usize| question[at].word.script;
        // Neighbouring kana of one kind are a word; ideographs and Thai letters may end one anywhere.
        let is_after_same = goes_on(at) && script_of(at - 1) == script_of(at);
        let is_before_same = goes_on(behind) && script_of(behind) == script_of(behind - 1);
        (at + 1..behind).all(goes_on)
            && match (script_of(at), script_of(behind - 1)) {
                (Some(Script::Katakana), _) if is_after_same => false,
                (Some(Script::Hiragana), _) if is_after_same => BEFORE_HIRAGANA.contains(&&*question[at - 1].word.text),
                _ => true,
            }
            && match script_of(behind - 1) {
                Some(Script::Katakana) => !is_before_same,
                Some(Script::Hiragana) if is_before_same => {
                    let next: String = question[behind..].iter().take(3).map(|asked| &*asked.word.text).collect();
                    AFTER_HIRAGANA.iter().any(|ending| next.starts_with(ending))
                }
                _ => true,
            }
    }
}
