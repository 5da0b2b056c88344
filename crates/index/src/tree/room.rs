//! Room on a leaf for one more record: in its free space, in a hole, or by moving records together.
//!
//! The log gets the changed bytes of a page, so the cost is the number of moved bytes. Of all ways to make room, this
//! chooses the one that moves the fewest bytes.

use super::leaf::{self, Entry, LeafView, RECORD_HEADER, SLOT_BYTES};
use super::node::Node;
use crate::fault::{Outcome, damaged};
use crate::page::{Page, SPECIAL};

/// A record and its offset.
#[derive(Debug, Clone, Copy)]
struct Extent {
    start: usize,
    end: usize,
    slot: usize,
}

/// The way to make room for an entry.
#[derive(Debug)]
pub(super) struct Room {
    /// The place of the entry.
    offset: usize,
    /// Records that move, with their targets, in an order in which none is overwritten before it has moved.
    moved: Vec<(Extent, usize)>,
    /// The beginning of the records then.
    upper: usize,
}

impl Room {
    /// The cheapest room for an entry before a slot, or instead of the one in the slot; `None` if the page must be
    /// rewritten.
    pub fn find(
        view: &LeafView<'_>,
        node: &Node,
        at: Result<usize, usize>,
        entry: &Entry<'_>,
    ) -> Outcome<Option<Room>> {
        let mut records = Vec::with_capacity(view.count());
        for slot in (0..view.count()).filter(|&slot| at != Ok(slot)) {
            let (start, end) = view.extent(slot)?;
            records.push(Extent { start, end, slot });
        }
        records.sort_unstable_by_key(|record| record.start);
        if records.windows(2).any(|pair| pair[0].end > pair[1].start) {
            return Err(damaged(view.block(), "its records lie over one another"));
        }
        let floor = node.lower + if at.is_err() { SLOT_BYTES } else { 0 };
        Ok(among(&records, floor, RECORD_HEADER + entry.record.len()))
    }

    /// Makes the room, and puts the entry there.
    pub fn fill(&self, page: &mut Page, node: &Node, at: Result<usize, usize>, entry: &Entry<'_>) {
        for (record, to) in &self.moved {
            page.copy_within(record.start..record.end, *to);
            leaf::put_slot(page, record.slot, *to);
        }
        leaf::put(page, node, at, self.offset, self.upper, entry);
    }
}

/// Room among records that are stored in this order from `floor` on. A run of records and the gaps around it are
/// compacted to the right end, which leaves one gap; a run of no records is an existing gap.
fn among(records: &[Extent], floor: usize, needed: usize) -> Option<Room> {
    let start_of = |index: usize| records.get(index).map_or(SPECIAL, |record| record.start);
    let end_before = |index: usize| index.checked_sub(1).map_or(floor, |before| records[before].end);
    // If not even the slot has room, the first record is in its way.
    if start_of(0) < floor {
        return None;
    }
    let mut best: Option<(usize, usize, usize, usize)> = None;
    for first in 0..=records.len() {
        let (mut gaps, mut bytes) = (0, 0);
        for last in first..=records.len() {
            gaps += start_of(last) - end_before(last);
            if gaps >= needed {
                // If two runs move the same number of bytes, the tighter one is chosen, to keep the free space for
                // later entries.
                if best.is_none_or(|(least, left, ..)| (bytes, gaps) < (least, left)) {
                    best = Some((bytes, gaps, first, last));
                }
                break;
            }
            bytes += records.get(last).map_or(0, |record| record.end - record.start);
        }
    }
    let (_, _, first, last) = best?;
    let mut end = start_of(last);
    let moved: Vec<_> = records[first..last]
        .iter()
        .rev()
        .map(|record| {
            end -= record.end - record.start;
            (*record, end)
        })
        .collect();
    let offset = end - needed;
    Some(Room { offset, moved, upper: if first == 0 { offset } else { start_of(0) } })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Records of these lengths, each with a gap before it, up to the end of the page.
    fn records(gaps_and_lengths: &[(usize, usize)]) -> Vec<Extent> {
        let mut start = SPECIAL;
        let mut records = Vec::new();
        for (slot, (gap, length)) in gaps_and_lengths.iter().enumerate() {
            records.push(Extent { start: start - length, end: start, slot });
            start -= length + gap;
        }
        records.reverse();
        records
    }

    #[test]
    fn a_hole_that_fits_is_taken_before_the_free_space_and_nothing_moves() {
        let records = records(&[(0, 100), (60, 100), (50, 100), (0, 100)]);
        let room = among(&records, 1_000, 50).unwrap();
        assert!(room.moved.is_empty());
        assert_eq!((room.offset, room.upper), (SPECIAL - 410, SPECIAL - 510));
    }

    #[test]
    fn the_shortest_record_between_two_holes_moves() {
        let records = records(&[(40, 300), (40, 20), (40, 500), (0, 10)]);
        let floor = records[0].start;
        let room = among(&records, floor, 80).unwrap();
        assert_eq!(room.moved.iter().map(|(record, _)| record.slot).collect::<Vec<_>>(), [1]);
        assert!(among(&records, floor, 121).is_none(), "there are no more free bytes");
        assert!(among(&records, floor + 1, 20).is_none(), "the slot has no room");
    }

    proptest! {
        #[test]
        fn there_is_room_if_the_bytes_suffice_and_no_record_is_lost(
            shapes in prop::collection::vec((0..40_usize, 1..80_usize), 0..40), free in 0..100_usize, needed in 1..300_usize,
        ) {
            let records = records(&shapes);
            let first = shapes.last().map_or(SPECIAL, |(gap, _)| records[0].start - gap);
            let floor = first - free;
            let all: usize = SPECIAL - floor - records.iter().map(|record| record.end - record.start).sum::<usize>();
            let room = among(&records, floor, needed);
            prop_assert_eq!(room.is_some(), all >= needed);
            let Some(room) = room else { return Ok(()) };
            // Bytes instead of records: the number of each record, moved in the order of the list.
            let mut page = vec![0_usize; SPECIAL];
            for record in &records {
                page[record.start..record.end].fill(record.slot + 1);
            }
            for (record, to) in &room.moved {
                prop_assert!(page[record.start..record.end].iter().all(|&byte| byte == record.slot + 1));
                page.copy_within(record.start..record.end, *to);
            }
            page[room.offset..room.offset + needed].fill(usize::MAX);
            let mut least = room.offset;
            for record in &records {
                let to = room.moved.iter().find(|(moved, _)| moved.slot == record.slot).map_or(record.start, |(_, to)| *to);
                let bytes = &page[to..to + record.end - record.start];
                prop_assert!(bytes.iter().all(|&byte| byte == record.slot + 1));
                least = least.min(to);
            }
            prop_assert!(room.offset >= floor && room.offset + needed <= SPECIAL);
            prop_assert_eq!(room.upper, least);
        }
    }
}
