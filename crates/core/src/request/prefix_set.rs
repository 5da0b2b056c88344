//! Prefixes of ids, tested on many ids.

/// Prefixes in the order of their bytes, none of which begins with another one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrefixSet(Vec<String>);

impl PrefixSet {
    /// The set of `prefixes`, without those that another one covers.
    pub fn new(mut prefixes: Vec<String>) -> Self {
        prefixes.sort_unstable();
        // Texts that begin with a prefix come right behind it in this order.
        prefixes.dedup_by(|later, kept| later.starts_with(kept.as_str()));
        PrefixSet(prefixes)
    }

    /// The prefixes, in the order of their bytes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether an id begins with one of them. Texts between a prefix and an id with that prefix all begin with the
    /// prefix, so the last prefix that is not greater than the id decides.
    pub fn matches(&self, id: &str) -> bool {
        let behind = self.0.partition_point(|prefix| prefix.as_str() <= id);
        behind > 0 && id.starts_with(self.0[behind - 1].as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_that_lies_behind_a_longer_prefix_is_of_the_shorter_one() {
        let set = PrefixSet::new(["a", "ab", "b/", "a"].map(str::to_owned).to_vec());
        assert_eq!(set.iter().collect::<Vec<_>>(), ["a", "b/"]);
        assert!(set.matches("abc") && set.matches("az") && set.matches("a") && set.matches("b/1"));
        assert!(!set.matches("b") && !set.matches("") && !set.matches("c"));
    }

    proptest! {
        #[test]
        fn an_id_matches_when_any_prefix_begins_it(
            prefixes in proptest::collection::vec("[abü]{0,3}", 0..8), ids in proptest::collection::vec("[abü]{0,5}", 1..20),
        ) {
            let set = PrefixSet::new(prefixes.clone());
            for id in ids {
                prop_assert_eq!(set.matches(&id), prefixes.iter().any(|prefix| id.starts_with(prefix.as_str())), "{}", id);
            }
        }
    }
}
