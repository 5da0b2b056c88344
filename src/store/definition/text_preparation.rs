//! How texts are prepared before the parser of a text search configuration sees them: in the definition of
//! `search_vector`, in the functions that it calls, and around a query's text alike. This is the one place that says
//! so; whatever reads words (an index, rows, shards, a view) reads what was made by it.
//!
//! Each step puts words into the text, behind what they are taken from: the parser keeps `src/rank.rs` as one word, and
//! finds `rank.rs` only where it stands by itself.

mod alphabet;
mod folding;
mod steps;

pub use alphabet::Alphabet;
use steps::{
    ADDRESS, AND, BEFORE_DOT, BEHIND_DOT, DASHED_NUMBER, ENDS_OF_PATH, FOLDER_IN_PATH, IDEOGRAPHS, IS_NOT_ASCII,
    IS_TO_PREPARE, IS_TO_PREPARE_OR_TO_CUT, LONG_RUN, LONG_RUNS, NUMBERED, PATH_AT_BEGINNING, PLUS_PLUS,
    SCRIPTS_WITHOUT_SPACES, SECOND_IN_PATH, SHARP, Step, VERSION,
};

use crate::pg::sql_text::filled;

/// What is done with the texts of a store. Definitions say it by what they hold, so a query is always prepared as the
/// store's rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// Nothing: the words of an adopted column are somebody else's.
    None,
    /// What adopted tables have: no parts, and of scripts without spaces only ideographs and kana apart.
    WithoutParts,
    /// All steps that are an expression of moderate length: where a store has no functions of its own.
    WithParts,
    /// Besides, long runs are cut, characters are composed, and words with accents are found without them, too.
    WithFolding(Alphabet),
}

impl Preparation {
    /// Whether `{text}` may have words that are folded, as SQL in PL/pgSQL. A store lives on without the extension, also
    /// in a database of another encoding, where Unicode's normal forms are not to be had.
    pub const MAY_FOLD: &str = "pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) pg_catalog.length({text})
    AND pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.=) 'UTF8'";

    /// The steps, in their order: each sees what those before it put in.
    fn steps(self) -> &'static [Step] {
        match self {
            Preparation::None => &[],
            Preparation::WithoutParts => &[PLUS_PLUS, SHARP, IDEOGRAPHS],
            Preparation::WithParts => &[
                PLUS_PLUS,
                SHARP,
                SCRIPTS_WITHOUT_SPACES,
                AND,
                PATH_AT_BEGINNING,
                ENDS_OF_PATH,
                SECOND_IN_PATH,
                FOLDER_IN_PATH,
                ADDRESS,
                NUMBERED,
                BEHIND_DOT,
                BEFORE_DOT,
                VERSION,
                DASHED_NUMBER,
            ],
            Preparation::WithFolding(_) => &[
                LONG_RUNS,
                PLUS_PLUS,
                SHARP,
                SCRIPTS_WITHOUT_SPACES,
                AND,
                PATH_AT_BEGINNING,
                ENDS_OF_PATH,
                SECOND_IN_PATH,
                FOLDER_IN_PATH,
                ADDRESS,
                NUMBERED,
                BEHIND_DOT,
                BEFORE_DOT,
                VERSION,
                DASHED_NUMBER,
            ],
        }
    }

    /// A condition on `{text}` that holds wherever a step finds something, as SQL.
    pub fn is_to_prepare(self) -> &'static str {
        match self {
            Preparation::WithFolding(_) => IS_TO_PREPARE_OR_TO_CUT,
            _ => IS_TO_PREPARE,
        }
    }

    /// Whether words are folded, and by which letters.
    fn folds(self) -> Option<Alphabet> {
        match self {
            Preparation::WithFolding(alphabet) => Some(alphabet),
            _ => None,
        }
    }

    /// The text expression `text`, prepared, as SQL.
    pub fn around(self, text: &str) -> String {
        let composed = match self.folds() {
            Some(_) => format!("pg_catalog.normalize({text}, 'NFC')"),
            None => text.to_owned(),
        };
        let prepared = self.steps().iter().fold(composed, |text, step| step.around(&text));
        match self {
            // Most texts are as they have to be, which takes a tenth of the time that the steps take.
            Preparation::WithParts | Preparation::WithFolding(_) => {
                let is_to_prepare = filled(self.is_to_prepare(), &[("{text}", text)]);
                format!("CASE WHEN {is_to_prepare} THEN {prepared} ELSE {text} END")
            }
            _ => prepared,
        }
    }

    /// The lexemes of the text expression `text` as written, as SQL; `language` is a string literal.
    pub fn written(self, language: &str, text: &str) -> String {
        format!("pg_catalog.to_tsvector({language}::pg_catalog.regconfig, {})", self.around(text))
    }

    /// The same with those of words without their accents: what a row has.
    pub fn tsvector(self, language: &str, text: &str) -> String {
        let written = self.written(language, text);
        let Some(alphabet) = self.folds() else { return written };
        let is_not_ascii = filled(IS_NOT_ASCII, &[("{text}", text)]);
        let language = format!("{language}::pg_catalog.regconfig");
        let folded = folding::tsvector(&language, &self.around(text), alphabet);
        format!("CASE WHEN {is_not_ascii} THEN {folded} ELSE {written} END")
    }

    /// Whether a text may have words that are folded.
    pub fn may_fold(self, text: &str) -> bool {
        !text.is_ascii() && self.folds().is_some()
    }

    /// The steps as statements in PL/pgSQL on the variable `{text}`, each only where it would find something.
    pub fn statements(self) -> String {
        let groups = self.steps().chunk_by(|one, next| one.guard == next.guard).map(|steps| {
            let prepared = steps.iter().fold("{text}".to_owned(), |text, step| step.around(&text));
            format!("IF {} THEN\n  {{text}} := {prepared};\nEND IF;\n", steps[0].guard)
        });
        let composed = match self {
            Preparation::WithFolding(_) => {
                format!("IF {} THEN\n  {{text}} := {COMPOSED};\nEND IF;\n", Self::MAY_FOLD)
            }
            _ => String::new(),
        };
        composed + &groups.collect::<String>()
    }

    /// Statements in PL/pgSQL that add to the variable `words` what the words with accents of the variable `letters` are
    /// without them. `accented` and `folded` are variables for it, `language` is the argument.
    pub fn folding_statements(self) -> String {
        let Preparation::WithFolding(alphabet) = self else { return String::new() };
        format!(
            "-- {MARK_OF_FOLDING}{name}.\n\
             accented := {accented};\n\
             IF accented IS NOT NULL THEN\n  \
               folded := {folded};\n  \
               IF folded OPERATOR(pg_catalog.<>) accented THEN\n    \
                 folded := {added};\n    \
                 IF folded IS NOT NULL THEN\n      \
                   words := (words::pg_catalog.text OPERATOR(pg_catalog.||) ' ' \
                     OPERATOR(pg_catalog.||) folded)::pg_catalog.tsvector;\n    \
                 END IF;\n  \
               END IF;\n\
             END IF;\n",
            name = alphabet.name(),
            accented = folding::accented("letters"),
            folded = folding::folded("accented", alphabet),
            added = folding::added("language", "words", "accented", "folded"),
        )
    }

    /// Whether no step finds anything in a text, whatever the database's encoding and locale.
    pub fn leaves_alone(self, text: &str) -> bool {
        let may_be_for_scripts = || !text.is_ascii() || text.contains("++") || text.contains('#');
        match self {
            Preparation::None => true,
            Preparation::WithoutParts => !may_be_for_scripts(),
            Preparation::WithParts => !may_be_for_scripts() && !may_have_parts(text.as_bytes()),
            Preparation::WithFolding(_) => {
                !may_be_for_scripts() && !may_have_parts(text.as_bytes()) && !has_a_long_run(text.as_bytes())
            }
        }
    }

    /// What an adopted table's view says of a column that holds words made by us: a column more, after the others.
    pub fn view_column(self) -> String {
        match self {
            Preparation::None => String::new(),
            Preparation::WithoutParts => format!(", true AS {VIEW_COLUMN}"),
            Preparation::WithParts | Preparation::WithFolding(_) => format!(", {PARTS_IN_VIEW} AS {VIEW_COLUMN}"),
        }
    }

    /// The one with the number that [`number_of`] gives.
    pub fn of_number(number: Option<i64>) -> Self {
        match number {
            Some(1) => Preparation::WithoutParts,
            Some(2) => Preparation::WithParts,
            Some(number) if number >= FIRST_ALPHABET => {
                Preparation::WithFolding(Alphabet::of_number(number - FIRST_ALPHABET))
            }
            _ => Preparation::None,
        }
    }
}

