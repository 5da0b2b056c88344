//! A search, fully resolved: every default filled in, every bound checked. Retrieval and ranking
//! read nothing else.

use std::ops::RangeInclusive;

use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filters;
use crate::limits;
use crate::rank::bm25;
use crate::rank::choices::{Strategy, WordMatch};
use crate::rank::scoring::RankingRules;
use crate::rank::strategy::Asked;
use crate::request::arguments;
use crate::request::names::MemoryId;
use crate::request::options::Options;
use crate::request::presets;
use crate::request::search_request::{Purpose, SearchRequest};
use crate::text::query_syntax::QueryText;
use crate::timestamp::Micros;
use crate::vector::embedding;

/// The bounds that a DBA may set.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The most entries in a response.
    pub max_top_ke: i64,
    /// The most relevant contexts in a response.
    pub max_top_kc: i64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { max_top_ke: limits::DEFAULT_MAX_TOP_KE.into(), max_top_kc: limits::DEFAULT_MAX_TOP_KC.into() }
    }
}

/// A resolved search.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The memory to search.
    pub memory_id: MemoryId,
    /// The query's text, taken apart; nothing wanted means "the most recent".
    pub query: QueryText,
    /// Entries wanted.
    pub top_ke: usize,
    /// Relevant contexts wanted.
    pub top_kc: usize,
    /// The caller's embedding of the query.
    pub embedding: Option<Vec<f32>>,
    /// The strategy asked for; [`Strategy::Auto`] until the inputs are known.
    pub strategy: Strategy,
    /// Whether a strategy that finds nothing steps down.
    pub fallback: bool,
    /// Which entries may be found.
    pub filters: Filters,
    /// What entries are ranked by.
    pub ranking: RankingRules,
    /// What contexts are ranked by.
    pub context_ranking: RankingRules,
    /// Which of the query's words an entry must hold to be found by words.
    pub word_match: WordMatch,
    /// BM25's constants.
    pub bm25: bm25::Parameters,
    /// Entries more similar than this to a better one are dropped.
    pub dedup_threshold: Option<f64>,
    /// Candidates taken from each signal.
    pub candidates: usize,
    /// Whether entries that a correction replaced are found too.
    pub include_superseded: bool,
    /// The instant that ages and visibility refer to; `None` is now.
    pub as_of: Option<Micros>,
    /// Whether the response says what the search did.
    pub diagnostics: bool,
}

impl Plan {
    /// What decides which strategies are tried.
    pub fn asked(&self) -> Asked {
        Asked {
            strategy: self.strategy,
            fallback: self.fallback,
            has_words: !self.query.wanted.is_empty(),
            relevant_only: self.ranking.relevant_only,
        }
    }

    /// Resolves a request within the DBA's bounds.
    pub fn resolve(request: SearchRequest, bounds: Bounds) -> Result<Self> {
        let memory_id = arguments::memory_id(request.memory_id)?;
        let query = arguments::required("query", request.query)
            .map_err(|refusal| refusal.hint("Give the text to search for; '' asks for the most recent entries."))?;
        if query.len() > limits::MAX_QUERY_BYTES {
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!("query has {} bytes, more than {}", query.len(), limits::MAX_QUERY_BYTES),
            )
            .hint("Search with the question itself; a document can be searched by its embedding."));
        }
        let top_kc =
            within("top_kc", "top_kc", request.top_kc, limits::DEFAULT_TOP_KC, limits::MIN_TOP_KC..=bounds.max_top_kc)?;
        if let Some(embedding) = &request.embedding {
            embedding::check(embedding)?;
        }
        let options = request.options.as_deref().map_or_else(|| Ok(Options::default()), Options::parse)?;
        let top_ke = within(
            request.top_ke_name.unwrap_or("top_ke"),
            "top_ke",
            request.top_ke,
            match request.purpose {
                Purpose::Answer => options.top_ke,
                Purpose::Prompt => bounds.max_top_ke,
            },
            limits::MIN_TOP_KE..=bounds.max_top_ke,
        )?;
        let filters = request.filters.as_deref().map_or_else(|| Ok(Filters::default()), Filters::parse)?;
        let scoring = options.scoring.with_weights(options.semantic_weight, options.keyword_weight)?;
        scoring.check_boosts()?;
        // Near duplicates take ranks that they give up later. A prompt that names no threshold takes
        // as many candidates as a search without one.
        let default_candidates = limits::DEFAULT_CANDIDATES * if options.dedup_threshold.is_some() { 4 } else { 1 };
        let candidates = options.candidates.unwrap_or(default_candidates).max(top_ke);
        let dedup_threshold = match request.purpose {
            Purpose::Answer => options.dedup_threshold,
            Purpose::Prompt => options.dedup_threshold.or(Some(limits::DEDUP_THRESHOLD)),
        };
        Ok(Plan {
            memory_id,
            query: query_text(query.trim(), &options)?,
            top_ke: top_ke as usize,
            top_kc: top_kc as usize,
            embedding: request.embedding,
            strategy: options.strategy,
            fallback: options.fallback,
            filters,
            ranking: RankingRules {
                scoring,
                min_similarity: options.min_similarity,
                min_score: options.min_score,
                relevant_only: options.relevant_only,
            },
            context_ranking: presets::context_ranking(),
            word_match: options.word_match.unwrap_or_default(),
            bm25: bm25::Parameters::default(),
            dedup_threshold,
            candidates: candidates as usize,
            include_superseded: options.include_superseded,
            as_of: options.as_of,
            diagnostics: options.diagnostics,
        })
    }
}

