//! The names of options and arguments, so that the error for one of them at a wrong place can say where it belongs.

use crate::json_fields::Beside;

/// Every option by its name; `request::options` reads them.
pub const OPTION_NAMES: [&str; 33] = [
    "strategy",
    "preset",
    "fallback",
    "match",
    "typos",
    "fusion",
    "minSimilarity",
    "minScore",
    "relevantOnly",
    "dedupThreshold",
    "mmr",
    "rerank",
    "pinned",
    "newest",
    "contexts",
    "atMost",
    "neighbours",
    "fields",
    "maxCharacters",
    "snippets",
    "cursor",
    "candidates",
    "includeSuperseded",
    "expand",
    "diagnostics",
    "asOf",
    "validAt",
    "validDuring",
    "weights",
    "boosts",
    "recency",
    "usedRecency",
    "popularity",
];

/// The parts of a search beside its filters.
pub const OPTIONS: Beside = Beside {
    has: |key| OPTION_NAMES.contains(&key),
    is: "an option of searches, not a filter",
    place: |key| format!("{{\"{key}\": ...}} into options"),
};

/// Arguments of a search, also by names that other systems have for them, with their names here.
const ARGUMENTS_BY_NAME: [(&str, &str); 11] = [
    ("top_ke", "top_ke"),
    ("topKe", "top_ke"),
    ("topK", "top_ke"),
    ("top_k", "top_ke"),
    ("limit", "top_ke"),
    ("top_kc", "top_kc"),
    ("topKc", "top_kc"),
    ("filters", "filters"),
    ("query", "query"),
    ("embedding", "embedding"),
    ("store", "store"),
];

fn argument(key: &str) -> Option<&'static str> {
    ARGUMENTS_BY_NAME.iter().find(|(known, _)| *known == key).map(|(_, own)| *own)
}

/// The parts of a search beside its options.
pub const ARGUMENTS: Beside = Beside {
    has: |key| argument(key).is_some(),
    is: "an argument of searches, not an option",
    place: |key| format!("{} beside options", argument(key).unwrap_or(key)),
};
