//! What the executor says of a memory's rows before the memory index is read: under policies of somebody's own which of
//! them the caller sees, with privileges on columns that he may read them, and in a serializable transaction that he
//! does.
//!
//! Each statement needs the privileges of the pass over the rows ([`table`]), which is what else there is: nobody is
//! answered here who would be refused there. Under a policy it gives where the rows lie that are seen, by the snapshot
//! that all else is read in; what the index holds of others is as if it were not there, and what the statement returned
//! may be read in place.
//!
//! In a serializable transaction it leaves the traces: of each row of the memory that it looked at, seen or not, or of its
//! page or table, and of the place in an index where another would come. Whoever writes one afterwards finds them, and
//! what others wrote before is found by the statement itself. The answer depends on nothing else: what the index holds
//! is what those rows hold; documents that are not of rows which the snapshot sees are masked before anything is
//! counted, so that to have read them says nothing. Rows that are read in place later are of the same version, and
//! leave their own traces by the server's look for it (heap_hot_search_buffer).

use memory_search_core::{Result, error};
use memory_search_index::bitset::Bitset;
use memory_search_index::fault::Outcome;
use memory_search_index::place::Place;
use memory_search_index::seek::seek;

use super::open::{Asked, OpenIndex};
use crate::pg::interrupt;
use crate::pg::seen_rows::SeenRows;
use crate::pg::spi::Reader;
use crate::search::source::pass::Pass;
use crate::search::source::table::{self, Rows};

/// Documents looked up between two looks for a cancel.
const LOOKUPS_A_CHECK: u32 = 4096;

/// Asks the executor where no policy binds: for privileges, and for traces.
pub fn pass_over(reader: &Reader<'_>, pass: &Pass<'_>, asked: Asked) -> Result<()> {
    let rows = match asked {
        Asked::Nothing => return Ok(()),
        Asked::Privileges => Rows::None,
        Asked::Rows => Rows::All,
    };
    reader.pass_over(&table::statement_of(rows, pass))
}

/// The rows of a memory that the caller sees, by where their versions lie.
pub struct RowsAsked {
    /// Ascending, each once.
    places: Vec<Place>,
}

impl RowsAsked {
    /// Asks the executor, as the caller. `None` where it names rows that are not of the table that the index is on, or one
    /// twice.
    pub fn ask(reader: &Reader<'_>, pass: &Pass<'_>, open: &OpenIndex) -> Result<Option<RowsAsked>> {
        let mut places: Vec<Place> = Vec::new();
        let (own, mut is_of_others) = (open.table.oid(), false);
        reader.places(&table::statement_of(Rows::All, pass), |place, table| {
            is_of_others |= table != own;
            // A memory may have more rows than this backend can hold: an ERROR, not an abort.
            places.try_reserve(1).map_err(|_| error::out_of_memory())?;
            places.push(place);
            Ok(())
        })?;
        places.sort_unstable();
        let is_each_once = places.windows(2).all(|pair| pair[0] != pair[1]);
        interrupt::check();
        Ok((is_each_once && !is_of_others).then_some(RowsAsked { places }))
    }

    /// Begins to look them up.
    pub fn find(&self) -> Outcome<Finding<'_>> {
        let size = u32::try_from(self.places.len()).map_err(|_| error::out_of_memory())?;
        Ok(Finding { places: &self.places, at: 0, looked_up: 0, found: Bitset::empty(size)? })
    }
}

/// The look for documents of the rows that are seen.
pub struct Finding<'a> {
    places: &'a [Place],
    /// Where the last one was found, or would stand: the next is near, for most documents lie as they came.
    at: usize,
    looked_up: u32,
    /// Which of the rows have a document.
    found: Bitset,
}

impl Finding<'_> {
    /// Whether the version at a place is seen.
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

    /// The rows without a document at their own place: of a row that was changed in its block (HOT) an index has the place
    /// where its versions begin.
    pub fn moved(&self) -> Outcome<Moved> {
        let mut places: Vec<Place> = Vec::new();
        let count = self.places.len() - self.found.count() as usize;
        places.try_reserve_exact(count).map_err(|_| error::out_of_memory())?;
        let moved = self.places.iter().zip(0_u32..).filter(|(_, row)| !self.found.contains(*row));
        places.extend(moved.map(|(place, _)| *place));
        Ok(Moved { places, at: 0, found: 0 })
    }
}

/// Rows whose versions lie elsewhere than an index says.
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

    /// Whether the row whose versions begin at a place is one of them: versions of a row lie in one block.
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

    /// Whether each of them was found: a row without a document may not be left out of an answer.
    pub fn are_all_found(&self) -> bool {
        self.found == self.places.len()
    }
}
