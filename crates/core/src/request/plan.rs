//! A search, fully resolved: every default filled in, every bound checked. Retrieval and ranking
//! read nothing else.

use std::ops::RangeInclusive;

use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filters;
use crate::filter::validity::Validity;
use crate::rank::bm25;
use crate::rank::choices::{Strategy, WordMatch};
use crate::rank::group::AtMost;
use crate::rank::scoring::{RankingRules, Scoring};
use crate::rank::selection::{Rules, mmr_pool};
use crate::rank::strategy::Asked;
use crate::request::arguments;
use crate::request::detail::Detail;
use crate::request::newest::Newest;
use crate::request::options::{Neighbours, Options};
use crate::request::presets;
use crate::request::rerank::Rerank;
use crate::request::search_page::{SearchOf, SearchPage, Searched, check_pages};
use crate::request::search_request::{Purpose, SearchRequest};
use crate::request::searched_memories::SearchedMemories;
use crate::request::snippets::Snippets;
use crate::request::store_ranking::StoreRanking;
use crate::text::query_syntax::QueryText;
use crate::timestamp::Micros;
use crate::vector::embedding;

/// The bounds of a search that settings decide.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The most entries of a response.
    pub max_top_ke: i64,
    /// The most entries as rows; also a bound of a response.
    pub highest_top_ke: i64,
    /// The most relevant contexts of a response.
    pub max_top_kc: i64,
    /// Whether a search without the option finds words that differ in one letter.
    pub typos: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            max_top_ke: bounds_and_defaults::DEFAULT_MAX_TOP_KE.into(),
            highest_top_ke: bounds_and_defaults::DEFAULT_HIGHEST_TOP_KE.into(),
            max_top_kc: bounds_and_defaults::DEFAULT_MAX_TOP_KC.into(),
            typos: bounds_and_defaults::DEFAULT_TYPOS,
        }
    }
}

impl Bounds {
    /// The most entries that a caller may ask for.
    pub fn of_entries(&self, purpose: Purpose) -> i64 {
        match purpose {
            Purpose::Rows => self.highest_top_ke,
            Purpose::Answer | Purpose::Prompt => self.max_top_ke.min(self.highest_top_ke),
        }
    }

    /// The setting that allows more entries.
    fn hint(&self, purpose: Purpose) -> String {
        match purpose {
            Purpose::Answer | Purpose::Prompt if self.max_top_ke < self.highest_top_ke => format!(
                "SET memory_search.max_top_ke raises the bound up to {}; memory_search_entries returns that many rows \
                 without it.",
                self.highest_top_ke
            ),
            _ => "A superuser can raise the bound: SET memory_search.highest_top_ke.".to_owned(),
        }
    }
}

/// A resolved search.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The memories to search.
    pub memories: SearchedMemories,
    /// The query's text, parsed; empty means "the most recent".
    pub query: QueryText,
    /// Wanted entries; in a search with pages, those of all pages together.
    pub top_ke: usize,
    /// The ranks that are shown; `None` means all.
    pub page: Option<SearchPage>,
    /// Relevant contexts wanted.
    pub top_kc: usize,
    /// The caller's embedding of the query.
    pub embedding: Option<Vec<f32>>,
    /// Whether texts are compared as a whole, not by their passages.
    pub whole_texts: bool,
    /// The requested strategy; [`Strategy::Auto`] until the inputs are known.
    pub strategy: Strategy,
    /// Whether a strategy without candidates falls back to the next.
    pub fallback: bool,
    /// The filters on entries.
    pub filters: Filters,
    /// The ranking of entries.
    pub ranking: RankingRules,
    /// The ranking of contexts.
    pub context_ranking: RankingRules,
    /// The words of the query that an entry must hold to be found by words.
    pub word_match: WordMatch,
    /// Whether a word that no entry holds finds words that differ in one letter.
    pub typos: bool,
    /// BM25's constants.
    pub bm25: bm25::Parameters,
    /// Entries more similar than this to a better one are dropped.
    pub dedup_threshold: Option<f64>,
    /// The weight of score against difference, for a diverse answer.
    pub mmr: Option<f64>,
    /// The most entries of a group.
    pub at_most: Vec<AtMost>,
    /// The reranker, if the request gives one; `Some(None)` means none.
    pub rerank: Option<Option<Rerank>>,
    /// The entries that are in every prompt; the search leaves them out.
    pub pinned: Option<Filters>,
    /// The entries at the beginning of a prompt; the found entries are others.
    pub newest: Option<Newest>,
    /// The contexts that are read.
    pub contexts: Option<Filters>,
    /// The number of entries of its session that are shown with each entry, if any.
    pub neighbours: Option<Neighbours>,
    /// The fields of an entry in the response; `None` means all.
    pub fields: Option<Vec<&'static str>>,
    /// Whether the JSON response is for a language model.
    pub detail: Detail,
    /// The length at which texts are cut.
    pub max_characters: Option<usize>,
    /// The way in which entries are shortened to fitting passages.
    pub snippets: Option<Snippets>,
    /// Candidates taken from each signal.
    pub candidates: usize,
    /// Whether corrected entries are found too.
    pub include_superseded: bool,
    /// Whether entries that belong to the best count, and are found; see [`crate::rank::association`].
    pub expand: bool,
    /// The instant for ages and visibility; `None` means now.
    pub as_of: Option<Micros>,
    /// The intervals that entries must have to be found.
    pub validity: Validity,
    /// Whether the response has diagnostics.
    pub diagnostics: bool,
}

