//! The scoring of one store. The option `ranking` of its memory index has it, and it replaces the built-in defaults.

use crate::error::{Error, Result};
use crate::json_fields::Fields;
use crate::rank::scoring::Scoring;
use crate::request::option_kinds::Options;
use crate::request::options;

/// The keys of the options that it may hold: those that decide how signals and boosts become a score.
pub const KEYS: [&str; 5] = ["weights", "boosts", "recency", "usedRecency", "popularity"];

/// The scoring of a store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreRanking {
    /// The JSON text that it was read from.
    pub text: String,
    /// The default scoring, with the values of the text. Its weights still change with the results of each search: they
    /// say where the better signal starts from.
    pub scoring: Scoring,
}

impl StoreRanking {
    /// Reads a JSON object with the keys [`KEYS`], in the form that `options` of a search has.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, or has an unknown key or a value out of its range (22023).
    pub fn parse(text: &str) -> Result<Self> {
        let mut fields = Fields::parse("ranking", text)?;
        let mut read = Options::default();
        options::read_those(|spec| KEYS.contains(&spec.key), &mut fields, &mut read)?;
        fields.finish()?;
        let given = read.scoring.with_weights(read.semantic_weight, read.keyword_weight);
        let given = given.and_then(|given| given.check_boosts().map(|()| given)).map_err(|refusal| {
            let message = refusal.message.replace("options.", "ranking.");
            Error { message, ..refusal }
        })?;
        let scoring = Scoring { adapts_weights: read.scoring.adapts_weights, ..given };
        Ok(StoreRanking { text: text.to_owned(), scoring })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::plan::{Bounds, Plan};
    use crate::request::search_request::SearchRequest;

    fn scoring_of(ranking: &str, options: &str) -> Result<Scoring> {
        let request = SearchRequest {
            memories: "m".into(),
            query: Some("q".into()),
            options: Some(options.into()),
            ..SearchRequest::default()
        };
        let mut plan = Plan::resolve(request, Bounds::default())?;
        plan.rank_by(Some(&StoreRanking::parse(ranking)?), Some(options))?;
        Ok(plan.ranking.scoring)
    }

    #[test]
    fn a_search_has_the_stores_values_where_it_gives_none() {
        let ranking =
            r#"{"weights": {"semantic": 0.7}, "boosts": {"recency": 0.3, "author": 0}, "recency": {"days": 7}}"#;
        let own = scoring_of(ranking, "{}").unwrap();
        assert_eq!((own.semantic_weight, own.recency_boost, own.author_boost, own.recency_days), (0.7, 0.3, 0.0, 7.0));
        assert!((own.keyword_weight - 0.3).abs() < 1e-12 && own.adapts_weights);
        assert_eq!((own.importance_boost, own.length_boost), (0.05, 0.3), "the built-in defaults");
        let given = scoring_of(ranking, r#"{"boosts": {"recency": 0.2}, "weights": {"keyword": 0.9}}"#).unwrap();
        assert_eq!((given.recency_boost, given.recency_days, given.keyword_weight), (0.2, 7.0, 0.9));
        assert!(!given.adapts_weights);
    }

    #[test]
    fn a_preset_is_what_its_name_says() {
        let ranking = r#"{"boosts": {"recency": 0.3}}"#;
        for preset in ["default", "cortex", "alfred"] {
            let options = format!("{{\"preset\": \"{preset}\"}}");
            assert_eq!(scoring_of(ranking, &options).unwrap(), scoring_of("{}", &options).unwrap(), "{preset}");
        }
    }

    #[test]
    fn boosts_of_store_and_search_together_stay_below_one() {
        let refusal = scoring_of(r#"{"boosts": {"recency": 0.5}}"#, r#"{"boosts": {"importance": 0.5}}"#).unwrap_err();
        assert!(refusal.message.contains("add up to 1") && refusal.hint.unwrap().contains("store's own scoring"));
    }

    #[test]
    fn a_text_that_says_anything_else_is_refused() {
        for (text, part) in [
            ("[]", "ranking must be a JSON object"),
            (r#"{"strategy": "keyword"}"#, "strategy"),
            (r#"{"boosts": {"recncy": 0.5}}"#, "recncy"),
            (r#"{"boosts": {"recency": 2}}"#, "ranking.boosts.recency must be a number from 0 to 1"),
            (r#"{"boosts": {"recency": 0.6, "importance": 0.4}}"#, "add up to 1"),
            (r#"{"weights": {"semantic": 0, "keyword": 0}}"#, "weights are all 0"),
            ("{", "ranking"),
        ] {
            let refusal = StoreRanking::parse(text).unwrap_err();
            assert!(refusal.message.contains(part), "{text}: {refusal}");
        }
    }
}
