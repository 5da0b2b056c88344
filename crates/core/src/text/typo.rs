//! The words that a misspelt word may mean: all words one edit away. A memory has no dictionary of its words, so
//! the candidates are generated, and the memory is asked which of them it has.

use serde::Serialize;

use crate::text::query_lexemes::{Meaning, QueryLexemes};

/// The weight of an occurrence of the intended word, relative to a word as written.
pub const TYPO_WEIGHT: f64 = 0.5;
/// The least letters of a word that may have a wrong one. Too many other words are one edit away from shorter ones
/// (`cats`, `rats`).
const FEWEST_LETTERS: usize = 5;
const MOST_LETTERS: usize = 24;
/// The most words of a query that are examined, and of those that are corrected: each takes at most a thousand
/// look-ups.
pub const MOST_WORDS: usize = 64;
/// See [`MOST_WORDS`].
pub const MOST_CORRECTED: usize = 4;

/// The letters of a script that may replace missing or wrong letters.
const SCRIPTS: [&str; 3] =
    ["abcdefghijklmnopqrstuvwxyz", "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ", "αβγδεζηθικλμνξοπρσςτυφχψω"];

/// A word of the query that no entry holds, and the words that it was taken for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    /// The word as it is written.
    pub word: String,
    /// Lexemes that the memory has.
    pub taken_for: Vec<String>,
}

/// A word with a missing, additional or wrong letter, or with two exchanged letters.
#[derive(Debug, Clone)]
pub struct Misspelt {
    /// The number of the query's word.
    pub word: usize,
    /// The word as it is written.
    pub written: String,
    /// The lexemes of all words one edit away.
    pub lexemes: Vec<String>,
}

/// The words of a query that may be misspelt, with the words that they may mean.
#[derive(Debug, Clone)]
pub struct Probe {
    misspelt: Vec<Misspelt>,
    /// The query with all possible words. Words that no entry holds change nothing.
    pub lexemes: QueryLexemes,
}

impl Probe {
    /// From words of a query; `None` if there is none.
    pub fn of(misspelt: Vec<Misspelt>, query: &QueryLexemes) -> Option<Probe> {
        // A word in the query counts as itself.
        let mut lexemes = query.clone();
        for word in &misspelt {
            let meaning = Meaning { word: word.word, weight: TYPO_WEIGHT };
            lexemes = lexemes.with(word.lexemes.iter().map(|lexeme| (lexeme.clone(), meaning)));
        }
        (lexemes.len() > query.len()).then_some(Probe { misspelt, lexemes })
    }

    /// The query with the words that entries hold, by the number of rows with each of the probe's lexemes, and the
    /// words that were taken for others; `None` if no entry holds any.
    pub fn corrected(&self, query: &QueryLexemes, holding: &[u64]) -> Option<(QueryLexemes, Vec<Taken>)> {
        let mut taken: Vec<Taken> =
            self.misspelt.iter().map(|it| Taken { word: it.written.clone(), taken_for: Vec::new() }).collect();
        let mut meant = Vec::new();
        for ((lexeme, meaning), &rows) in self.lexemes.iter().zip(self.lexemes.meanings()).zip(holding) {
            let of = self.misspelt.iter().position(|it| it.word == meaning.word);
            if let Some(of) = of.filter(|_| rows > 0 && query.find(lexeme).is_none()) {
                taken[of].taken_for.push(lexeme.to_owned());
                meant.push((lexeme.to_owned(), meaning));
            }
        }
        taken.retain(|taken| !taken.taken_for.is_empty());
        (!taken.is_empty()).then(|| (query.clone().with(meant), taken))
    }
}

/// The words of a text that may be misspelt, each once, in lower case: only letters, and no part of a longer token such
/// as a path or a version.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for token in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '!' | '?' | '(' | ')' | '"' | '\''))
    {
        let word =
            token.trim_matches(|c: char| matches!(c, '.' | ':' | '«' | '»' | '“' | '”' | '„' | '…')).to_lowercase();
        if script(&word).is_some() && !words.contains(&word) {
            words.push(word);
            if words.len() == MOST_WORDS {
                break;
            }
        }
    }
    words
}