/// Quotes and dashes are operators only where words are asked for as such.
fn query_text(text: &str, options: &Options) -> Result<QueryText> {
    Ok(match text {
        "*" => QueryText::default(),
        _ if options.strategy == Strategy::Keyword || options.word_match.is_some() => {
            QueryText::parse(text).bounded()?
        }
        _ => QueryText::plain(text),
    })
}

fn within(name: &str, setting: &str, value: Option<i64>, default: i64, range: RangeInclusive<i64>) -> Result<i64> {
    let (least, most) = (*range.start(), *range.end());
    let value = value.unwrap_or(default.clamp(least, most));
    if range.contains(&value) {
        return Ok(value);
    }
    let refusal = Error::invalid(format!("{name} must be from {least} to {most}, not {value}"));
    if value < least {
        return Err(refusal);
    }
    Err(refusal.hint(format!("A superuser can raise the bound: SET memory_search.max_{setting}.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> SearchRequest {
        SearchRequest { memory_id: Some("m".into()), query: Some("q".into()), ..SearchRequest::default() }
    }

    fn refusal(request: SearchRequest) -> Error {
        Plan::resolve(request, Bounds::default()).unwrap_err()
    }

    #[test]
    fn what_a_request_leaves_out_has_the_documented_default() {
        let plan = Plan::resolve(request(), Bounds::default()).unwrap();
        assert_eq!((plan.top_ke, plan.top_kc, plan.candidates), (5, 2, 75));
        assert_eq!((plan.ranking.scoring.semantic_weight, plan.ranking.scoring.recency_boost), (0.5, 0.1));
    }

    #[test]
    fn the_bounds_of_top_ke_and_top_kc_are_accepted_and_the_next_values_refused() {
        for (top_ke, top_kc) in [(0, 1), (10, 3)] {
            let asked = SearchRequest { top_ke: Some(top_ke), top_kc: Some(top_kc), ..request() };
            assert!(Plan::resolve(asked, Bounds::default()).is_ok());
        }
        let message = refusal(SearchRequest { top_ke: Some(11), ..request() }).message;
        assert_eq!(message, "top_ke must be from 0 to 10, not 11");
        for (top_ke, top_kc) in [(-1, 1), (5, 0), (5, 4)] {
            refusal(SearchRequest { top_ke: Some(top_ke), top_kc: Some(top_kc), ..request() });
        }
    }

    #[test]
    fn a_lowered_bound_lowers_the_default_with_it() {
        let plan = Plan::resolve(request(), Bounds { max_top_ke: 3, max_top_kc: 1 }).unwrap();
        assert_eq!((plan.top_ke, plan.top_kc), (3, 1));
    }

    #[test]
    fn one_weight_settles_the_other_and_two_zeros_are_refused() {
        let with = |options: &str| SearchRequest { options: Some(options.into()), ..request() };
        let plan = Plan::resolve(with(r#"{"weights": {"semantic": 0.7}}"#), Bounds::default()).unwrap();
        assert!((plan.ranking.scoring.keyword_weight - 0.3).abs() < 1e-12);
        assert!(refusal(with(r#"{"weights": {"semantic": 0, "keyword": 0}}"#)).message.contains("all 0"));
        assert!(refusal(with(r#"{"boosts": {"recency": 0.6, "importance": 0.4}}"#)).message.contains("below 1"));
    }

    #[test]
    fn a_preset_settles_defaults_and_its_numbers_can_be_overridden_one_by_one() {
        let with = |options: &str| {
            let request = SearchRequest { options: Some(options.into()), ..request() };
            Plan::resolve(request, Bounds { max_top_ke: 50, max_top_kc: 3 }).unwrap()
        };
        let alfred = with(r#"{"preset": "alfred", "boosts": {"importance": 0.1}}"#);
        assert_eq!((alfred.top_ke, alfred.ranking.min_similarity, alfred.dedup_threshold), (20, Some(0.7), Some(0.95)));
        assert_eq!((alfred.ranking.scoring.relevance_weight, alfred.ranking.scoring.recency_boost), (0.5, 0.3));
        assert_eq!(alfred.ranking.scoring.importance_boost, 0.1);
        let cortex = with(r#"{"preset": "cortex", "weights": {"semantic": 0.6}}"#);
        assert!((cortex.ranking.scoring.keyword_weight - 0.4).abs() < 1e-12);
        assert_eq!(
            Plan::resolve(
                SearchRequest { options: Some(r#"{"preset": "alfred"}"#.into()), ..request() },
                Bounds::default()
            )
            .unwrap()
            .top_ke,
            10
        );
    }

    #[test]
    fn a_prompt_takes_as_many_entries_as_allowed_and_no_near_duplicates() {
        let for_prompt = |options: &str| {
            let request = SearchRequest { purpose: Purpose::Prompt, options: Some(options.into()), ..request() };
            Plan::resolve(request, Bounds::default()).unwrap()
        };
        let plan = for_prompt("{}");
        assert_eq!((plan.top_ke, plan.dedup_threshold, plan.candidates), (10, Some(0.95), 75));
        assert_eq!(for_prompt(r#"{"dedupThreshold": 0.5}"#).dedup_threshold, Some(0.5));
    }

    #[test]
    fn nulls_and_oversized_values_have_their_own_kinds() {
        assert_eq!(refusal(SearchRequest { memory_id: None, ..request() }).kind, ErrorKind::NullArgument);
        assert_eq!(refusal(SearchRequest { query: None, ..request() }).kind, ErrorKind::NullArgument);
        assert_eq!(
            refusal(SearchRequest { query: Some("x".repeat(10_000_000)), ..request() }).kind,
            ErrorKind::LimitExceeded
        );
        assert_eq!(
            refusal(SearchRequest { memory_id: Some(String::new()), ..request() }).kind,
            ErrorKind::InvalidArgument
        );
    }

    #[test]
    fn quotes_are_operators_only_where_words_are_asked_for() {
        let text = r#"read "the book" -twice"#;
        let query = |options: &str| {
            let request = SearchRequest { query: Some(text.into()), options: Some(options.into()), ..request() };
            Plan::resolve(request, Bounds::default()).unwrap().query
        };
        assert_eq!(query("{}"), QueryText::plain(text));
        for options in [r#"{"strategy": "keyword"}"#, r#"{"match": "any"}"#] {
            assert_eq!(
                (query(options).phrases, query(options).excluded),
                (vec!["the book".into()], vec!["twice".into()])
            );
        }
    }

    #[test]
    fn a_star_and_blanks_ask_for_the_most_recent() {
        for text in ["", "*", "  * ", "\n"] {
            let plan =
                Plan::resolve(SearchRequest { query: Some(text.into()), ..request() }, Bounds::default()).unwrap();
            assert_eq!(plan.query, QueryText::default());
        }
    }
}
