//! What a text goes through, step by step. In the text of a JSON value no step may insert anything but inside of a
//! string, and there no quote and no backslash: it is read as JSON again.

/// One `regexp_replace` of all that matches.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// A condition on `{text}` that holds wherever the pattern finds something, as SQL.
    pub guard: &'static str,
    pattern: &'static str,
    replacement: &'static str,
}

/// Characters without a blank among them from which on a run may be cut.
pub const LONG_RUN: usize = 201;

/// The parser looks from every `/` and `_` of a run to its end: for 64 kB of `./` that takes half a minute. So long runs
/// are cut behind one of them; names in paths, and words between underscores, stay whole. In the text of a JSON value both
/// stand inside of strings only, and belong to no escape.
pub const LONG_RUNS: Step = Step { guard: HAS_A_LONG_RUN, pattern: "[^[:space:]]{200,249}[/_]", replacement: r"\& " };
const HAS_A_LONG_RUN: &str = "pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>=) 201
    AND {text} OPERATOR(pg_catalog.~) '[^[:space:]]{201}'";

/// `C++` and `C#`, of which the parser would leave `c`, get a word that it keeps.
pub const PLUS_PLUS: Step = Step {
    guard: "pg_catalog.strpos({text}, '++') OPERATOR(pg_catalog.>) 0",
    pattern: "([[:alpha:]]+)[+][+]",
    replacement: r"\1 \1plusplus",
};
pub const SHARP: Step = Step {
    guard: "pg_catalog.strpos({text}, '#') OPERATOR(pg_catalog.>) 0",
    pattern: "([[:alpha:]]+)#",
    replacement: r"\1 \1sharp",
};

/// Letters of other scripts than Latin take more than a byte in every encoding.
pub const IS_NOT_ASCII: &str = "pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) pg_catalog.length({text})";

/// Scripts that put no space between words (Han, Hiragana, Katakana) get one around each character, so that part of a
/// run is found.
pub const IDEOGRAPHS: Step = Step {
    guard: IS_NOT_ASCII,
    pattern: r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])",
    replacement: r" \1 ",
};

/// The same with Thai, Lao, Khmer and Burmese, where what cannot be parted is a consonant with its vowels and marks.
pub const SCRIPTS_WITHOUT_SPACES: Step = Step {
    guard: IS_NOT_ASCII,
    pattern: concat!(
        r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]",
        r"|[\u0e40-\u0e44]?[\u0e01-\u0e2e][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*[\u0e30\u0e32\u0e33\u0e45]?",
        r"|[\u0ec0-\u0ec4]?[\u0e81-\u0eae\u0edc-\u0edf][\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd]*[\u0eb0\u0eb2\u0eb3\u0ebd]?",
        r"|[\u1780-\u17b3](?:\u17d2[\u1780-\u17b3]|[\u17b6-\u17d1\u17d3\u17dd])*",
        r"|[\u1000-\u102a\u103f](?:\u1039[\u1000-\u102a]|[\u102b-\u1038\u103a-\u103e\u1056-\u1059])*)",
    ),
    replacement: r" \1 ",
};

/// `AT&T`, of which the parser leaves letters that count for nothing, gets `ATandT`; parameters of addresses and
/// entities of HTML stay.
pub const AND: Step = Step {
    guard: "pg_catalog.strpos({text}, '&') OPERATOR(pg_catalog.>) 0",
    pattern: concat!(
        "(?:^|[^[:alnum:]=?&/;.%#_@:-])([[:alnum:]]+)&(?!amp;|lt;|gt;|quot;|nbsp;)([[:alnum:]]+)",
        "(?![[:alnum:]=&])"
    ),
    replacement: r"\& \1and\2",
};

/// A character of a name in a path. In the text of a JSON value a name ends at a quote or a backslash, so that what is
/// inserted behind it is never inside of an escape.
macro_rules! name {
    () => {
        r#"[^[:space:]"'\\(){}<>\[\],;|`*/]"#
    };
}
const HOLDS_A_SLASH: &str = "pg_catalog.strpos({text}, '/') OPERATOR(pg_catalog.>) 0";