/// The letters of the script of a word, if it may be misspelt.
fn script(word: &str) -> Option<&'static str> {
    // A letter takes four bytes at most.
    if word.len() > MOST_LETTERS * 4 || !(FEWEST_LETTERS..=MOST_LETTERS).contains(&word.chars().count()) {
        return None;
    }
    let is_of = |letters: &&str| {
        let first = letters.chars().next().unwrap_or_default();
        word.chars().all(|c| letters.contains(c) || is_accented_like(c, first))
    };
    SCRIPTS.into_iter().find(is_of)
}

/// Whether a letter with a mark is of the script of `first`.
fn is_accented_like(letter: char, first: char) -> bool {
    match first {
        'a' => matches!(letter, '\u{df}'..='\u{f6}' | '\u{f8}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}'),
        'α' => matches!(letter, '\u{38a}'..='\u{3ce}' | '\u{1f00}'..='\u{1fff}'),
        _ => matches!(letter, '\u{430}'..='\u{4ff}'),
    }
}

/// All words one edit away: a letter is left out, added or replaced, or two adjacent letters are exchanged. The first
/// letter is seldom wrong, and many other words differ only in it (`leather`, `feather`): it stays, or changes places
/// with the second.
pub fn one_edit_away(word: &str) -> Vec<String> {
    let Some(script) = script(word) else { return Vec::new() };
    let letters: Vec<char> = word.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut add = |letters: &mut dyn Iterator<Item = char>| words.push(letters.collect());
    for at in 0..=letters.len() {
        let (before, after) = letters.split_at(at);
        let others = if before.is_empty() { "" } else { script };
        for letter in others.chars() {
            add(&mut before.iter().copied().chain([letter]).chain(after.iter().copied()));
        }
        let Some((own, rest)) = after.split_first() else { continue };
        if !before.is_empty() {
            add(&mut before.iter().chain(rest).copied());
        }
        for letter in others.chars().filter(|letter| letter != own) {
            add(&mut before.iter().copied().chain([letter]).chain(rest.iter().copied()));
        }
        if let Some((next, rest)) = rest.split_first().filter(|(next, _)| *next != own) {
            add(&mut before.iter().copied().chain([*next, *own]).chain(rest.iter().copied()));
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Damerau's distance with exchanged neighbours, by the recurrence.
    fn distance(a: &str, b: &str) -> usize {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut least = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn one_edit_away_is_every_word_of_distance_one_and_no_other(word in "[ab]{5,7}", other in "[ab]{4,8}") {
            let away = one_edit_away(&word);
            let exchanged = |w: &str| w.chars().nth(1).into_iter().chain(w.chars().next()).chain(w.chars().skip(2)).collect::<String>();
            let is_meant = other.chars().next() == word.chars().next() || other == exchanged(&word);
            prop_assert_eq!(away.contains(&other), distance(&word, &other) == 1 && is_meant);
        }
    }

    #[test]
    fn a_word_of_eight_letters_has_some_400_neighbours() {
        assert_eq!(one_edit_away("graphite").len(), 7 + 7 + 7 * 25 + 8 * 25 + 1);
    }

    #[test]
    fn only_whole_words_of_letters_of_one_script_may_be_misspelt() {
        let text = "Kuberntes, kube.rs src/kubernetes v3 tests1 tea Müler “Москвы” x86-64 Mосква kuberntes";
        assert_eq!(words(text), ["kuberntes", "müler", "москвы"]);
    }

    #[test]
    fn words_that_stand_somewhere_count_for_the_word_that_stands_nowhere() {
        let meaning = |word| Meaning { word, weight: 1.0 };
        let query = QueryLexemes::of_meanings(2, [("cofee".to_owned(), meaning(0)), ("tea".to_owned(), meaning(1))]);
        let lexemes = ["coffee", "cofe", "tea"].map(str::to_owned).to_vec();
        let probe = Probe::of(vec![Misspelt { word: 0, written: "cofee".into(), lexemes }], &query).unwrap();
        assert_eq!(probe.lexemes.iter().collect::<Vec<_>>(), ["cofe", "cofee", "coffee", "tea"]);
        assert_eq!(probe.corrected(&query, &[0, 0, 0, 7]), None);
        let (corrected, taken) = probe.corrected(&query, &[0, 0, 3, 7]).unwrap();
        assert_eq!(corrected.iter().collect::<Vec<_>>(), ["cofee", "coffee", "tea"]);
        assert_eq!(corrected.meanings().nth(1), Some(Meaning { word: 0, weight: TYPO_WEIGHT }));
        assert_eq!(taken, [Taken { word: "cofee".into(), taken_for: vec!["coffee".into()] }]);
    }
}
