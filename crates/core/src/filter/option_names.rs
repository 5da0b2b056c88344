//! The names of options, so that the error for an option among the filters can say where it belongs.

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
