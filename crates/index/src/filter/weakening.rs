//! Weaker conditions, by the fields that an index holds: the rows of the table decide the rest.

use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::weakening;

use super::Layout;

impl Layout {
    /// A condition that is not false of each row on which `condition` is true, for any values that the index lacks.
    pub fn weakened(&self, condition: &Condition) -> Condition {
        weakening::weakened(condition, &|part| self.knows(part))
    }
}

#[cfg(test)]
mod tests {
    use memory_search_core::filter::condition::{TextColumn, TextField};
    use proptest::prelude::*;

    use super::*;
    use crate::hashing::Hashes;

    /// The layout knows users, but not whether a text is there.
    fn layout() -> Layout {
        Layout::new(Hashes::new([1; 16])).with_text(TextField::UserId, 3)
    }

    fn trees() -> impl Strategy<Value = Condition> {
        let leaf = prop_oneof![
            Just(Condition::Equals(TextField::UserId, "ann".to_owned())),
            Just(Condition::HasText(TextColumn::Summary)),
            Just(Condition::HasText(TextColumn::AgentId)),
        ];
        leaf.prop_recursive(5, 24, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Condition::All),
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Condition::Any),
                inner.clone().prop_map(|part| Condition::Not(Box::new(part))),
                inner.clone().prop_map(|part| Condition::IsTrue(Box::new(part))),
                inner.prop_map(Condition::is_not_true),
            ]
        })
    }

    /// The value in SQL, by the values of the three leaves.
    fn value(condition: &Condition, leaves: &[Option<bool>; 3]) -> Option<bool> {
        let values = |parts: &[Condition]| parts.iter().map(|part| value(part, leaves)).collect::<Vec<_>>();
        match condition {
            Condition::Equals(..) => leaves[0],
            Condition::HasText(TextColumn::Summary) => leaves[1],
            Condition::HasText(_) => leaves[2],
            Condition::All(parts) => match values(parts) {
                values if values.contains(&Some(false)) => Some(false),
                values => (!values.contains(&None)).then_some(true),
            },
            Condition::Any(parts) => match values(parts) {
                values if values.contains(&Some(true)) => Some(true),
                values => (!values.contains(&None)).then_some(false),
            },
            Condition::Not(part) => value(part, leaves).map(|value| !value),
            Condition::IsTrue(part) => Some(value(part, leaves) == Some(true)),
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn no_row_that_passes_is_ruled_out(
            tree in trees(),
            leaves in [proptest::option::of(any::<bool>()), proptest::option::of(any::<bool>()),
                proptest::option::of(any::<bool>())],
        ) {
            let to_the_index = value(&layout().weakened(&tree), &[leaves[0], None, None]);
            prop_assert!(value(&tree, &leaves) != Some(true) || to_the_index != Some(false), "{:?}", tree);
        }
    }
}
