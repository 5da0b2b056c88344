//! The newest of many documents, in the order of time, without all of them in memory.

use std::cmp::Reverse;

use crate::{Result, error};

/// A document that may be among the newest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passing {
    /// Its creation time; a document without one is older than all others.
    pub created: Option<i64>,
    /// Its number.
    pub document: u32,
    /// Whether other rows decide if it is corrected.
    pub is_corrected: bool,
}

/// The multiple of the wanted documents to keep: some may have no visible row.
const SPARE: usize = 4;
const LEAST_KEPT: usize = 64;

/// The newest of the added documents.
pub struct Newest {
    /// Sorted, newest first, once they are given out; before that, in no order.
    kept: Vec<Passing>,
    /// The number to keep.
    enough: usize,
    /// At this number, the oldest are dropped.
    full: usize,
    /// The oldest that is kept, once there were enough.
    oldest: Option<Option<i64>>,
    has_left_out: bool,
    offered: usize,
    is_sorted: bool,
}

impl Newest {
    /// For this many wanted documents.
    pub fn of(wanted: usize) -> Newest {
        let enough = SPARE * wanted + LEAST_KEPT;
        Newest {
            kept: Vec::new(),
            enough,
            full: 2 * enough,
            oldest: None,
            has_left_out: false,
            offered: 0,
            is_sorted: false,
        }
    }

    /// Adds one. `false` if it is older than enough others, so that all older ones can be skipped too.
    pub fn offer(&mut self, passing: Passing) -> Result<bool> {
        self.offered += 1;
        if self.oldest.is_some_and(|oldest| passing.created < oldest) {
            self.has_left_out = true;
            return Ok(false);
        }
        if self.kept.len() == self.kept.capacity() {
            self.kept.try_reserve(self.enough).map_err(|_| error::out_of_memory())?;
        }
        self.kept.push(passing);
        if self.kept.len() >= self.full {
            self.leave_out_the_oldest();
        }
        Ok(true)
    }

    /// Documents of one instant stay together.
    fn leave_out_the_oldest(&mut self) {
        let (_, last, _) = self.kept.select_nth_unstable_by_key(self.enough - 1, |passing| Reverse(passing.created));
        let (oldest, before) = (last.created, self.kept.len());
        self.kept.retain(|passing| passing.created >= oldest);
        self.oldest = Some(oldest);
        self.has_left_out |= self.kept.len() < before;
        self.full = 2 * self.kept.len().max(self.enough);
    }

    /// Whether a document of this time, and all older ones, would be dropped, because there are enough newer ones.
    pub fn leaves_out(&mut self, created: Option<i64>) -> bool {
        if self.kept.len() > self.enough {
            self.leave_out_the_oldest();
        }
        let leaves_out = self.oldest.is_some_and(|oldest| created < oldest);
        self.has_left_out |= leaves_out;
        leaves_out
    }

    /// The number of added documents.
    pub fn offered(&self) -> usize {
        self.offered
    }

    /// Whether more were added than are given out.
    pub fn has_left_out(&self) -> bool {
        self.has_left_out
    }

    /// The next documents, up to this many, with all that have the instant of the last of them. No document may be
    /// added afterwards.
    pub fn next(&mut self, count: usize) -> Result<Vec<Passing>> {
        if !self.is_sorted {
            // The oldest first: they are taken from the end.
            self.kept.sort_unstable_by_key(|passing| (passing.created, passing.document));
            self.is_sorted = true;
        }
        let mut from = self.kept.len().saturating_sub(count);
        while from > 0 && self.kept[from - 1].created == self.kept[from].created {
            from -= 1;
        }
        let mut next = Vec::new();
        next.try_reserve_exact(self.kept.len() - from).map_err(|_| error::out_of_memory())?;
        next.extend(self.kept.drain(from..));
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passing(created: Option<i64>, document: u32) -> Passing {
        Passing { created, document, is_corrected: false }
    }

    #[test]
    fn the_newest_come_first_and_those_of_one_instant_together() {
        let mut newest = Newest::of(3);
        for document in 0..10_000_u32 {
            let created = (document % 10 > 0).then(|| i64::from(document.wrapping_mul(7919) % 1000));
            newest.offer(passing(created, document)).unwrap();
        }
        let mut last = Some(i64::MAX);
        let mut all = 0;
        loop {
            let next = newest.next(3).unwrap();
            if next.is_empty() {
                break;
            }
            all += next.len();
            let times: Vec<_> = next.iter().map(|passing| passing.created).collect();
            assert!(times.iter().all(|time| *time < last));
            last = times.into_iter().min().unwrap();
            let as_old = (0..10_000_u32)
                .filter(|document| (document % 10 > 0).then(|| i64::from(document.wrapping_mul(7919) % 1000)) == last);
            assert_eq!(next.iter().filter(|passing| passing.created == last).count(), as_old.count());
        }
        assert!(newest.has_left_out() && (SPARE * 3..1_000).contains(&all));
        assert_eq!(newest.offered(), 10_000);
    }

    #[test]
    fn where_few_are_offered_none_is_left_out() {
        let mut newest = Newest::of(3);
        for document in 0..20 {
            newest.offer(passing(None, document)).unwrap();
        }
        assert_eq!(newest.next(1).unwrap().len(), 20);
        assert!(newest.next(1).unwrap().is_empty() && !newest.has_left_out());
    }
}
