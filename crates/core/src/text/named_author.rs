//! Whether a question names somebody: "What did Caroline say?" names Caroline Smith, "Will she come?" names no Will.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::text::ordinary_words::{is_also_ordinary, is_of_many};

/// Titles before a name, behind whose full stop no sentence begins.
const TITLES: [&str; 6] = ["dr", "mr", "mrs", "ms", "prof", "st"];
/// A part of an id is a name from so many letters on, ...
const SHORTEST_PART_OF_ID: usize = 3;
/// ... and a number names somebody from so many digits on.
const SHORTEST_NUMBER: usize = 5;

/// A run of letters and digits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct QuestionWord {
    /// In lower case.
    text: String,
    /// Whether it has a capital letter that its place does not ask for.
    is_marked: bool,
}

/// The words of a question, to look names up in.
#[derive(Debug, Clone, Default)]
pub struct QuestionWords(Vec<QuestionWord>);

impl QuestionWords {
    /// Of a question.
    pub fn of(question: &str) -> QuestionWords {
        let mut found: Vec<QuestionWord> = Vec::new();
        let (mut begins_sentence, mut has_lower_case) = (true, false);
        for part in question.split_inclusive(|character: char| !character.is_alphanumeric()) {
            let word = part.trim_end_matches(|character: char| !character.is_alphanumeric());
            if !word.is_empty() {
                let is_capital = word.starts_with(char::is_uppercase);
                // The "s" of "Ana's" says nothing of how the question is written.
                has_lower_case |= word.chars().nth(1).is_some() && word.starts_with(char::is_lowercase);
                found.push(QuestionWord { text: word.to_lowercase(), is_marked: is_capital && !begins_sentence });
                begins_sentence = false;
            }
            begins_sentence |= match &part[word.len()..] {
                "?" | "!" | ":" | "\n" => true,
                "." => {
                    !found.last().is_some_and(|word| TITLES.contains(&&*word.text) || word.text.chars().count() == 1)
                }
                _ => false,
            };
        }
        // Where every word has a capital letter, none is marked by it.
        found.iter_mut().for_each(|word| word.is_marked &= has_lower_case);
        QuestionWords(found)
    }

    /// Those of some authors that the question names. Who is named by more words goes before whom some of the same
    /// words name: "Caroline Smith" is not Caroline Jones, "Caroline" may be both.
    pub fn named_among<'a>(&self, authors: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
        let places: HashMap<&str, Vec<Range<usize>>> = authors.map(|author| (author, self.places_of(author))).collect();
        let is_within_other = |place: &Range<usize>| {
            let is_wider = |other: &Range<usize>| {
                other.len() > place.len() && other.start <= place.start && place.end <= other.end
            };
            places.values().flatten().any(is_wider)
        };
        let is_named = |places: &[Range<usize>]| places.iter().any(|place| !is_within_other(place));
        places.iter().filter(|(_, places)| is_named(places)).map(|(author, _)| *author).collect()
    }

    /// Where the question names somebody, as runs of words.
    fn places_of(&self, name: &str) -> Vec<Range<usize>> {
        let name = Name::of(name);
        let is_part = |word: &QuestionWord| name.all.contains(&word.text);
        let mut places = Vec::new();
        let mut begin = 0;
        while begin < self.0.len() {
            let length = self.0[begin..].iter().take_while(|word| is_part(word)).count();
            let run = &self.0[begin..begin + length];
            if run.iter().any(|word| name.is_named_by(word)) || name.is_whole_in(run) {
                places.push(begin..begin + length);
            }
            begin += length + 1;
        }
        places
    }
}

/// The words of a name, in lower case.
struct Name {
    /// All of them, in order; of a mail address those of its local part.
    all: Vec<String>,
    /// Those that name somebody alone.
    parts: Vec<String>,
    is_mail: bool,
}

impl Name {
    fn of(name: &str) -> Name {
        let (local, is_mail) = name.split_once('@').map_or((name, false), |(local, _)| (local, true));
        let words = local.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
        let all: Vec<String> = words.map(str::to_lowercase).collect();
        let is_id = local.contains(|character: char| character.is_numeric());
        let shortest = if is_id { SHORTEST_PART_OF_ID } else { 2 };
        let is_part =
            |word: &&String| word.chars().count() >= shortest && !word.contains(char::is_numeric) && !is_of_many(word);
        let is_uuid = uuid::Uuid::try_parse(name).is_ok();
        let parts = if is_uuid { Vec::new() } else { all.iter().filter(is_part).cloned().collect() };
        Name { all, parts, is_mail }
    }

    fn is_named_by(&self, word: &QuestionWord) -> bool {
        self.parts.contains(&word.text) && (word.is_marked || !is_also_ordinary(&word.text))
    }

