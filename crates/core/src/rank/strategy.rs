//! The strategies that a search tries, in order: the one that was asked for, and its fallbacks.

use crate::request::options::Strategy;
use crate::request::plan::Plan;

/// What a search has to go by.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// Whether there is a vector to compare with.
    pub has_vector: bool,
    /// Whether the query demands or excludes words.
    pub has_demands: bool,
}

/// The strategies to try: the first that has candidates answers. What meets a demand needs no step down to
/// the most recent.
pub fn steps(plan: &Plan, given: Given) -> Vec<Strategy> {
    let has_words = !plan.query.wanted.is_empty();
    let first = match plan.strategy {
        Strategy::Auto => match (given.has_vector, has_words) {
            (true, true) => Strategy::Hybrid,
            (true, false) => Strategy::Semantic,
            (false, true) => Strategy::Keyword,
            (false, false) => Strategy::Recent,
        },
        asked => asked,
    };
    if !plan.fallback {
        return vec![first];
    }
    match first {
        Strategy::Recent => vec![first],
        Strategy::Semantic if given.has_demands => vec![first, Strategy::Keyword],
        Strategy::Semantic => vec![first, Strategy::Keyword, Strategy::Recent],
        _ if given.has_demands => vec![first],
        _ => vec![first, Strategy::Recent],
    }
}

/// Whether any step of the search, or its contexts, go by words.
pub fn needs_words(plan: &Plan) -> bool {
    let by_words = !matches!(plan.strategy, Strategy::Semantic | Strategy::Recent);
    !plan.query.wanted.is_empty() && (by_words || plan.fallback)
}

/// Whether the search asks for a vector.
pub fn needs_vector(plan: &Plan) -> bool {
    matches!(plan.strategy, Strategy::Auto | Strategy::Hybrid | Strategy::Semantic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::plan::Bounds;
    use crate::request::search_request::SearchRequest;

    fn plan(query: &str, options: &str) -> Plan {
        let request = SearchRequest {
            memory_id: Some("m".to_owned()),
            query: Some(query.to_owned()),
            options: Some(options.to_owned()),
            ..SearchRequest::default()
        };
        Plan::resolve(request, Bounds::default()).unwrap()
    }

    fn steps_of(query: &str, options: &str, has_vector: bool, has_demands: bool) -> Vec<&'static str> {
        steps(&plan(query, options), Given { has_vector, has_demands }).into_iter().map(Strategy::word).collect()
    }

    #[test]
    fn auto_takes_what_the_inputs_allow_and_falls_back_to_the_most_recent() {
        assert_eq!(steps_of("tea", "{}", true, false), ["hybrid", "recent"]);
        assert_eq!(steps_of("tea", "{}", false, false), ["keyword", "recent"]);
        assert_eq!(steps_of("", "{}", true, false), ["semantic", "keyword", "recent"]);
        assert_eq!(steps_of("", "{}", false, false), ["recent"]);
    }

    #[test]
    fn a_demand_is_never_answered_with_what_does_not_meet_it() {
        assert_eq!(steps_of("tea", r#"{"strategy": "keyword"}"#, false, true), ["keyword"]);
        assert_eq!(steps_of("tea", r#"{"strategy": "semantic", "match": "any"}"#, true, true), ["semantic", "keyword"]);
    }

    #[test]
    fn without_fallback_there_is_one_step() {
        assert_eq!(steps_of("tea", r#"{"fallback": false}"#, true, false), ["hybrid"]);
        let semantic = plan("tea", r#"{"strategy": "semantic", "fallback": false}"#);
        assert!(needs_vector(&semantic) && !needs_words(&semantic));
        assert!(needs_words(&plan("tea", r#"{"strategy": "semantic"}"#)), "its fallback goes by words");
    }
}
