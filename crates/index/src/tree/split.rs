//! The place at which a page is split that has become too full.
//!
//! Records that come in no order need two pages with room. The log gets the records that go to the right page, and not
//! the ones that stay. So somewhat less than half of them go, beginning with the first record of a memory if that is
//! near. If records come in rising order, no record is added to the left of them: then the left page keeps as much as
//! it can hold. Records rise at the end of the whole tree, or within one memory, whose rows mostly come in the order of
//! the table.

use super::key::Key;
use super::node::CAPACITY;

/// An item of the page to be split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub key: Key,
    /// Bytes that it takes of a page.
    pub size: usize,
}

/// The least and the greatest share of the bytes that go to the right page, in percent.
const LEAST_RIGHT: usize = 30;
const MOST_RIGHT: usize = 50;

/// The number of items that stay on the left page, at least one and not all; `added` is the item that has just come.
/// `None` if no cut makes both halves fit, which cannot happen on a sound page.
pub(super) fn point(items: &[Item], added: Option<usize>, is_rightmost: bool) -> Option<usize> {
    let total: usize = items.iter().map(|item| item.size).sum();
    let left_of = |cut: usize| items[..cut].iter().map(|item| item.size).sum::<usize>();
    let fits = |cut: usize| {
        let left = left_of(cut);
        (1..items.len()).contains(&cut) && left <= CAPACITY && total - left <= CAPACITY
    };
    if let Some(added) = added.filter(|&added| rises(items, added, is_rightmost)) {
        if added + 1 < items.len() && fits(added + 1) {
            return Some(added + 1);
        }
        if added > 0 && fits(added) {
            return Some(added);
        }
    }
    let mut left = 0;
    let mut best: Option<((bool, bool, usize), usize)> = None;
    for cut in 1..items.len() {
        left += items[cut - 1].size;
        let right = total.saturating_sub(left);
        if left > CAPACITY || right > CAPACITY {
            continue;
        }
        let lies_well = (total * LEAST_RIGHT..=total * MOST_RIGHT).contains(&(right * 100));
        let cost = match lies_well {
            true => (false, items[cut - 1].key.memory == items[cut].key.memory, right),
            false => (true, false, left.abs_diff(right)),
        };
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, cut));
        }
    }
    best.map(|(_, cut)| cut)
}

/// Whether the items seem to come in rising order: the last of all, or the last of a memory that has a quarter of the
/// page just before it.
fn rises(items: &[Item], added: usize, is_rightmost: bool) -> bool {
    if is_rightmost && added + 1 == items.len() {
        return true;
    }
    let memory = items[added].key.memory;
    let quarter = (items.len() / 4).max(1);
    let is_last = items.get(added + 1).is_none_or(|next| next.key.memory != memory);
    is_last && added >= quarter && items[added - quarter].key.memory == memory
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::place::Place;
    use crate::tree::leaf::{MAX_RECORD, OVERHEAD};

    fn items(memories: &[(u128, u32)], size: usize) -> Vec<Item> {
        let key = |memory, block| Key { memory, place: Place { block, offset: 1 } };
        let of = |&(memory, rows): &(u128, u32)| (0..rows).map(move |block| Item { key: key(memory, block), size });
        memories.iter().flat_map(of).collect()
    }

    #[test]
    fn records_that_rise_at_the_end_leave_a_full_page() {
        let items = items(&[(1, 41)], 200);
        assert_eq!(point(&items, Some(40), true), Some(40));
    }

    #[test]
    fn records_that_rise_within_a_memory_part_from_the_next_memory() {
        let items = items(&[(1, 20), (2, 21)], 200);
        assert_eq!(point(&items, Some(19), true), Some(20), "the memory ends on the left page");
        assert_eq!(point(&items, Some(10), true), Some(28), "less than half goes to the right");
    }

    #[test]
    fn a_memory_of_few_records_is_no_pattern() {
        let items = items(&[(1, 3), (2, 38)], 200);
        assert_eq!(point(&items, Some(2), true), Some(28));
    }

    #[test]
    fn a_memory_stays_together_if_both_pages_still_have_room() {
        assert_eq!(point(&items(&[(1, 22), (2, 19)], 200), Some(10), false), Some(22));
    }

    proptest! {
        #[test]
        fn both_halves_fit_with_any_sizes(
            sizes in prop::collection::vec(OVERHEAD..=OVERHEAD + MAX_RECORD, 2..300),
            at in any::<prop::sample::Index>(),
            is_rightmost: bool,
        ) {
            let mut full = Vec::new();
            let mut total = 0;
            for (block, size) in (0..).zip(sizes) {
                let place = Place { block, offset: 1 };
                full.push(Item { key: Key { memory: u128::from(block / 20), place }, size });
                total += size;
                if total > CAPACITY {
                    break;
                }
            }
            prop_assume!(total > CAPACITY);
            // Any one of the items may be the one that made it too full.
            let cut = point(&full, Some(at.index(full.len())), is_rightmost).unwrap();
            let left: usize = full[..cut].iter().map(|item| item.size).sum();
            prop_assert!(cut > 0 && cut < full.len() && left <= CAPACITY && total - left <= CAPACITY);
        }
    }
}
