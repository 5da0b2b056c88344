//! Properties of every text, and the comparison with the oracle.

mod oracle;

use memory_search_analyzer::{LONGEST_WORD, Token, tokens};
use proptest::prelude::*;

fn all(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    tokens(text, |token| {
        all.push(token);
        true
    });
    all
}

/// Words, signs between them, and other contents of texts, in any order.
fn compounds() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-c]{1,3}|[A-C][a-c]{0,3}|[0-9]{1,3}|[a-c]{3}[A-C][a-c]",
        4 => "[-._/@:&+#~ ]",
        1 => prop::sample::select(vec![
            "://", "http://", "C:\\", "\\", "&amp;", "&#39;", "++", "#", "?", "=", "'", "(", "<", "</", "e\u{301}", "\u{301}",
            "é", "É", "ß", "日", "本", "ー", "か\u{3099}", "เก", "ก", "\u{e31}", "\u{17d2}", "ខ", "한", "👍", "👍🏽", "❤️",
            "▶️", "▶", "⏰", "\u{fe0e}", "1\u{fe0f}\u{20e3}", "\u{ad}", "\u{2060}", "\u{2011}", "Ａ", "ｂ", "２", "ｶ", "\u{ff9e}", "ﬁ", "µ",
            "з", "а", "г", "葛\u{e0100}", "\u{200c}",
            "\u{200d}", "²", "٣", "\n", "..", "../", "./", "~/", "1.5", "2024-05-03", "T1", "e-3", "1e5", "v3.2", ",", "%20", "_", "__",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Compounds nested as deep as possible.
const DEEP: &str = concat!(
    r"(https?://|C:\\|/|~/|)(a@)?(a/){0,3}([a-c]\.){0,3}([a-c]-){0,2}([a-c]_){0,2}",
    r"[a-c]{3}[A-C]?[a-c]{2,8}(\+\+|#)?"
);

/// Compounds too long for a token of the whole.
fn long_compounds() -> impl Strategy<Value = String> {
    (compounds(), "[-._/+@a1]{1,4}", 1..300_usize, compounds())
        .prop_map(|(before, piece, times, behind)| before + &piece.repeat(times) + &behind)
}

fn holds_of(text: &str) -> Result<(), TestCaseError> {
    let found = all(text);
    let mut length = 0;
    let mut is_covered = vec![false; text.len()];
    for token in &found {
        prop_assert!(token.start < token.end && token.end <= text.len());
        prop_assert!(text.is_char_boundary(token.start) && text.is_char_boundary(token.end));
        prop_assert!(!token.text.is_empty() && token.text.len() <= LONGEST_WORD);
        is_covered[token.start..token.end].fill(true);
        length += token.end - token.start;
    }
    prop_assert!(length <= 8 * text.len(), "{length} bytes of words");
    // Half-width voiced sound marks are marks, though Unicode has them among the letters.
    let is_letter = |c: char| c.is_alphanumeric() && !matches!(c, '\u{ff9e}' | '\u{ff9f}');
    for (at, _) in text.char_indices().filter(|(_, c)| is_letter(*c)) {
        let rest = seen(&text[at..]);
        let run: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
        let is_left_out = rest[run.len()..].starts_with("://") || is_entity(&seen(&text[..at]), &rest);
        prop_assert!(is_covered[at] || is_left_out || run.len() > LONGEST_WORD, "{run:?} is in no word");
    }
    Ok(())
}

/// A text without the characters that words ignore: a word goes on behind them.
fn seen(text: &str) -> String {
    let is_seen = |c: &char| {
        !matches!(c, '\u{ad}' | '\u{34f}' | '\u{2060}' | '\u{feff}' | '\u{200c}' | '\u{200d}')
            && !matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
    };
    text.chars().filter(is_seen).collect()
}

/// Whether a character between `before` and `rest` is in the name or number of an entity of HTML.
fn is_entity(before: &str, rest: &str) -> bool {
    let in_entity = |sign: usize| rest.find(';').is_some_and(|end| before.len() - sign + end <= 10);
    before.rfind('&').is_some_and(in_entity)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn compounds_agree_with_the_oracle(text in compounds()) {
        let found: Vec<_> = all(&text).into_iter().map(|token| (token.kind, token.text.into_owned())).collect();
        prop_assert_eq!(found, oracle::tokens(&text));
        holds_of(&text)?;
    }

    #[test]
    fn deep_compounds_agree_with_the_oracle(text in DEEP) {
        let found: Vec<_> = all(&text).into_iter().map(|token| (token.kind, token.text.into_owned())).collect();
        prop_assert_eq!(found, oracle::tokens(&text));
        holds_of(&text)?;
    }

    #[test]
    fn any_text_has_words_within_it(text in any::<String>()) {
        holds_of(&text)?;
    }

    #[test]
    fn a_blank_separates_texts(one in compounds(), other in compounds()) {
        let both = format!("{one} {other}");
        let texts = |text| all(text).into_iter().map(|token| (token.kind, token.text.into_owned())).collect::<Vec<_>>();
        prop_assert_eq!(texts(&both), [texts(&one), texts(&other)].concat());
    }

    #[test]
    fn both_accents_are_the_same_word(text in "[a-eéüñÅ./_-]{0,20}") {
        use unicode_normalization::UnicodeNormalization;
        let apart: String = text.nfd().collect();
        let texts = |text| all(text).into_iter().map(|token| (token.kind, token.text.into_owned())).collect::<Vec<_>>();
        prop_assert_eq!(texts(&apart), texts(&text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn long_compounds_agree_with_the_oracle(text in long_compounds()) {
        let found: Vec<_> = all(&text).into_iter().map(|token| (token.kind, token.text.into_owned())).collect();
        prop_assert_eq!(found, oracle::tokens(&text));
        holds_of(&text)?;
    }
}