impl Plan {
    /// Whether the response shows embeddings.
    pub fn shows_embedding(&self) -> bool {
        self.fields.as_ref().is_some_and(|fields| fields.contains(&"embedding"))
    }

    /// The options for the selection from the ranking.
    pub fn selection(&self) -> Rules<'_> {
        Rules {
            top_ke: self.top_ke,
            candidates: self.candidates,
            dedup_threshold: self.dedup_threshold,
            mmr: self.mmr,
            at_most: &self.at_most,
        }
    }

    /// The inputs that decide which strategies are tried.
    pub fn asked(&self) -> Asked {
        Asked {
            strategy: self.strategy,
            fallback: self.fallback,
            has_words: !self.query.wanted.is_empty(),
            relevant_only: self.ranking.relevant_only,
            similar_only: self.ranking.min_similarity.is_some(),
        }
    }

    /// Ranks by the scoring of the store, if it has its own, where the request, whose options are given here, gives no
    /// other.
    ///
    /// # Errors
    ///
    /// The boosts of store and request add up to 1 or more (22023).
    pub fn rank_by(&mut self, store: Option<&StoreRanking>, options: Option<&str>) -> Result<()> {
        if let Some(store) = store {
            let options = Options::parse_over(Some(store.scoring), options.unwrap_or("{}"))?;
            let hint =
                || format!("The store's own scoring counts too: {}. Lower a boost, or give the others.", store.text);
            self.ranking.scoring = scoring_of(&options).map_err(|refusal| refusal.hint(hint()))?;
        }
        if let Some(page) = &mut self.page {
            let text = store.map_or("", |store| &store.text);
            page.of = std::mem::take(&mut page.of).and("the store's ranking", text);
        }
        Ok(())
    }

    /// Resolves a request within the bounds of the settings.
    pub fn resolve(request: SearchRequest, bounds: Bounds) -> Result<Self> {
        let memories = request.memories.checked()?;
        let query = arguments::required("query", request.query)
            .map_err(|refusal| refusal.hint("Give the text to search for; '' asks for the most recent entries."))?;
        if query.len() > bounds_and_defaults::MAX_QUERY_BYTES {
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!("query has {} bytes, more than {}", query.len(), bounds_and_defaults::MAX_QUERY_BYTES),
            )
            .hint("Search with the question itself; a document can be searched by its embedding."));
        }
        let top_kc = within(
            "top_kc",
            request.top_kc,
            bounds_and_defaults::DEFAULT_TOP_KC,
            bounds_and_defaults::MIN_TOP_KC..=bounds.max_top_kc,
            || "A superuser can raise the bound: SET memory_search.max_top_kc.".to_owned(),
        )?;
        if let Some(embedding) = &request.embedding {
            embedding::check(embedding)?;
        }
        let options = request.options.as_deref().map_or_else(|| Ok(Options::default()), Options::parse)?;
        let top_ke = within(
            request.top_ke_name.unwrap_or("top_ke"),
            request.top_ke,
            match request.purpose {
                Purpose::Answer | Purpose::Rows => options.top_ke.min(bounds.of_entries(Purpose::Answer)),
                Purpose::Prompt => bounds.of_entries(Purpose::Prompt),
            },
            bounds_and_defaults::MIN_TOP_KE..=bounds.of_entries(request.purpose),
            || bounds.hint(request.purpose),
        )?;
        if request.purpose != Purpose::Answer && options.fields.is_some() {
            return Err(Error::invalid("options.fields applies only to a JSON response")
                .hint("Name the columns that you want in SELECT; options.maxCharacters cuts long texts."));
        }
        if request.purpose == Purpose::Rows && options.neighbours != Neighbours::default() {
            return Err(Error::invalid("options.neighbours applies only to a JSON response")
                .hint("Call memory_search, or memory_list with the filter sessionId."));
        }
        if request.purpose == Purpose::Rows && matches!(options.snippets, Some(Some(_))) {
            return Err(Error::invalid("options.snippets applies only to a JSON response")
                .hint("Call memory_search; options.maxCharacters cuts long texts."));
        }
        // Named among the fields it is asked for; what is not among them need not be made.
        let is_shown = options.fields.as_ref().map(|fields| fields.contains(&"snippet"));
        let snippets = match options.snippets.clone() {
            Some(asked) => asked.filter(|_| is_shown != Some(false)),
            None => (is_shown == Some(true)).then(Snippets::default),
        };
        if request.purpose != Purpose::Prompt && options.pinned.is_some() {
            return Err(Error::invalid("options.pinned applies only to a prompt")
                .hint("Call memory_build_context; filters choose the entries that a search may find."));
        }
        if request.purpose != Purpose::Prompt && options.newest.is_some() {
            return Err(Error::invalid("options.newest applies only to a prompt").hint(
                "Call memory_build_context; an empty query finds the newest entries, and memory_list lists them.",
            ));
        }
        if request.purpose == Purpose::Rows && options.contexts.is_some() {
            return Err(Error::invalid("options.contexts applies only to an answer with contexts")
                .hint("Call memory_search; filters choose the entries that a search may find."));
        }
        if request.purpose != Purpose::Answer && options.diagnostics {
            return Err(Error::invalid("options.diagnostics applies only to a JSON response")
                .hint("Call memory_search; memory_explain shows what became of each candidate."));
        }
        let mut filters = request.filters.as_deref().map_or_else(|| Ok(Filters::default()), Filters::parse)?;
        if let Some(pinned) = &options.pinned {
            filters = filters.with("options.pinned", pinned.condition().is_not_true());
        }
        // Every page is cut from the same ranking, the longest that there may be.
        let (page, top_ke) = match options.page.clone() {
            None => (None, top_ke),
            Some(asked) => {
                check_pages(request.purpose, top_ke)?;
                let of = SearchOf::of(&Searched {
                    memories: &memories,
                    query: query.trim(),
                    embedding: request.embedding.as_deref(),
                    filters: request.filters.as_deref(),
                    options: request.options.as_deref(),
                    depth: bounds.highest_top_ke,
                    typos: options.typos.unwrap_or(bounds.typos),
                });
                (Some(SearchPage { asked, size: top_ke as usize, of }), bounds.highest_top_ke)
            }
        };
        // The entries with which the prompt begins may be among the best: then as many more are wanted.
        let top_ke = match &options.newest {
            Some(newest) if top_ke > 0 => top_ke + newest.entries as i64,
            _ => top_ke,
        };
        let scoring = scoring_of(&options)?;
        // Near duplicates take ranks that they give up later. A prompt that names no threshold takes
        // as many candidates as a search without one.
        let default_candidates =
            bounds_and_defaults::DEFAULT_CANDIDATES * if options.dedup_threshold.is_some() { 4 } else { 1 };
        // A choice of entries that differ needs more of them than the answer has.
        let to_choose_from = options.mmr.map_or(0, |_| mmr_pool(top_ke as usize) as i64);
        let candidates = options.candidates.unwrap_or(default_candidates.max(to_choose_from)).max(top_ke);
        let dedup_threshold = match request.purpose {
            Purpose::Answer | Purpose::Rows => options.dedup_threshold,
            Purpose::Prompt => options.dedup_threshold.or(Some(bounds_and_defaults::DEDUP_THRESHOLD)),
        };
        let query = query_text(query.trim(), &options)?;
        // As a fallback of another strategy they would be only those of some importance.
        let asks_nothing = query == QueryText::default() && request.embedding.is_none();
        let is_for_newest = request.newest_without_query && asks_nothing;
        Ok(Plan {
            memories,
            query,
            top_ke: top_ke as usize,
            page,
            top_kc: top_kc as usize,
            embedding: request.embedding,
            whole_texts: request.whole_texts,
            strategy: if is_for_newest { Strategy::Recent } else { options.strategy },
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
            typos: options.typos.unwrap_or(bounds.typos),
            bm25: bm25::Parameters::default(),
            dedup_threshold,
            mmr: options.mmr,
            rerank: options.rerank,
            pinned: options.pinned,
            newest: options.newest,
            contexts: options.contexts,
            at_most: options.at_most,
            neighbours: Some(options.neighbours).filter(|neighbours| *neighbours != Neighbours::default()),
            fields: options.fields,
            detail: request.detail,
            max_characters: options.max_characters,
            snippets,
            candidates: candidates as usize,
            include_superseded: options.include_superseded,
            expand: options.expand,
            as_of: options.as_of,
            validity: options.validity.unwrap_or_default(),
            diagnostics: options.diagnostics,
        })
    }
}

