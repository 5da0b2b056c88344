//! How texts are prepared before the parser of a text search configuration sees them: in the definition of
//! `search_vector`, in the functions that it calls, and around a query's text alike. This is the one place that says
//! so; whatever reads words (an index, rows, shards, a view) reads what was made by it.
//!
//! Each step puts words into the text, behind what they are taken from: the parser keeps `src/rank.rs` as one word, and
//! finds `rank.rs` only where it stands by itself.

mod steps;

pub use steps::IS_TO_PREPARE;
use steps::{
    ADDRESS, AND, BEFORE_DOT, BEHIND_DOT, DASHED_NUMBER, ENDS_OF_PATH, FOLDER_IN_PATH, IDEOGRAPHS, NUMBERED,
    PATH_AT_BEGINNING, PLUS_PLUS, SCRIPTS_WITHOUT_SPACES, SECOND_IN_PATH, SHARP, Step, VERSION,
};

use crate::pg::sql_text::filled;

/// What is done with the texts of a store. Definitions say it by what they hold, so a query is always prepared as the
/// store's rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// Nothing: the words of an adopted column are somebody else's.
    None,
    /// What stores of earlier builds have: no parts, and of scripts without spaces only ideographs and kana apart.
    WithoutParts,
    /// All steps.
    WithParts,
}

impl Preparation {
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
        }
    }

    /// The text expression `text`, prepared, as SQL.
    pub fn around(self, text: &str) -> String {
        let prepared = self.steps().iter().fold(text.to_owned(), |text, step| step.around(&text));
        match self {
            // Most texts are as they have to be, which takes a tenth of the time that the steps take.
            Preparation::WithParts => {
                let is_to_prepare = filled(IS_TO_PREPARE, &[("{text}", text)]);
                format!("CASE WHEN {is_to_prepare} THEN {prepared} ELSE {text} END")
            }
            _ => prepared,
        }
    }

    /// The same as statements in PL/pgSQL on the variable `{text}`, each only where it would find something.
    pub fn statements(self) -> String {
        let groups = self.steps().chunk_by(|one, next| one.guard == next.guard).map(|steps| {
            let prepared = steps.iter().fold("{text}".to_owned(), |text, step| step.around(&text));
            format!("IF {} THEN\n  {{text}} := {prepared};\nEND IF;\n", steps[0].guard)
        });
        groups.collect()
    }

    /// Whether no step finds anything in a text, whatever the database's encoding and locale.
    pub fn leaves_alone(self, text: &str) -> bool {
        let may_be_for_scripts = || !text.is_ascii() || text.contains("++") || text.contains('#');
        match self {
            Preparation::None => true,
            Preparation::WithoutParts => !may_be_for_scripts(),
            Preparation::WithParts => !may_be_for_scripts() && !may_have_parts(text.as_bytes()),
        }
    }

    /// What an adopted table's view says of a column that holds words made by us: a column more, after the others.
    pub fn view_column(self) -> String {
        match self {
            Preparation::None => String::new(),
            Preparation::WithoutParts => format!(", true AS {VIEW_COLUMN}"),
            Preparation::WithParts => format!(", {PARTS_IN_VIEW} AS {VIEW_COLUMN}"),
        }
    }

    /// The one with the number that [`number_of`] gives.
    pub fn of_number(number: Option<i64>) -> Self {
        match number {
            Some(1) => Preparation::WithoutParts,
            Some(2) => Preparation::WithParts,
            _ => Preparation::None,
        }
    }
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

/// The column of an adopted table's view that says the same, and its value where words have parts.
const VIEW_COLUMN: &str = "prepares_words";
const PARTS_IN_VIEW: &str = "2";

/// How texts are prepared, as SQL over `definition`, the text of a definition of `search_vector`, with the body of the
/// function that it calls, or of a view; [`Preparation::of_number`] reads it.
pub fn number_of(definition: &str) -> String {
    let holds = |mark: &str| format!("pg_catalog.strpos({definition}, '{mark}') OPERATOR(pg_catalog.>) 0");
    format!(
        "CASE WHEN {} OR {} THEN 2::pg_catalog.int8 WHEN {} OR {} THEN 1::pg_catalog.int8 ELSE 0::pg_catalog.int8 END",
        holds(MARK_OF_PARTS),
        holds(&format!(" {PARTS_IN_VIEW} AS {VIEW_COLUMN}")),
        holds(MARK_OF_PREPARATION),
        holds(&format!("AS {VIEW_COLUMN}"))
    )
}