/// The parser takes `~/bin/run.sh` for one word where it begins a text, and elsewhere for `/bin/run.sh`. With a blank before
/// it a text begins as it would go on; so does a string in the text of a JSON value.
pub const PATH_AT_BEGINNING: Step = Step { guard: HOLDS_A_SLASH, pattern: r#"(^|")([.~]+/)"#, replacement: r"\1 \2" };

/// Of what holds slashes the first name and the last. Like all that follow it takes few pieces at a time: each piece
/// that a match is asked for costs as much as the match.
pub const ENDS_OF_PATH: Step = Step {
    guard: HOLDS_A_SLASH,
    pattern: concat!("(", name!(), "*)/+(?:", name!(), "+/+)*(", name!(), "+)/*"),
    replacement: r"\& \1 \2",
};

/// Of three names and more the second.
pub const SECOND_IN_PATH: Step = Step {
    guard: HOLDS_A_SLASH,
    pattern: concat!(name!(), "*/+(", name!(), "+)(?:/+", name!(), "+)+/*"),
    replacement: r"\& \1",
};

/// Of four names and more the last but one.
pub const FOLDER_IN_PATH: Step = Step {
    guard: HOLDS_A_SLASH,
    pattern: concat!(name!(), "*/+", name!(), "+/+(?:", name!(), "+/+)*(", name!(), "+)/+", name!(), "+/*"),
    replacement: r"\& \1",
};

/// Where a token of the following steps begins, and what must not follow it: there it is part of something longer,
/// which has to stay in one piece.
macro_rules! beginning {
    () => {
        "(?<![[:alnum:]_@/=:.%&?~+-])"
    };
}
macro_rules! end {
    () => {
        "(?![.:]?[[:alnum:]_@/=&~+-])"
    };
}

/// Of an e-mail address the person and the domain.
pub const ADDRESS: Step = Step {
    guard: "pg_catalog.strpos({text}, '@') OPERATOR(pg_catalog.>) 0",
    pattern: concat!(beginning!(), "([A-Za-z0-9_][A-Za-z0-9_.+-]*)@([A-Za-z0-9_-]+(?:[.][A-Za-z0-9_-]+)+)", end!()),
    replacement: r"\& \1 \2",
};

/// Of `host.name:5432` and `file.rs:12` both.
pub const NUMBERED: Step = Step {
    guard: "{text} OPERATOR(pg_catalog.~) ':[0-9]'",
    pattern: concat!(beginning!(), "([A-Za-z0-9_-]+(?:[.][A-Za-z0-9_-]+)+):([0-9]+)", end!()),
    replacement: r"\& \1 \2",
};

const HOLDS_A_DOT: &str = "{text} OPERATOR(pg_catalog.~) '[A-Za-z0-9_][.][A-Za-z]'";

/// What stands behind the first dot, in names of files and hosts and where a space is missing; not of abbreviations
/// (`e.g.`) and numbers.
pub const BEHIND_DOT: Step = Step {
    guard: HOLDS_A_DOT,
    pattern: concat!(beginning!(), "[A-Za-z0-9_-]+[A-Za-z0-9_][.]([A-Za-z][A-Za-z0-9_.-]*)", end!()),
    replacement: r"\& \1",
};

/// And what stands before it.
pub const BEFORE_DOT: Step = Step {
    guard: HOLDS_A_DOT,
    pattern: concat!(beginning!(), "([A-Za-z0-9_-]+[A-Za-z0-9_])[.][A-Za-z][A-Za-z0-9_.-]*", end!()),
    replacement: r"\& \1",
};

/// The number of `v3.2.10` and `PG18.1-rc1`.
pub const VERSION: Step = Step {
    guard: "{text} OPERATOR(pg_catalog.~) '[A-Za-z][0-9]+[.][0-9]'",
    pattern: concat!(beginning!(), "[A-Za-z]+([0-9]+[.][0-9][A-Za-z0-9_.+-]*)", end!()),
    replacement: r"\& \1",
};

/// The number of `ORA-00942`, which the parser takes for a negative one.
pub const DASHED_NUMBER: Step = Step {
    guard: "{text} OPERATOR(pg_catalog.~) '-[0-9]'",
    pattern: concat!(beginning!(), "[[:alpha:]][[:alnum:]_]*-([0-9][0-9.-]*)", end!()),
    replacement: r"\& \1",
};

/// Whether any of the steps of [`super::Preparation::WithParts`] may find something, as SQL over `{text}`. Of most texts
/// none does, and PL/pgSQL makes every expression that it comes to ready anew in each transaction: so they are few on the
/// way of most rows.
pub const IS_TO_PREPARE: &str = "pg_catalog.strpos({text}, '++') OPERATOR(pg_catalog.>) 0
    OR pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) pg_catalog.length({text})
    OR {text} OPERATOR(pg_catalog.~) '[#/&@]|[.][A-Za-z0-9_-]|[:-][0-9]'";

/// The same for [`super::Preparation::WithFolding`], where `_` may part long runs as `/` does.
pub const IS_TO_PREPARE_OR_TO_CUT: &str = "pg_catalog.strpos({text}, '++') OPERATOR(pg_catalog.>) 0
    OR pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) pg_catalog.length({text})
    OR {text} OPERATOR(pg_catalog.~) '[#/&@]|[.][A-Za-z0-9_-]|[:-][0-9]'
    OR pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>=) 201
      AND {text} OPERATOR(pg_catalog.~) '_' AND {text} OPERATOR(pg_catalog.~) '[^[:space:]]{201}'";

impl Step {
    /// The call around `text`, as SQL.
    pub fn around(&self, text: &str) -> String {
        format!("pg_catalog.regexp_replace({text}, {}, {}, 'g')", literal(self.pattern), literal(self.replacement))
    }
}

/// A literal that is the same text under every `standard_conforming_strings`.
fn literal(text: &str) -> String {
    format!("E'{}'", text.replace('\\', r"\\").replace('\'', "''"))
}
