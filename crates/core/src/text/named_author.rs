//! Whether a question names a person: "What did Caroline say?" names Caroline Smith, "Will she come?" names no Will.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::text::name::{Name, QuestionWord};
use crate::text::name_words::{NameWord, words};

/// Titles before a name: their full stop ends no sentence.
pub(super) const TITLES: [&str; 6] = ["dr", "mr", "mrs", "ms", "prof", "st"];

/// The words of a question, to look names up in.
#[derive(Debug, Clone, Default)]
pub struct QuestionWords(Vec<QuestionWord>);

impl QuestionWords {
    /// From a question; `times`: the places in it that belong to a time and name nobody, in bytes.
    pub fn of(question: &str, times: &[Range<usize>]) -> QuestionWords {
        let mut found: Vec<QuestionWord> = Vec::new();
        let (mut has_lower_case, mut end) = (false, 0);
        for word in words(question) {
            let behind = &question[end..word.place.start];
            let begins_sentence = found.last().is_none_or(|before| ends_sentence(&before.word, behind));
            end = word.place.end;
            // The "s" of "Ana's" does not show how the question is written.
            let written = &question[word.place.clone()];
            has_lower_case |= written.chars().nth(1).is_some() && written.starts_with(char::is_lowercase);
            let is_in_time = times.iter().any(|time| time.start <= word.place.start && word.place.end <= time.end);
            found.push(QuestionWord {
                is_marked: word.is_capital && !begins_sentence,
                // A year may be the number of an id.
                is_time: is_in_time && !word.text.contains(char::is_numeric),
                word,
            });
        }
        // If every word has a capital letter, it marks none of them.
        found.iter_mut().for_each(|word| word.is_marked &= has_lower_case);
        QuestionWords(found)
    }

    /// The authors that the question names. An author that more words name comes before those that some of the same
    /// words name: "Caroline Smith" is not Caroline Jones, "Caroline" may be both.
    pub fn named_among<'a>(&self, authors: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
        let places: HashMap<&str, Vec<Range<usize>>> =
            authors.map(|author| (author, Name::of(author).places_in(&self.0))).collect();
        let is_within_other = |place: &Range<usize>| {
            let is_wider = |other: &Range<usize>| {
                other.len() > place.len() && other.start <= place.start && place.end <= other.end
            };
            places.values().flatten().any(is_wider)
        };
        let is_named = |places: &[Range<usize>]| places.iter().any(|place| !is_within_other(place));
        places.iter().filter(|(_, places)| is_named(places)).map(|(author, _)| *author).collect()
    }
}

/// Whether a sentence ends after a word, by the text between it and the next one.
pub(super) fn ends_sentence(word: &NameWord, behind: &str) -> bool {
    let is_short = || TITLES.contains(&&*word.text) || word.script.is_none() && word.text.chars().count() == 1;
    behind.contains(['?', '!', ':', '\n', '？', '！', '：', '。']) || behind.contains('.') && !is_short()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::named_period::named_times;

    /// With the times that it names, in 2024.
    fn words_of(question: &str) -> QuestionWords {
        QuestionWords::of(question, &named_times(question, 1_715_767_200_000_000).places)
    }

    fn names(question: &str, author: &str) -> bool {
        !words_of(question).named_among([author].into_iter()).is_empty()
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
            ("Will she ask May?", "May", "Will"),
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
    fn a_month_that_is_a_name_names_somebody_where_no_time_stands() {
        assert_names(&[
            ("What did April say?", "April", "August"),
            ("Does June like the boat in August?", "June", "August"),
            ("What did April do in April?", "April", "June"),
            ("Was hat August im April gesagt?", "August", "April"),
            ("the letter from May", "May", "June"),
            ("did Ben meet June before August?", "June", "May"),
        ]);
        for question in ["Will she come in May?", "what did Ben say last April", "notes of April 2023", "on 7 June"] {
            for author in ["May", "April", "June", "April Jones"] {
                assert!(!names(question, author), "{question}: {author}");
            }
        }
        assert!(names("what did user 2023 say in 2023", "user-2023"));
    }

    #[test]
    fn a_name_is_the_same_however_its_accents_are_written() {
        let (composed, decomposed) = ("Jos\u{e9} Nu\u{f1}ez", "Jose\u{301} Nun\u{303}ez");
        for (asked, author) in [(composed, decomposed), (decomposed, composed), (decomposed, decomposed)] {
            assert!(names(&format!("what did {asked} say"), author), "{asked} names {author}");
            let first = asked.split(' ').next().unwrap();
            assert!(names(&format!("what was {first}'s plan"), author), "{first} names {author}");
        }
        assert!(!names("what did Jose\u{301} say", "Jos"));
        assert!(names("प्रिया ने क्या कहा", "प्रिया") && !names("प्रिया ने क्या कहा", "रिया"));
    }

    #[test]
    fn a_name_in_a_script_without_blanks_is_named_within_what_stands_beside_it() {
        assert_names(&[
            ("李娜昨天说了什么？", "李娜", "李"),
            ("你知道李娜喜欢什么吗", "李娜", "王娜"),
            ("小明去哪里了", "小明", "王小明"),
            ("约翰昨天来了吗", "约翰·史密斯", "史密斯"),
            ("田中さんは何と言いましたか", "田中 太郎", "中"),
            ("田中太郎の予定は", "田中 太郎", "太郎丸"),
            ("佐々木さんの予定は", "佐々木", "木"),
            ("昨日アナは何を描いた", "アナ", "ナハ"),
            ("アナウンスは何時", "アナウンス", "アナ"),
            ("ｱﾅは何を描いた", "アナ", "アン"),
            ("さくらちゃんの誕生日", "さくら", "くら"),
            ("昨日はさくらが来た", "さくら", "らが"),
            ("さくらんぼは好き？ さくらは？", "さくら", "らんぼ"),
            ("สมชายพูดว่าอะไร", "สมชาย", "สมศรี"),
            ("what did 李娜 say to สมชาย", "李娜", "สมชาติ"),
        ]);
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
            let mut named: Vec<&str> = words_of(question).named_among(all.into_iter()).into_iter().collect();
            named.sort();
            assert_eq!(named, expected, "{question}");
        }
        let named = words_of("王小明去哪里了").named_among(["王小明", "小明"].into_iter());
        assert_eq!(named, HashSet::from(["王小明"]));
    }

    proptest! {
        #[test]
        fn any_question_and_any_names_are_read(question in "\\PC{0,60}", names in prop::collection::vec("\\PC{0,30}", 0..5)) {
            let named = words_of(&question);
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
            let words = words_of(&question);
            for author in words.named_among(others.iter().map(String::as_str)) {
                prop_assert!(names(&question, author));
            }
        }
    }
}