    /// Whether all words of the name stand in a run of its words, in order.
    fn is_whole_in(&self, run: &[QuestionWord]) -> bool {
        if let [word] = &self.all[..] {
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let is_long_enough = word.chars().count() >= if is_number { SHORTEST_NUMBER } else { 2 };
            // "user@example.org" is not who "the user" is.
            let is_nobody = self.is_mail && is_of_many(word);
            return is_long_enough
                && !is_nobody
                && run.iter().any(|word| word.is_marked || !is_also_ordinary(&word.text));
        }
        let is_name = |words: &[QuestionWord]| words.iter().map(|word| &word.text).eq(&self.all);
        !self.all.is_empty() && run.windows(self.all.len()).any(is_name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(question: &str, author: &str) -> bool {
        !QuestionWords::of(question).named_among([author].into_iter()).is_empty()
    }

    /// Each question names the first author and not the second.
    fn assert_names(cases: &[(&str, &str, &str)]) {
        for (question, named, not_named) in cases {
            assert!(names(question, named), "{question} names {named}");
            assert!(!names(question, not_named), "{question} does not name {not_named}");
        }
    }

    #[test]
    fn a_question_names_somebody_by_a_word_of_the_name_in_any_case_and_possessive() {
        assert_names(&[
            ("What was caroline's plan?", "Caroline", "Melanie"),
            ("What was caroline's plan?", "Caroline Smith", "S"),
            ("WHAT DID BEN SAY", "Ben", "Anna"),
            ("did o'neill answer", "Dr. Anna-Maria O'Neill", "O"),
            ("what did anna say", "Dr. Anna-Maria O'Neill", ""),
            ("李娜 violin", "李娜", "李"),
        ]);
    }

    #[test]
    fn a_name_that_is_an_ordinary_word_wants_a_capital_letter_that_its_place_does_not_ask_for() {
        assert_names(&[
            ("What did Will say about the boat?", "Will", "Bill"),
            ("Will she come in May?", "May", "Will"),
            ("what did Mark do with grace", "Mark", "Grace"),
            ("who told us about the US", "US", "All"),
            ("ask Dr. Rose", "Rose", "Dr. Ben"),
            ("I am back. Will it rain on Joy?", "Joy", "Will"),
            ("did Hope call will smith", "Will Smith", "Will"),
        ]);
        for question in ["who told us?", "WILL IT RAIN ON MARK", "mark the bill in may", "Will It Rain On Mark"] {
            for author in ["US", "Will", "Mark", "May", "Bill"] {
                assert!(!names(question, author), "{question}: {author}");
            }
        }
    }

    #[test]
    fn an_id_is_named_whole_or_by_a_part_that_is_a_name() {
        assert_names(&[
            ("what did user-7 say", "user-7", "user-8"),
            ("what did User 7 say", "user-7", "user_77"),
            ("what did the user say for 7 days", "user", "user-7"),
            ("what did ana say to the agent", "agent_ana", "agent_ben"),
            ("what did ana buy", "ana-7", "an-7"),
            ("mail of ana.smith@example.org", "ana.smith@example.org", "ben@example.org"),
            ("what did smith write of the example", "ana.smith@example.org", "ben@example.org"),
            ("the bot and the assistant", "assistant", "support-bot"),
            ("the user asked 42 times", "user", "42"),
            ("what did the user do", "User", "user@example.org"),
            ("account 4711234 says", "4711234", "account-4711"),
            ("who wrote 3f2b8c1e-dead-4bad-beef-0123456789ab", "3f2b8c1e-dead-4bad-beef-0123456789ab", "99bad"),
            ("a dead face at the cafe", "Dead Face", "3f2b8c1e-dead-4bad-cafe-0123456789ab"),
        ]);
    }

    #[test]
    fn who_is_named_by_more_words_goes_before_who_shares_some_of_them() {
        let all = ["Caroline Smith", "Caroline Jones", "Ben Smith", "Ben"];
        for (question, expected) in [
            ("what did Caroline Smith paint", vec!["Caroline Smith"]),
            ("what did Caroline paint", vec!["Caroline Jones", "Caroline Smith"]),
            ("did caroline smith meet caroline jones", vec!["Caroline Jones", "Caroline Smith"]),
            ("did Caroline Smith meet Ben", vec!["Ben", "Ben Smith", "Caroline Smith"]),
            ("did Caroline Smith meet Caroline", vec!["Caroline Jones", "Caroline Smith"]),
            ("what was painted", vec![]),
        ] {
            let mut named: Vec<&str> = QuestionWords::of(question).named_among(all.into_iter()).into_iter().collect();
            named.sort();
            assert_eq!(named, expected, "{question}");
        }
    }

    proptest! {
        #[test]
        fn any_question_and_any_names_are_read(question in "\\PC{0,60}", names in prop::collection::vec("\\PC{0,30}", 0..5)) {
            let named = QuestionWords::of(&question);
            prop_assert!(named.named_among(names.iter().map(String::as_str)).len() <= names.len());
        }

        #[test]
        fn a_name_is_named_by_itself(name in "[A-Z][b-z]{2,9}( [A-Z][b-z]{4,9})?") {
            let (question, of_name) = (format!("what did {} say", name), names(&format!("what did {name} say"), &name));
            prop_assert!(of_name, "{}", question);
        }

        #[test]
        fn who_has_no_word_of_the_question_is_not_named(question in "[a-m ]{0,40}", name in "[n-z]{1,9}([ -][n-z0-9]{1,9}){0,2}") {
            prop_assert!(!names(&question, &name));
        }

        #[test]
        fn an_author_beside_others_is_named_only_if_alone_as_well(question in "((Ann|ann|Lee|Will|Bo) ?){0,6}", others in prop::collection::vec("(Ann|Will)( Lee)?", 0..5)) {
            let words = QuestionWords::of(&question);
            for author in words.named_among(others.iter().map(String::as_str)) {
                prop_assert!(names(&question, author));
            }
        }
    }
}
