//! Words without their accents, beside the words as written. They are not put into the text, as parts are, but among its
//! lexemes, at the same places: a phrase finds `café noir` by both, a word that has no accent counts once, and the form
//! without one is no further word of the document's. Each is taken through the text search configuration, so what the
//! language's own stemmer folds (German's `Müller`) is one lexeme, and what counts for nothing (`für`) is none.

use super::alphabet::Alphabet;
use crate::pg::sql_text::filled;

/// Letters that words with accents are made of: Latin, Greek and Cyrillic. A mark that no letter took up parts words.
const LETTERS: &str = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0386-\u03ff\u0400-\u04ff\u1e00-\u1fff";
/// Those of them that may have a form without an accent.
const WITH_ACCENT: &str = r"\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0386-\u03ff\u0401\u0451\u1e00-\u1fff";
/// Letters from which a mark is taken; of Cyrillic the E alone: `й` is another letter than `и`.
const BASES: &str = r"A-Za-z\u0391-\u03c9\u0415\u0435";

/// Letters without a mark that could be taken off, and what is typed for them.
const ONE_FOR_ONE: [(char, char); 11] = [
    ('Ø', 'O'),
    ('ø', 'o'),
    ('Ł', 'L'),
    ('ł', 'l'),
    ('Đ', 'D'),
    ('đ', 'd'),
    ('Ð', 'D'),
    ('ð', 'd'),
    ('ı', 'i'),
    ('Ħ', 'H'),
    ('ħ', 'h'),
];
const TWO_FOR_ONE: [(char, &str); 8] =
    [('ß', "ss"), ('ẞ', "SS"), ('Æ', "AE"), ('æ', "ae"), ('Œ', "OE"), ('œ', "oe"), ('Þ', "Th"), ('þ', "th")];

/// Distinct words that are folded: positions tell them apart, and a tsvector knows no more than 16,383.
const MOST_WORDS: usize = 16_000;
/// Letters of the longest of them; the server says of much longer words that it does not index them.
const LONGEST_WORD: usize = 100;

/// Each word of `text` with an accent once, as a text; null where there is none.
pub fn accented(text: &str) -> String {
    format!(
        "(SELECT pg_catalog.string_agg(d.word, ' ') FROM (SELECT DISTINCT m.word[1] AS word \
         FROM pg_catalog.regexp_matches({text}, E'{pattern}', 'g') m (word) \
         WHERE pg_catalog.length(m.word[1]) OPERATOR(pg_catalog.<=) {LONGEST_WORD} LIMIT {MOST_WORDS}) d)",
        pattern = format!("[{LETTERS}]*[{WITH_ACCENT}][{LETTERS}]*").replace('\\', r"\\"),
    )
}

/// A text without accents.
pub fn folded(text: &str, alphabet: Alphabet) -> String {
    let marks = format!(r"{}([{BASES}])[\u0300-\u036f]+", alphabet.unless_kept()).replace('\\', r"\\");
    let mut folded =
        format!(r"pg_catalog.regexp_replace(pg_catalog.normalize({text}, 'NFD'), E'{marks}', E'\\1', 'g')");
    let (from, to): (Vec<char>, String) =
        ONE_FOR_ONE.into_iter().filter(|(letter, _)| !alphabet.keeps(*letter)).unzip();
    // By their numbers: the definition is text of ASCII in every encoding.
    let from: Vec<String> = from.into_iter().map(character).collect();
    folded = format!("pg_catalog.translate({folded}, {}, '{to}')", from.join(" OPERATOR(pg_catalog.||) "));
    for (letter, letters) in TWO_FOR_ONE.into_iter().filter(|(letter, _)| !alphabet.keeps(*letter)) {
        folded = format!("pg_catalog.replace({folded}, {}, '{letters}')", character(letter));
    }
    format!("pg_catalog.normalize({folded}, 'NFC')")
}

fn character(letter: char) -> String {
    format!("pg_catalog.chr({})", u32::from(letter))
}

/// The text of a tsvector: what `folded`, the words of `accented` in their order, adds to `words`, where those stand; null
/// where it is nothing.
const ADDED: &str = "(SELECT pg_catalog.string_agg('''' OPERATOR(pg_catalog.||)
    pg_catalog.replace(pg_catalog.replace(f.lexeme, E'\\\\', E'\\\\\\\\'), '''', '''''') OPERATOR(pg_catalog.||) ''':'
    OPERATOR(pg_catalog.||) (SELECT pg_catalog.string_agg(p.place::pg_catalog.text OPERATOR(pg_catalog.||) p.weight, ',')
      FROM ROWS FROM (pg_catalog.unnest(h.positions), pg_catalog.unnest(h.weights)) p (place, weight)), ' ')
  FROM pg_catalog.unnest(pg_catalog.to_tsvector({language}, {accented})) l (lexeme, positions, weights)
  CROSS JOIN LATERAL pg_catalog.unnest(l.positions) lp (place)
  JOIN (pg_catalog.unnest(pg_catalog.to_tsvector({language}, {folded})) f (lexeme, positions, weights)
    CROSS JOIN LATERAL pg_catalog.unnest(f.positions) fp (place)) ON fp.place OPERATOR(pg_catalog.=) lp.place
  JOIN pg_catalog.unnest({words}) h (lexeme, positions, weights) ON h.lexeme OPERATOR(pg_catalog.=) l.lexeme
  WHERE f.lexeme OPERATOR(pg_catalog.<>) l.lexeme)";

/// [`ADDED`] with its marks filled in.
pub fn added(language: &str, words: &str, accented: &str, folded: &str) -> String {
    let marks = [("{language}", language), ("{words}", words), ("{accented}", accented), ("{folded}", folded)];
    filled(ADDED, &marks)
}

/// The lexemes of a text, which is an expression, with those of its words without accents.
pub fn tsvector(language: &str, text: &str, alphabet: Alphabet) -> String {
    format!(
        "(SELECT CASE WHEN a.added IS NULL THEN a.words ELSE (a.words::pg_catalog.text OPERATOR(pg_catalog.||) ' ' \
             OPERATOR(pg_catalog.||) a.added)::pg_catalog.tsvector END \
          FROM (SELECT q.words, {added} AS added \
            FROM (SELECT w.words, w.accented, {folded} AS folded \
              FROM (SELECT pg_catalog.to_tsvector({language}, t.text) AS words, {accented} AS accented \
                FROM (SELECT {text} AS text OFFSET 0) t OFFSET 0) w OFFSET 0) q OFFSET 0) a)",
        added = added(language, "q.words", "q.accented", "q.folded"),
        folded = folded("w.accented", alphabet),
        accented = accented("t.text"),
    )
}
