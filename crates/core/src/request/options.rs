//! The `options` argument: how to search. [`OPTIONS`] is the one list of them: parsing, "did you mean" and the tool
//! description are made from it. Options that a caller leaves out come from the preset ([`crate::request::presets`]).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::json;
use serde_json::value::RawValue;

use crate::bounds_and_defaults;
use crate::error::{Error, Result};
use crate::filter::Filters;
use crate::filter::argument::FILTERS;
use crate::filter::option_names;
use crate::filter::validity::Validity;
use crate::json_fields::{Fields, unreadable};
use crate::rank::scoring::Scoring;
use crate::request::newest::Newest;
use crate::request::option_kinds::{
    EntryFields, Flag, Groupings, Instant, Integer, Kind, Number, OwnFilters, Paged, ReadBefore, Reranker, Shortened,
    Switch, ValidAt, ValidDuring, Word,
};
use crate::request::presets::Preset;

pub use crate::rank::choices::{Fusion, PopularityCurve, RecencyCurve, Strategy, WordMatch};
pub use crate::request::option_kinds::{Neighbours, Options};

/// An entry of the list.
pub struct OptionSpec {
    /// Its key in the JSON object.
    pub key: &'static str,
    /// The kind of its value.
    pub holds: Holds,
    /// Its description for tools; `None` for options that are not for agents.
    pub description: Option<&'static str>,
}

