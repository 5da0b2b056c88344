//! Questions to the executor about a memory's rows before the memory index is read: under a user's own policies, which
//! of the rows the caller sees; with privileges on columns, whether the caller may read them; in a serializable
//! transaction, to record that it does.
//!
//! The alternative is a pass over the rows ([`table`]). Each statement here needs the same privileges as the pass, so a
//! caller whom the pass would refuse is refused here too. Under a policy the statement returns the places of the
//! visible rows, in the snapshot of all other reads. The index's data about other rows are ignored, and the rows that
//! the statement returned may be read in place.
//!
//! In a serializable transaction the statement leaves traces: of each row of the memory that it read, visible or not,
//! or of its page or table, and of the position in an index where another row would be inserted. A session that writes
//! one afterwards finds the traces, and the statement itself finds earlier writes of others. The answer depends on
//! nothing else: the index holds the same data as those rows, and documents of rows that the snapshot does not see are
//! masked before anything is counted, so reading them has no effect on it. Rows that are read in place later have the
//! same version, and leave their own traces when the server looks them up (heap_hot_search_buffer).

use memory_search_core::place::Place;
use memory_search_core::{Result, error};
use memory_search_index::bitset::Bitset;
use memory_search_index::fault::Outcome;
use memory_search_index::seek::seek;

use super::open::{Asked, OpenIndex};
use crate::pg::interrupt;
use crate::pg::seen_rows::SeenRows;
use crate::pg::spi::Reader;
use crate::search::source::pass::Pass;
use crate::search::source::table::{self, Rows};

/// Documents looked up between two checks for a cancel.
const LOOKUPS_A_CHECK: u32 = 4096;

/// Asks the executor if no policy binds the caller: for privileges, and for traces.
pub fn pass_over(reader: &Reader<'_>, pass: &Pass<'_>, asked: Asked) -> Result<()> {
    let rows = match asked {
        Asked::Nothing => return Ok(()),
        Asked::Privileges => Rows::None,
        Asked::Rows => Rows::All,
    };
    reader.pass_over(&table::statement_of(rows, pass))
}

/// The rows of a memory that the caller sees, by the places of their versions.
pub struct RowsAsked {
    /// Ascending, each once.
    places: Vec<Place>,
}

impl RowsAsked {
    /// Asks the executor, as the caller. `None` if it names rows of another table than the index's, or names a row
    /// twice.
    pub fn ask(reader: &Reader<'_>, pass: &Pass<'_>, open: &OpenIndex) -> Result<Option<RowsAsked>> {
        let mut places: Vec<Place> = Vec::new();
        let (own, mut is_of_others) = (open.table.oid(), false);
        reader.places(&table::statement_of(Rows::All, pass), |place, table| {
            is_of_others |= table != own;
            // A memory may have more rows than this backend has memory for: an ERROR, not an abort.
            places.try_reserve(1).map_err(|_| error::out_of_memory())?;
            places.push(place);
            Ok(())
        })?;
        places.sort_unstable();
        let is_each_once = places.windows(2).all(|pair| pair[0] != pair[1]);
        interrupt::check();
        Ok((is_each_once && !is_of_others).then_some(RowsAsked { places }))
    }

    /// Begins to look up documents.
    pub fn find(&self) -> Outcome<Finding<'_>> {
        let size = u32::try_from(self.places.len()).map_err(|_| error::out_of_memory())?;
        Ok(Finding { places: &self.places, at: 0, looked_up: 0, found: Bitset::empty(size)? })
    }
}

/// The look-up of documents for the visible rows.
pub struct Finding<'a> {
    places: &'a [Place],
    /// The position of the last one, or where it would be: the next is near, because most documents are in the order of
    /// insertion.
    at: usize,
    looked_up: u32,
    /// The rows that have a document.
    found: Bitset,
}

impl Finding<'_> {
    /// Whether the version at a place is visible.
    pub fn sees(&mut self, place: Place) -> bool {
        self.looked_up += 1;
        if self.looked_up.is_multiple_of(LOOKUPS_A_CHECK) {
            interrupt::check();
        }
        let is_seen = seek(self.places, &mut self.at, &place);
        if is_seen {
            self.found.insert(self.at as u32);
        }
        is_seen
    }

    /// The rows without a document at their own place: for a row that was updated in its block (HOT), an index has the
    /// place where its versions begin.
    pub fn moved(&self) -> Outcome<Moved> {
        let mut places: Vec<Place> = Vec::new();
        let count = self.places.len() - self.found.count() as usize;
        places.try_reserve_exact(count).map_err(|_| error::out_of_memory())?;
        let moved = self.places.iter().zip(0_u32..).filter(|(_, row)| !self.found.contains(*row));
        places.extend(moved.map(|(place, _)| *place));
        Ok(Moved { places, at: 0, found: 0 })
    }
}

/// Rows whose versions are not at the place in the index.
pub struct Moved {
    places: Vec<Place>,
    at: usize,
    found: usize,
}

impl Moved {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether the row whose versions begin at a place is one of them: all versions of such a row are in one block.
    pub fn sees(&mut self, rows: &mut SeenRows<'_>, place: Place) -> bool {
        seek(&self.places, &mut self.at, &Place { offset: 0, ..place });
        if self.places.get(self.at).is_none_or(|next| next.block != place.block) {
            return false;
        }
        interrupt::check();
        let is_seen = rows.version(place).is_some_and(|version| self.places.binary_search(&version).is_ok());
        self.found += usize::from(is_seen);
        is_seen
    }

    /// Whether each of them was found: an answer must not omit a row without a document.
    pub fn are_all_found(&self) -> bool {
        self.found == self.places.len()
    }
}