fn scoring_of(options: &Options) -> Result<Scoring> {
    let scoring = options.scoring.with_weights(options.semantic_weight, options.keyword_weight)?;
    scoring.check_boosts()?;
    Ok(scoring)
}

/// Quotes and dashes are operators only if the request asks for words explicitly.
fn query_text(text: &str, options: &Options) -> Result<QueryText> {
    Ok(match text {
        "*" => QueryText::default(),
        _ if options.strategy == Strategy::Keyword || options.word_match.is_some() => {
            QueryText::parse(text).bounded()?
        }
        _ => QueryText::plain(text),
    })
}

fn within(
    name: &str,
    value: Option<i64>,
    default: i64,
    range: RangeInclusive<i64>,
    hint: impl FnOnce() -> String,
) -> Result<i64> {
    let (least, most) = (*range.start(), *range.end());
    let value = value.unwrap_or(default.clamp(least, most));
    if range.contains(&value) {
        return Ok(value);
    }
    let refusal = Error::invalid(format!("{name} must be from {least} to {most}, not {value}"));
    if value < least {
        return Err(refusal.hint(format!("Leave {name} out for its default.")));
    }
    Err(refusal.hint(hint()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::searched_memories::AskedMemories;

    fn request() -> SearchRequest {
        SearchRequest { memories: "m".into(), query: Some("q".into()), ..SearchRequest::default() }
    }

    #[test]
    fn a_snippet_is_made_where_it_is_shown() {
        let made = |options: &str| {
            let request = SearchRequest { options: Some(options.into()), ..request() };
            Plan::resolve(request, Bounds::default()).unwrap().snippets.is_some()
        };
        for shown in [
            r#"{"snippets": true}"#,
            r#"{"fields": ["snippet"]}"#,
            r#"{"fields": ["snippet"], "snippets": {"maxCharacters": 50}}"#,
        ] {
            assert!(made(shown), "{shown}");
        }
        for hidden in [
            "{}",
            r#"{"snippets": false}"#,
            r#"{"snippets": false, "fields": ["snippet"]}"#,
            r#"{"snippets": true, "fields": ["entryId"]}"#,
        ] {
            assert!(!made(hidden), "{hidden}");
        }
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
    fn rows_may_be_more_than_a_response_holds_and_a_superusers_bound_holds_for_both() {
        let plan = |purpose, top_ke, bounds| {
            Plan::resolve(SearchRequest { purpose, top_ke: Some(top_ke), ..request() }, bounds).map(|plan| plan.top_ke)
        };
        assert_eq!(plan(Purpose::Rows, 1000, Bounds::default()).unwrap(), 1000);
        assert!(plan(Purpose::Answer, 1000, Bounds::default()).unwrap_err().hint.unwrap().contains("up to 1000"));
        let raised = Bounds { max_top_ke: 10_000, ..Bounds::default() };
        assert_eq!(plan(Purpose::Answer, 1000, raised).unwrap(), 1000);
        for purpose in [Purpose::Answer, Purpose::Rows, Purpose::Prompt] {
            assert!(plan(purpose, 1001, raised).unwrap_err().hint.unwrap().contains("highest_top_ke"));
            let lowered = Bounds { highest_top_ke: 4, ..raised };
            assert!(plan(purpose, 5, lowered).is_err() && plan(purpose, 4, lowered).is_ok());
        }
    }

    #[test]
    fn a_lowered_bound_lowers_the_default_with_it() {
        let plan = Plan::resolve(request(), Bounds { max_top_ke: 3, max_top_kc: 1, ..Bounds::default() }).unwrap();
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
            Plan::resolve(request, Bounds { max_top_ke: 50, ..Bounds::default() }).unwrap()
        };
        let alfred = with(r#"{"preset": "alfred", "boosts": {"importance": 0.1}}"#);
        assert_eq!((alfred.top_ke, alfred.ranking.min_similarity, alfred.dedup_threshold), (20, Some(0.7), Some(0.95)));
        assert_eq!((alfred.ranking.scoring.semantic_weight, alfred.ranking.scoring.recency_boost), (1.0, 0.3));
        assert_eq!(alfred.ranking.scoring.importance_boost, 0.1);
        for preset in ["alfred", "cortex"] {
            let weighted = with(&format!(r#"{{"preset": "{preset}", "weights": {{"semantic": 0.6}}}}"#));
            assert!((weighted.ranking.scoring.keyword_weight - 0.4).abs() < 1e-12, "{preset}");
        }
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
    fn where_entries_are_passed_over_more_candidates_are_taken_and_never_fewer_than_entries_are_wanted() {
        let candidates = |options: &str, top_ke| {
            let options = Some(options.into());
            let request = SearchRequest { purpose: Purpose::Rows, top_ke: Some(top_ke), options, ..request() };
            Plan::resolve(request, Bounds::default()).unwrap().candidates
        };
        assert_eq!(candidates(r#"{"dedupThreshold": 0.9}"#, 5), 300);
        assert_eq!(candidates(r#"{"dedupThreshold": 0.9, "candidates": 80}"#, 5), 80);
        assert_eq!(candidates("{}", 200), 200);
        for (options, top_ke, expected) in [
            (r#"{"mmr": 0.7}"#, 5, 75),
            (r#"{"mmr": 0.7}"#, 100, 400),
            (r#"{"mmr": 0.7, "strategy": "recent"}"#, 200, 800),
            (r#"{"mmr": 0.7}"#, 600, 1000),
            (r#"{"mmr": 0.7, "candidates": 20}"#, 100, 100),
        ] {
            assert_eq!(candidates(options, top_ke), expected, "{options}");
        }
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
        assert_eq!(
            refusal(SearchRequest { memories: AskedMemories::default(), ..request() }).kind,
            ErrorKind::NullArgument
        );
        assert_eq!(refusal(SearchRequest { query: None, ..request() }).kind, ErrorKind::NullArgument);
        assert_eq!(
            refusal(SearchRequest { query: Some("x".repeat(10_000_000)), ..request() }).kind,
            ErrorKind::LimitExceeded
        );
        assert_eq!(refusal(SearchRequest { memories: "".into(), ..request() }).kind, ErrorKind::InvalidArgument);
    }

    #[test]
    fn without_a_query_the_newest_are_wanted_whatever_the_strategy_if_the_function_says_so() {
        let strategy = |query: &str, embedding: Option<Vec<f32>>, options: &str| {
            let (query, options) = (Some(query.into()), Some(options.into()));
            let request = SearchRequest { newest_without_query: true, query, embedding, options, ..request() };
            Plan::resolve(request, Bounds::default()).unwrap().strategy
        };
        for options in [r#"{"strategy": "semantic"}"#, r#"{"strategy": "keyword"}"#, r#"{"preset": "alfred"}"#] {
            assert_eq!(strategy(" ", None, options), Strategy::Recent, "{options}");
        }
        assert_eq!(strategy("q", None, r#"{"strategy": "keyword"}"#), Strategy::Keyword);
        assert_eq!(strategy("", Some(vec![1.0]), r#"{"strategy": "semantic"}"#), Strategy::Semantic);
    }

    #[test]
    fn what_only_a_json_response_can_show_is_refused_elsewhere() {
        let options = Some(r#"{"diagnostics": true}"#.to_owned());
        for purpose in [Purpose::Rows, Purpose::Prompt] {
            let refused = refusal(SearchRequest { purpose, options: options.clone(), ..request() });
            assert_eq!(refused.message, "options.diagnostics applies only to a JSON response");
        }
        assert!(Plan::resolve(SearchRequest { options, ..request() }, Bounds::default()).unwrap().diagnostics);
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