/// A value, or an object with nested options.
pub enum Holds {
    /// A value.
    Value(&'static dyn Kind),
    /// An object.
    Object(&'static [OptionSpec]),
}

const fn option(key: &'static str, kind: &'static dyn Kind, description: &'static str) -> OptionSpec {
    OptionSpec { key, holds: Holds::Value(kind), description: Some(description) }
}

const fn object(key: &'static str, options: &'static [OptionSpec], description: &'static str) -> OptionSpec {
    OptionSpec { key, holds: Holds::Object(options), description: Some(description) }
}

/// Every option, in the order in which messages name them.
pub const OPTIONS: &[OptionSpec] = &[
    option(
        "strategy",
        &Word(|options, strategy: Strategy| options.strategy = strategy),
        "How to find entries; auto takes what the query allows. With keyword, \"quoted words\" must be there and -word \
         must not",
    ),
    // It has settled the defaults before any option is read.
    option("preset", &Word(|_, _: Preset| ()), "A named set of scoring defaults"),
    option(
        "fallback",
        &Flag(|options| &mut options.fallback),
        "Whether a strategy that finds nothing steps down to a simpler one",
    ),
    option(
        "match",
        &Word(|options, word_match: WordMatch| options.word_match = Some(word_match)),
        "Whether one word of the query is enough (any, the default) or all are needed",
    ),
    option(
        "typos",
        &Switch(|options, typos| options.typos = Some(typos)),
        "Whether a word that no entry has finds words that differ from it in one letter",
    ),
    option(
        "fusion",
        &Word(|options, fusion: Fusion| options.scoring.fusion = fusion),
        "How meaning and words are joined",
    ),
    option(
        "minSimilarity",
        &Number(bounds_and_defaults::SIMILARITY, |options, least| options.min_similarity = Some(least)),
        "Least cosine similarity of an entry",
    ),
    option(
        "minScore",
        &Number(bounds_and_defaults::UNIT, |options, least| options.min_score = Some(least)),
        "Least score of an entry",
    ),
    option(
        "relevantOnly",
        &Flag(|options| &mut options.relevant_only),
        "Whether to leave out entries that do not answer the query, which may be all",
    ),
    option(
        "dedupThreshold",
        &Number(bounds_and_defaults::UNIT, |options, threshold| options.dedup_threshold = Some(threshold)),
        "Entries more similar than this to a better one are dropped",
    ),
    option(
        "mmr",
        &Number(bounds_and_defaults::UNIT, |options, share| options.mmr = Some(share)),
        "For a diverse answer: the weight of score against difference from better entries; 1 is score alone",
    ),
    // A name of a function is not for a model to choose.
    OptionSpec { key: "rerank", holds: Holds::Value(&Reranker), description: None },
    // For prompts, which memory_search does not make.
    OptionSpec { key: "pinned", holds: Holds::Value(&OwnFilters), description: None },
    OptionSpec {
        key: "newest",
        holds: Holds::Value(&ReadBefore(|| json!({"type": ["integer", "object"]}))),
        description: None,
    },
    option(
        "contexts",
        &OwnFilters,
        "Only contexts made then, by createdAt, createdAfter or createdBefore as in filters: the latest one too",
    ),
    option("atMost", &Groupings, "The most entries of a user, an agent, a session, a source or a key of metadata"),
    object(
        "neighbours",
        &[
            option(
                "before",
                &Integer {
                    range: bounds_and_defaults::NEIGHBOURS,
                    default: Some(0),
                    set: |options, entries| options.neighbours.before = entries,
                },
                "Entries before it",
            ),
            option(
                "after",
                &Integer {
                    range: bounds_and_defaults::NEIGHBOURS,
                    default: Some(0),
                    set: |options, entries| options.neighbours.after = entries,
                },
                "Entries after it",
            ),
        ],
        "Show with each entry those just before and after it in its session",
    ),
    option("fields", &EntryFields, "The fields of each entry that come back; all when left out"),
    option(
        "maxCharacters",
        &Integer {
            range: bounds_and_defaults::CHARACTERS_OF_ENTRY,
            default: None,
            set: |options, characters| options.max_characters = Some(characters as usize),
        },
        "Longer texts of entries are cut to this many characters, the last of which is …",
    ),
    option(
        "snippets",
        &Shortened,
        "Adds to each entry the passage that fits the query, with its words marked: in place of long texts with \
         fields",
    ),
    option(
        "cursor",
        &Paged,
        "For pages: true adds nextCursor to the response; given here with the same request, that brings the entries \
         that follow",
    ),
    option(
        "candidates",
        &Integer {
            range: bounds_and_defaults::CANDIDATES,
            default: Some(bounds_and_defaults::DEFAULT_CANDIDATES),
            set: |options, candidates| options.candidates = Some(candidates),
        },
        "Candidates taken from each signal",
    ),
    option(
        "includeSuperseded",
        &Flag(|options| &mut options.include_superseded),
        "Whether entries that a correction replaced are found too",
    ),
    option(
        "expand",
        &Flag(|options| &mut options.expand),
        "Whether entries that links lead to from the best ones, or that share a rare word or entity with them, are found \
         too and rank higher: for questions whose answer lies in several entries",
    ),
    OptionSpec {
        key: "diagnostics",
        holds: Holds::Value(&Flag(|options| &mut options.diagnostics)),
        description: None,
    },
    option(
        "asOf",
        &Instant(|options, instant| options.as_of = Some(instant)),
        "Search as of this time: ages and visibility as they were then",
    ),
    option(
        "validAt",
        &ValidAt,
        "Find what holds at this time (RFC 3339), or any for all; left out, what holds now or at asOf. Entries without \
         validFrom and validUntil hold always",
    ),
    option(
        "validDuring",
        &ValidDuring,
        "Find what holds at some time from the first to before the second; null is open",
    ),
    object(
        "weights",
        &[
            option(
                "semantic",
                &Number(bounds_and_defaults::UNIT, |options, share| options.semantic_weight = Some(share)),
                "Share of meaning",
            ),
            option(
                "keyword",
                &Number(bounds_and_defaults::UNIT, |options, share| options.keyword_weight = Some(share)),
                "Share of words",
            ),
        ],
        "Shares of meaning and words in relevance",
    ),
    object(
        "boosts",
        &[
            option(
                "recency",
                &Number(bounds_and_defaults::UNIT, |options, share| options.scoring.recency_boost = share),
                "Share of recency",
            ),
            option(
                "importance",
                &Number(bounds_and_defaults::UNIT, |options, share| options.scoring.importance_boost = share),
                "Share of importance",
            ),
            option(
                "popularity",
                &Number(bounds_and_defaults::UNIT, |options, share| options.scoring.popularity_boost = share),
                "Share of popularity",
            ),
            option(
                "usedRecency",
                &Number(bounds_and_defaults::UNIT, |options, share| options.scoring.used_recency_boost = share),
                "Share of the recency of use",
            ),
            option(
                "feedback",
                &Number(bounds_and_defaults::UNIT, |options, weight| options.scoring.feedback_boost = weight),
                "How much more an entry counts at most if users found it helpful, and less if they did not",
            ),
            option(
                "author",
                &Number(bounds_and_defaults::UNIT, |options, weight| options.scoring.author_boost = weight),
                "How much more an entry counts if the query names its author",
            ),
            option(
                "date",
                &Number(bounds_and_defaults::UNIT, |options, weight| options.scoring.date_boost = weight),
                "How much more an entry counts if the query names the time of its creation",
            ),
            option(
                "length",
                &Number(bounds_and_defaults::UNIT, |options, weight| options.scoring.length_boost = weight),
                "How much more a long entry counts",
            ),
        ],
        "recency, importance, popularity, usedRecency: shares of the score beside relevance, their sum stays below 1; \
         author, date, length, feedback: how much more such entries count",
    ),
    object(
        "recency",
        &[
            option("curve", &Word(|options, curve: RecencyCurve| options.scoring.recency_curve = curve), "The curve"),
            option(
                "days",
                &Number(bounds_and_defaults::RECENCY_DAYS, |options, days| options.scoring.recency_days = days),
                "Its length in days",
            ),
        ],
        "How recency falls with age",
    ),
    object(
        "usedRecency",
        &[
            option(
                "curve",
                &Word(|options, curve: RecencyCurve| options.scoring.used_recency_curve = curve),
                "The curve",
            ),
            option(
                "days",
                &Number(bounds_and_defaults::RECENCY_DAYS, |options, days| options.scoring.used_recency_days = days),
                "Its length in days",
            ),
        ],
        "How recency of use falls with the time since then",
    ),
    object(
        "popularity",
        &[
            option(
                "curve",
                &Word(|options, curve: PopularityCurve| options.scoring.popularity_curve = curve),
                "The most used entry, or a fixed count",
            ),
            option(
                "cap",
                &Number(bounds_and_defaults::POPULARITY_CAP, |options, cap| options.scoring.popularity_cap = cap),
                "The count that is full popularity",
            ),
        ],
        "The use that counts as full popularity",
    ),
];

impl Options {
    /// Parses the JSON text of `options`.
    pub fn parse(text: &str) -> Result<Self> {
        Options::parse_over(None, text)
    }

    /// Parses the JSON text of `options`, where a store has a scoring of its own. A preset replaces that.
    pub fn parse_over(of_store: Option<Scoring>, text: &str) -> Result<Self> {
        let mut fields = Fields::parse("options", text)?;
        // A preset that is none is refused in its turn below.
        let preset = fields.peek_choice::<Preset>("preset");
        let mut options = preset.unwrap_or_default().options();
        // A preset that is null is not given, as every other option.
        if let Some(scoring) = of_store.filter(|_| preset.is_none()) {
            options.scoring = scoring;
        }
        if ["pinned", "contexts", "newest"].iter().any(|key| fields.holds(key)) {
            // The raw text, to the last digit.
            let raw: BTreeMap<Cow<'_, str>, &RawValue> =
                serde_json::from_str(text).map_err(|error| unreadable("options", &error))?;
            let filters = |key: &str| {
                let object = raw.get(key).map(|json| json.get()).filter(|json| json.starts_with('{'));
                object.map(|json| Filters::parse_at(&format!("options.{key}"), json)).transpose()
            };
            options.pinned = filters("pinned")?;
            if options.pinned.as_ref().is_some_and(|pinned| pinned.conditions().is_empty()) {
                return Err(Error::invalid("options.pinned has no condition: every entry would be pinned")
                    .hint("Say which, for example {\"pinned\": {\"importance\": {\"$gte\": 90}}}, or leave it out."));
            }
            options.contexts = filters("contexts")?;
            if let Some(contexts) = &options.contexts {
                contexts.require_creation_times("options.contexts")?;
            }
            if let Some(newest) = raw.get("newest") {
                options.newest = Newest::parse(newest.get())?;
            }
        }
        options.validity = Validity::take(&mut fields)?;
        let of_preset = options.min_similarity.take();
        read(OPTIONS, &mut fields, &mut options)?;
        match options.strategy {
            // They compare no embeddings. A preset gives its threshold for its own strategy.
            Strategy::Keyword | Strategy::Recent if options.min_similarity.is_some() => {
                let strategy = options.strategy.word();
                return Err(Error::invalid(format!(
                    "options.minSimilarity has no meaning for the strategy {strategy}"
                ))
                .hint("Take a strategy that compares meaning: auto, hybrid or semantic; or leave it out."));
            }
            Strategy::Keyword | Strategy::Recent => {}
            _ => options.min_similarity = options.min_similarity.or(of_preset),
        }
        if options.strategy == Strategy::Recent && options.relevant_only {
            return Err(Error::invalid("options.relevantOnly has no meaning for the strategy recent").hint(
                "The newest entries answer no query. Take a strategy that compares words or meaning, or leave \
                 relevantOnly out.",
            ));
        }
        fields.finish_beside(&[FILTERS, option_names::ARGUMENTS])?;
        Ok(options)
    }
}

/// Reads some of the options, and leaves the others in `fields`.
pub fn read_those(are_read: fn(&OptionSpec) -> bool, fields: &mut Fields, into: &mut Options) -> Result<()> {
    read(OPTIONS.iter().filter(|spec| are_read(spec)), fields, into)
}

fn read<'a>(specs: impl IntoIterator<Item = &'a OptionSpec>, fields: &mut Fields, into: &mut Options) -> Result<()> {
    for spec in specs {
        match spec.holds {
            Holds::Value(kind) => kind.read(fields, spec.key, into)?,
            Holds::Object(specs) => {
                if let Some(mut nested) = fields.take_object(spec.key)? {
                    read(specs, &mut nested, into)?;
                    nested.finish()?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_option_is_understood() {
        let options = Options::parse(
            r#"{"strategy": "hybrid", "preset": "default", "fallback": true, "match": "any", "fusion": "rescored",
                "weights": {"semantic": 0.5, "keyword": 0.5},
                "boosts": {"recency": 0.1, "importance": 0.05, "popularity": 0, "usedRecency": 0.1, "feedback": 0.25, "author": 0.5, "date": 0.8, "length": 0.3},
                "relevantOnly": false,
                "recency": {"curve": "exponential", "days": 30}, "popularity": {"curve": "max", "cap": 100},
                "minSimilarity": 0.0, "minScore": 0.0, "dedupThreshold": 0.95, "candidates": 100,
                "mmr": 0.7, "rerank": {"function": "public.rerank", "best": 20, "weight": 0.5, "onError": "keep"}, "neighbours": {"before": 1, "after": 2}, "atMost": {"userId": 2, "metadata.thread": 1}, "fields": ["entryId"], "maxCharacters": 80,
                "snippets": {"maxCharacters": 50, "perEntry": 2, "start": "[", "stop": "]"},
                "includeSuperseded": true, "expand": true, "diagnostics": true, "cursor": true, "newest": 5,
                "contexts": {"createdAt": {"$gte": "2025-01-01T00:00:00Z"}}, "asOf": "2030-01-01T00:00:00Z",
                "validAt": "any", "usedRecency": {"curve": "halfLife", "days": 7}}"#,
        )
        .unwrap();
        assert_eq!(options.strategy, Strategy::Hybrid);
        assert_eq!(options.scoring.recency_days, 30.0);
        assert!(options.diagnostics);
        assert_eq!(options.as_of, Some(1_893_456_000_000_000));
    }

    #[test]
    fn what_pins_everything_is_refused() {
        for everything in ["{}", r#"{"userId": null}"#, r#"{"metadata": {}}"#] {
            let refusal = Options::parse(&format!(r#"{{"pinned": {everything}}}"#)).unwrap_err();
            assert!(refusal.message.starts_with("options.pinned has no condition"), "{refusal}");
        }
        assert_eq!(Options::parse(r#"{"pinned": null}"#).unwrap().pinned, None);
    }

    #[test]
    fn the_newest_entries_are_never_only_those_that_answer() {
        let refusal = Options::parse(r#"{"strategy": "recent", "relevantOnly": true}"#).unwrap_err();
        assert_eq!(refusal.message, "options.relevantOnly has no meaning for the strategy recent");
        for accepted in [r#"{"strategy": "recent", "relevantOnly": false}"#, r#"{"relevantOnly": true}"#] {
            assert!(Options::parse(accepted).is_ok(), "{accepted}");
        }
    }

    #[test]
    fn only_a_preset_that_is_given_replaces_the_scoring_of_the_store() {
        let of_store = Scoring { recency_days: 77.0, ..Preset::Default.options().scoring };
        let days = |text: &str| Options::parse_over(Some(of_store), text).unwrap().scoring.recency_days;
        let built_in = Preset::Default.options().scoring.recency_days;
        for (options, expected) in [("{}", 77.0), (r#"{"preset": null}"#, 77.0), (r#"{"preset": "default"}"#, built_in)]
        {
            assert_eq!(days(options), expected, "{options}");
        }
    }

    #[test]
    fn a_threshold_of_similarity_needs_a_strategy_that_compares_meaning() {
        let floor = |options: &str| Options::parse(options).map(|options| options.min_similarity);
        for strategy in ["keyword", "recent"] {
            let refusal = floor(&format!(r#"{{"strategy": "{strategy}", "minSimilarity": 0.4}}"#)).unwrap_err();
            assert!(refusal.message.contains(strategy), "{refusal}");
            assert_eq!(floor(&format!(r#"{{"preset": "alfred", "strategy": "{strategy}"}}"#)).unwrap(), None);
        }
        assert_eq!(floor(r#"{"preset": "alfred"}"#).unwrap(), Some(0.7));
        assert_eq!(floor(r#"{"preset": "alfred", "strategy": "hybrid"}"#).unwrap(), Some(0.7));
        assert_eq!(floor(r#"{"minSimilarity": 0.4}"#).unwrap(), Some(0.4));
    }

    #[test]
    fn an_option_written_with_dots_is_answered_with_its_object() {
        let refusal = Options::parse(r#"{"boosts.recency": 0.3}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Write {\"boosts\": {\"recency\": ...}}."));
    }

    #[test]
    fn an_argument_among_the_options_is_answered_with_its_place() {
        for (key, own) in [("top_ke", "top_ke"), ("topKe", "top_ke"), ("limit", "top_ke"), ("filters", "filters")] {
            let refusal = Options::parse(&format!("{{\"{key}\": 5}}")).unwrap_err();
            let hint = format!("{key} is an argument of searches, not an option: write {own} beside options.");
            assert_eq!(refusal.hint, Some(hint));
        }
    }

    #[test]
    fn every_filter_among_the_options_is_answered_with_its_place() {
        let others =
            ["tagMatch", "createdAfter", "ids", "excludeIds", "metadata", "metadata.page", "$and", "$or", "$not"];
        for filter in crate::filter::argument::COLUMNS.map(|(name, ..)| name).into_iter().chain(others) {
            let hint = Options::parse(&format!(r#"{{"{filter}": 1}}"#)).unwrap_err().hint.unwrap_or_default();
            let wanted = format!(r#"{filter} is a filter, not an option: write {{"{filter}": ...}} into filters."#);
            assert_eq!(hint, wanted);
        }
    }

    #[test]
    fn the_names_by_which_filters_know_options_are_all_of_them() {
        let mut known = crate::filter::option_names::OPTION_NAMES.to_vec();
        let mut all: Vec<&str> = OPTIONS.iter().map(|option| option.key).collect();
        known.sort_unstable();
        all.sort_unstable();
        assert_eq!(known, all);
    }

    #[test]
    fn a_misspelt_value_is_answered_with_the_nearest_one() {
        let refusal = Options::parse(r#"{"strategy": "hybird"}"#).unwrap_err();
        assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"hybrid\"?"));
        assert!(Options::parse(r#"{"boosts": {"recancy": 0.1}}"#).unwrap_err().hint.unwrap().contains("recency"));
    }
}