/// A text in Unicode's normal form, as SQL.
const COMPOSED: &str = "pg_catalog.normalize({text}, 'NFC')";

/// Whether a run of characters may be long enough to be cut.
fn has_a_long_run(text: &[u8]) -> bool {
    text.split(u8::is_ascii_whitespace).any(|run| run.len() >= LONG_RUN)
}

/// What [`IS_TO_PREPARE`] looks for besides, in a text of ASCII.
fn may_have_parts(text: &[u8]) -> bool {
    text.iter().any(|byte| b"/&@".contains(byte))
        || text.windows(2).any(|pair| match pair[0] {
            b'.' => pair[1].is_ascii_alphanumeric() || pair[1] == b'_' || pair[1] == b'-',
            b':' | b'-' => pair[1].is_ascii_digit(),
            _ => false,
        })
}

/// Parts of patterns that stand in no other expression: where a definition holds the first, texts are prepared, and
/// where it holds the second, too, with parts.
const MARK_OF_PREPARATION: &str = "3040-";
const MARK_OF_PARTS: &str = "nbsp;";
/// What a function's body says of an alphabet, and the number of the first.
const MARK_OF_FOLDING: &str = "Letters of their own: ";
const FIRST_ALPHABET: i64 = 3;

/// The column of an adopted table's view that says the same, and its value where words have parts.
const VIEW_COLUMN: &str = "prepares_words";
const PARTS_IN_VIEW: &str = "2";

/// How texts are prepared, as SQL over `definition`, the text of a definition of `search_vector`, with the body of the
/// function that it calls, or of a view; [`Preparation::of_number`] reads it.
pub fn number_of(definition: &str) -> String {
    let holds = |mark: &str| format!("pg_catalog.strpos({definition}, '{mark}') OPERATOR(pg_catalog.>) 0");
    let alphabets: String = Alphabet::all()
        .map(|alphabet| {
            let mark = holds(&format!("{MARK_OF_FOLDING}{}.", alphabet.name()));
            format!("WHEN {mark} THEN {}::pg_catalog.int8 ", FIRST_ALPHABET + alphabet.number())
        })
        .collect();
    format!(
        "CASE {alphabets}WHEN {} OR {} THEN 2::pg_catalog.int8 WHEN {} OR {} THEN 1::pg_catalog.int8 ELSE 0::pg_catalog.int8 END",
        holds(MARK_OF_PARTS),
        holds(&format!(" {PARTS_IN_VIEW} AS {VIEW_COLUMN}")),
        holds(MARK_OF_PREPARATION),
        holds(&format!("AS {VIEW_COLUMN}"))
    )
}
