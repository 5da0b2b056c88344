//! The greatest values of rows, as many as the search wants.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use memory_search_core::error::out_of_memory;

use super::Ordered;
use crate::fault::Outcome;

/// The greatest values of rows. A row that comes several times counts once, with its greatest value.
#[derive(Debug)]
pub struct Greatest {
    most: usize,
    /// The least on top. With `by_row`, also values that a greater one of the row has replaced.
    values: BinaryHeap<Reverse<(Ordered<f32>, u32)>>,
    /// The value of each row that counts, if rows may come several times.
    by_row: Option<HashMap<u32, f32>>,
}

impl Greatest {
    /// At most so many values, of rows that come once.
    pub fn of_rows(most: usize) -> Greatest {
        Greatest { most, values: BinaryHeap::new(), by_row: None }
    }

    /// Lets rows come several times from now on.
    pub fn expect_repeats(&mut self) -> Outcome<()> {
        let mut by_row = HashMap::new();
        by_row.try_reserve(self.values.len()).map_err(|_| out_of_memory())?;
        by_row.extend(self.values.iter().map(|Reverse((value, row))| (*row, value.0)));
        self.by_row = Some(by_row);
        Ok(())
    }

    /// Adds a value that is a number, if it is among the greatest.
    pub fn keep(&mut self, row: u32, value: f32) -> Outcome<()> {
        if self.most == 0 {
            return Ok(());
        }
        if let Some(by_row) = &mut self.by_row {
            match by_row.get(&row) {
                Some(&before) if before >= value => return Ok(()),
                Some(_) => {}
                None if by_row.len() < self.most => by_row.try_reserve(1).map_err(|_| out_of_memory())?,
                None => match self.values.peek() {
                    Some(Reverse((least, last))) if least.0 < value => {
                        by_row.remove(last);
                    }
                    _ => return Ok(()),
                },
            }
            by_row.insert(row, value);
        } else if self.values.len() == self.most {
            match self.values.peek() {
                Some(Reverse((least, _))) if least.0 < value => self.values.pop(),
                _ => return Ok(()),
            };
        }
        self.values.try_reserve(1).map_err(|_| out_of_memory())?;
        self.values.push(Reverse((Ordered(value), row)));
        self.drop_replaced();
        Ok(())
    }

    /// The least of them, if there are as many as the search wants.
    pub fn least(&self) -> Option<f32> {
        let count = self.by_row.as_ref().map_or(self.values.len(), HashMap::len);
        let least = self.values.peek().map(|Reverse((least, _))| least.0);
        least.filter(|_| count == self.most)
    }

    /// Leaves a value that counts on top.
    fn drop_replaced(&mut self) {
        let Some(by_row) = &self.by_row else { return };
        while let Some(Reverse((value, row))) = self.values.peek() {
            if by_row.get(row) == Some(&value.0) {
                return;
            }
            self.values.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The least of the `most` greatest values of different rows.
    fn naive(added: &[(u32, f32)], most: usize) -> Option<f32> {
        let mut of_rows: BTreeMap<u32, f32> = BTreeMap::new();
        for &(row, value) in added {
            of_rows.entry(row).and_modify(|before| *before = before.max(value)).or_insert(value);
        }
        let mut values: Vec<f32> = of_rows.into_values().collect();
        values.sort_by(|a, b| b.total_cmp(a));
        values.get(most.checked_sub(1)?).copied()
    }

    proptest! {
        #[test]
        fn a_row_counts_once_with_its_greatest_value(
            first in prop::collection::hash_map(0_u32..40, -9_i8..9, 0..20),
            then in prop::collection::vec((0_u32..40, -9_i8..9), 0..80),
            most in 0_usize..12,
        ) {
            let mut greatest = Greatest::of_rows(most);
            let mut added: Vec<(u32, f32)> = Vec::new();
            for (row, value) in first {
                added.push((row, f32::from(value)));
                greatest.keep(row, f32::from(value)).unwrap();
                prop_assert_eq!(greatest.least(), naive(&added, most));
            }
            greatest.expect_repeats().unwrap();
            for (row, value) in then {
                added.push((row, f32::from(value)));
                greatest.keep(row, f32::from(value)).unwrap();
                prop_assert_eq!(greatest.least(), naive(&added, most));
            }
        }
    }
}
