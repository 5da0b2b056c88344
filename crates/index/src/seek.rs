//! A look-up among ascending values, from where the last one ended.

use std::cmp::Ordering;

/// Goes from a position among ascending values to the position of a value, or to the one where it would be; returns
/// whether the value is there. The steps grow, so that a near value takes few of them, and a far one at most twice as
/// many as a binary search.
pub fn seek<T: Ord>(values: &[T], at: &mut usize, wanted: &T) -> bool {
    let compare = |place: usize| values.get(place).map_or(Ordering::Greater, |value| value.cmp(wanted));
    let (mut low, mut high, mut step) = (*at, *at, 1);
    match compare(*at) {
        Ordering::Equal => return true,
        // All before `low` are less, and none from `high` on.
        Ordering::Less => loop {
            low = high + 1;
            high = (high + step).min(values.len());
            if compare(high) != Ordering::Less {
                break;
            }
            step *= 2;
        },
        Ordering::Greater => loop {
            high = low;
            low = low.saturating_sub(step);
            if low == 0 || compare(low) == Ordering::Less {
                break;
            }
            step *= 2;
        },
    }
    *at = low + values[low..high].partition_point(|value| value < wanted);
    compare(*at) == Ordering::Equal
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::seek;

    proptest! {
        #[test]
        fn finds_the_values_of_a_set(values: BTreeSet<u8>, wanted in prop::collection::vec(any::<u8>(), 0..64)) {
            let ascending: Vec<u8> = values.iter().copied().collect();
            let mut at = 0;
            for value in wanted {
                prop_assert_eq!(seek(&ascending, &mut at, &value), values.contains(&value));
                prop_assert_eq!(at, values.range(..value).count());
            }
        }
    }
}
