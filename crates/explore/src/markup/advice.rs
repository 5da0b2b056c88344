//! The advice for an outcome of memory_explain, for a user who misses an entry. The outcomes are those of
//! docs/guide/explaining.md.

/// The beginning of an outcome, and its meaning for a user who wants the entry.
const ADVICE: [(&str, &str); 21] = [
    ("returned", "The search gives it."),
    (
        "below the cut",
        "It was found, and others are better. Ask for more entries, or compare its parts with theirs: \
                       what is short?",
    ),
    ("duplicate of", "A better entry says nearly the same. Leave dedupThreshold out of the options, or raise it."),
    ("better ones have the places", "atMost in the options lets so many of a group through, and better ones were."),
    ("less different", "mmr in the options prefers entries that differ from each other."),
    ("similarity", "minSimilarity in the options is above what its meaning has in common with the question."),
    ("has no embedding to reach", "minSimilarity asks for an embedding. memory_embed_pending() makes those that lack."),
    ("score is below", "minScore in the options is above its score."),
    ("not relevant", "relevantOnly in the options leaves out what does not answer the question."),
    ("removed by the filters", "Take these filters away, or compare them with the fields below."),
    (
        "not among the best",
        "Neither its meaning nor its words are near enough to be ranked. Raise candidates in the \
                            options, or ask with words that it has.",
    ),
    (
        "has no embedding, and",
        "Only words can find it. Ask with words that it has, or make its embedding: \
                               memory_embed_pending().",
    ),
    (
        "the query has no embedding",
        "Only words can find it here. Give the question's embedding under Advanced, as the \
                                    application does, or ask with words that it has.",
    ),
    ("meaning was not looked for", "The strategy keyword compares words alone, and it has too few of the question's."),
    ("its embedding is by", "Embeddings of two embedders are not compared. memory_reembed() makes it anew."),
    (
        "its embedding has no direction",
        "Its embedding has nothing in common to compare with the question's. memory_update() gives it another one.",
    ),
    ("top_ke is 0", "The search asks for no entries: ask for at least one."),
    ("deleted", "memory_restore() brings it back until it is purged."),
    (
        "superseded by",
        "Its correction is found in its place. Corrected entries are found, too, with the box under \
                       Filters.",
    ),
    ("not visible at the time", "It has expired, or was created after the instant of the search."),
    ("not valid at", "It does not hold at the time of the search: validAt in the options says another one."),
];

/// The advice about `outcome`; `None` if it needs none.
pub fn advice(outcome: &str) -> Option<&'static str> {
    if outcome.ends_with("has no such entry that is visible to you") {
        return Some(
            "It may be of another memory, purged, or hidden from this role by row-level security. Look for it with \
             another role, or among all entries.",
        );
    }
    ADVICE.iter().find(|(beginning, _)| outcome.starts_with(beginning)).map(|(_, advice)| *advice)
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn every_outcome_of_the_guide_has_advice() {
        let guide = include_str!("../../../../docs/guide/explaining.md");
        let table = guide.split_once("## Outcomes").unwrap().1.split_once("## ").unwrap().0;
        let mut outcomes = 0;
        for line in table.lines().filter(|line| line.starts_with("| `")) {
            let cell = line.split('|').nth(1).unwrap();
            for outcome in cell.split('`').skip(1).step_by(2) {
                let outcome = outcome.replace("NAMES", "tags");
                assert!(advice(&outcome).is_some(), "{outcome}");
                outcomes += 1;
            }
        }
        assert!(outcomes >= 15, "{outcomes}");
    }
}
