//! The strategies that a search tries, in order: the one that was asked for, and its fallbacks.

use crate::rank::choices::Strategy;

/// The request for a strategy, and the inputs.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// The strategy that was asked for.
    pub strategy: Strategy,
    /// Whether a strategy without candidates falls back to the next.
    pub fallback: bool,
    /// Whether the query has words to look for.
    pub has_words: bool,
    /// Whether only relevant entries are wanted: then the most recent ones are no answer.
    pub relevant_only: bool,
    /// Whether only entries that are similar enough are wanted. A query that asks for nothing has no similarity.
    pub similar_only: bool,
}

/// The inputs that are known after the query was embedded and parsed.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// Whether there is a vector to compare with.
    pub has_vector: bool,
    /// Whether the query demands or excludes words.
    pub has_demands: bool,
}

impl Asked {
    /// The strategies to try: the first one with candidates answers. A query with demands does not fall back to the
    /// most recent entries.
    pub fn steps(self, given: Given) -> Vec<Strategy> {
        let first = match self.strategy {
            Strategy::Auto => match (given.has_vector, self.has_words) {
                (true, true) => Strategy::Hybrid,
                (true, false) => Strategy::Semantic,
                (false, true) => Strategy::Keyword,
                (false, false) => Strategy::Recent,
            },
            asked => asked,
        };
        if !self.fallback {
            return vec![first];
        }
        let asks_something = given.has_vector || self.has_words;
        let only_what_answers = given.has_demands || self.relevant_only || self.similar_only && asks_something;
        match first {
            Strategy::Recent => vec![first],
            Strategy::Semantic if only_what_answers => vec![first, Strategy::Keyword],
            Strategy::Semantic => vec![first, Strategy::Keyword, Strategy::Recent],
            _ if only_what_answers => vec![first],
            _ => vec![first, Strategy::Recent],
        }
    }

    /// Whether any step of the search, or its contexts, use words.
    pub fn needs_words(self) -> bool {
        let by_words = !matches!(self.strategy, Strategy::Semantic | Strategy::Recent);
        self.has_words && (by_words || self.fallback)
    }

    /// Whether the search needs a vector.
    pub fn needs_vector(self) -> bool {
        matches!(self.strategy, Strategy::Auto | Strategy::Hybrid | Strategy::Semantic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps_of(asked: Asked, has_vector: bool, has_demands: bool) -> Vec<&'static str> {
        asked.steps(Given { has_vector, has_demands }).into_iter().map(Strategy::word).collect()
    }

    const AUTO: Asked =
        Asked { strategy: Strategy::Auto, fallback: true, has_words: true, relevant_only: false, similar_only: false };
    const SEMANTIC: Asked = Asked { strategy: Strategy::Semantic, ..AUTO };
    const WITHOUT_WORDS: Asked = Asked { has_words: false, ..AUTO };

    #[test]
    fn auto_takes_what_the_inputs_allow_and_falls_back_to_the_most_recent() {
        assert_eq!(steps_of(AUTO, true, false), ["hybrid", "recent"]);
        assert_eq!(steps_of(AUTO, false, false), ["keyword", "recent"]);
        assert_eq!(steps_of(WITHOUT_WORDS, true, false), ["semantic", "keyword", "recent"]);
        assert_eq!(steps_of(WITHOUT_WORDS, false, false), ["recent"]);
    }

    #[test]
    fn a_demand_is_never_answered_with_what_does_not_meet_it() {
        assert_eq!(steps_of(Asked { strategy: Strategy::Keyword, ..AUTO }, false, true), ["keyword"]);
        assert_eq!(steps_of(SEMANTIC, true, true), ["semantic", "keyword"]);
    }

    #[test]
    fn the_newest_do_not_replace_those_that_are_similar_enough() {
        let similar = |asked: Asked| Asked { similar_only: true, ..asked };
        assert_eq!(steps_of(similar(AUTO), true, false), ["hybrid"]);
        assert_eq!(steps_of(similar(AUTO), false, false), ["keyword"]);
        assert_eq!(steps_of(similar(SEMANTIC), false, false), ["semantic", "keyword"]);
        let nothing = Asked { has_words: false, ..SEMANTIC };
        assert_eq!(steps_of(similar(nothing), true, false), ["semantic", "keyword"]);
        assert_eq!(steps_of(similar(nothing), false, false), ["semantic", "keyword", "recent"]);
    }

    #[test]
    fn without_fallback_there_is_one_step() {
        assert_eq!(steps_of(Asked { fallback: false, ..AUTO }, true, false), ["hybrid"]);
        assert_eq!(steps_of(Asked { relevant_only: true, ..AUTO }, true, false), ["hybrid"]);
        assert_eq!(steps_of(Asked { relevant_only: true, ..SEMANTIC }, true, false), ["semantic", "keyword"]);
        let semantic = Asked { fallback: false, ..SEMANTIC };
        assert!(semantic.needs_vector() && !semantic.needs_words());
        assert!(SEMANTIC.needs_words(), "its fallback goes by words");
    }
}
