//! The visibility map of a heap: the blocks that hold only rows that everybody sees.
//!
//! The map may only be read while the index page that has the row's place is locked: VACUUM removes the place from that
//! page before it gives the line pointer to another row, and marks no block as visible that holds a dead row. In other
//! blocks, the rows themselves are tested (`seen_rows`).
//!
//! Another session that waits for that page must not wait for a disk. So pages of the map are pinned while no page of
//! the index is locked: for a small table all of them at first; for a larger one those that a first reading needed,
//! before it is repeated.

use memory_search_index::page::PAGE_BYTES;
use pgrx::pg_sys;

use crate::pg::open_relation::OpenRelation;
use crate::pg::{pin_limit, unwinding};

/// Bytes of a page's header (MAXALIGN(SizeOfPageHeaderData)).
const HEADER_BYTES: usize = 24;
/// The blocks of the table in a byte of the map: two bits each (visibilitymapdefs.h).
const BLOCKS_A_BYTE: u32 = 4;
/// The blocks of the table in a page of the map (visibilitymap.c, HEAPBLOCKS_PER_PAGE).
const BLOCKS_A_PAGE: u32 = (PAGE_BYTES - HEADER_BYTES) as u32 * BLOCKS_A_BYTE;
/// The pages of the map that are pinned before the first look-up: those of 1 GB of a table.
const PINNED_AT_FIRST: u32 = 4;
/// The most pages of the map that are pinned at once: those of 64 GB.
const MOST_PINNED: usize = 256;
/// VISIBILITYMAP_ALL_VISIBLE, the lower of a block's two bits.
const ALL_VISIBLE: u8 = 1;

/// The visibility map of a table.
pub struct VisibilityMap<'a> {
    table: &'a OpenRelation,
    /// Pages of the map, each at the index of its number modulo their count, a power of two.
    pages: Vec<Held>,
    /// Whether a page was needed that is not pinned.
    lacks: bool,
    /// Whether there will be no other reading.
    is_last_reading: bool,
}

/// The state of a page of the map.
#[derive(Clone, Copy)]
struct Held {
    /// Its number; without meaning if the state is unknown.
    number: u32,
    state: State,
    /// 0 before it is pinned.
    buffer: pg_sys::Buffer,
}

#[derive(Clone, Copy)]
enum State {
    /// No page with this index was needed.
    Unknown,
    /// It was needed while it was not pinned.
    AskedFor,
    /// The map ends before it.
    Absent,
    /// It is pinned: its bits.
    Pinned(*const u8),
}

impl Drop for VisibilityMap<'_> {
    fn drop(&mut self) {
        for page in self.pages.iter().filter(|page| page.buffer != 0) {
            // SAFETY: the server pinned it when it put it here, and takes back what it exchanges.
            unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(page.buffer) });
        }
    }
}

impl<'a> VisibilityMap<'a> {
    /// The map of a heap. No page of an index may be locked.
    pub fn new(table: &'a OpenRelation) -> Self {
        let (pages, limit) =
            (table.blocks().div_ceil(BLOCKS_A_PAGE).max(1), pin_limit::of_one_reader().clamp(1, MOST_PINNED));
        let places = (pages as usize).next_power_of_two().min(1 << limit.ilog2());
        let unknown = Held { number: 0, state: State::Unknown, buffer: 0 };
        let mut map = VisibilityMap { table, pages: vec![unknown; places], lacks: false, is_last_reading: false };
        if pages <= PINNED_AT_FIRST.min(places as u32) {
            (0..pages).for_each(|number| map.pin(number));
        }
        map
    }

    /// Calls `read`, which looks up blocks while it holds pages of an index; again if pages of the map had to be pinned
    /// first.
    pub fn asked_by<T, E>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T, E>) -> Result<T, E> {
        self.is_last_reading = false;
        let found = read(self)?;
        if !self.pin_what_was_asked_for() {
            return Ok(found);
        }
        // Pages that are needed only now count as not visible to all: then the row itself is tested.
        self.is_last_reading = true;
        read(self)
    }

    /// Whether every row of a block is visible to everybody. False if that is not known yet.
    #[inline]
    pub fn is_visible_to_all(&mut self, block: u32) -> bool {
        let number = block / BLOCKS_A_PAGE;
        let page = &self.pages[number as usize & (self.pages.len() - 1)];
        match page.state {
            State::Pinned(bits) if page.number == number => is_set(bits, block),
            _ => self.ask(block),
        }
    }

    /// Whether every row of all blocks from one to another is visible to everybody. False if that is not known yet.
    pub fn are_visible_to_all(&mut self, first: u32, last: u32) -> bool {
        let mut next = first;
        loop {
            let number = next / BLOCKS_A_PAGE;
            let last_of_page = last.min((number * BLOCKS_A_PAGE).saturating_add(BLOCKS_A_PAGE - 1));
            // The look-up of its first block also requests the page.
            if !self.is_visible_to_all(next) {
                return false;
            }
            let page = &self.pages[number as usize & (self.pages.len() - 1)];
            match page.state {
                State::Pinned(bits) if page.number == number && are_set(bits, next, last_of_page) => {}
                _ => return false,
            }
            if last_of_page == last {
                return true;
            }
            next = last_of_page + 1;
        }
    }

    /// Whether a page was needed that is not pinned, so that there will be another reading.
    pub fn will_be_asked_again(&self) -> bool {
        self.lacks && !self.is_last_reading
    }

    /// Requests the pages of all blocks from one to another.
    pub fn ask_for(&mut self, first: u32, last: u32) {
        (first / BLOCKS_A_PAGE..=last / BLOCKS_A_PAGE).for_each(|number| {
            self.ask(number * BLOCKS_A_PAGE);
        });
    }

    #[inline(never)]
    fn ask(&mut self, block: u32) -> bool {
        let number = block / BLOCKS_A_PAGE;
        let place = number as usize & (self.pages.len() - 1);
        let page = &mut self.pages[place];
        match page.state {
            State::Unknown => (page.number, page.state, self.lacks) = (number, State::AskedFor, true),
            _ if page.number == number => {}
            // The table needs more pages than may be pinned at once: testing each row would cost far more than reading
            // the page here.
            _ => self.pin(number),
        }
        match self.pages[place].state {
            State::Pinned(bits) => is_set(bits, block),
            _ => false,
        }
    }

    fn pin_what_was_asked_for(&mut self) -> bool {
        if !std::mem::take(&mut self.lacks) {
            return false;
        }
        for place in 0..self.pages.len() {
            if let Held { number, state: State::AskedFor, .. } = self.pages[place] {
                self.pin(number);
            }
        }
        true
    }

    /// Puts a page of the map at its index.
    fn pin(&mut self, number: u32) {
        let place = number as usize & (self.pages.len() - 1);
        let page = &mut self.pages[place];
        (page.number, page.state) = (number, State::Absent);
        // SAFETY: the table is open; the buffer is 0 or the one that the call pinned before, which it exchanges. Pinned,
        // the page is that of the block.
        unsafe {
            pg_sys::visibilitymap_get_status(self.table.raw(), number * BLOCKS_A_PAGE, &mut page.buffer);
            if page.buffer != 0 {
                let bytes = pg_sys::BufferGetPage(page.buffer).cast::<u8>().cast_const();
                page.state = State::Pinned(bytes.add(HEADER_BYTES));
            }
        }
    }
}

/// Whether the bit of a block is set in the pinned page that has it.
#[inline]
fn is_set(bits: *const u8, block: u32) -> bool {
    let within = block % BLOCKS_A_PAGE;
    // SAFETY: the page is pinned, and the byte lies in it. Others may set and clear bits meanwhile, as when the server's
    // own function reads them.
    let byte = unsafe { bits.add((within / BLOCKS_A_BYTE) as usize).read_volatile() };
    byte >> (2 * (within % BLOCKS_A_BYTE)) & ALL_VISIBLE != 0
}

/// Whether the bits of all blocks from one to another are set in the pinned page that has them.
fn are_set(bits: *const u8, first: u32, last: u32) -> bool {
    const BLOCKS_A_WORD: u32 = u64::BITS / 2;
    const ALL_OF_THEM: u64 = u64::MAX / 0xff * 0b0101_0101;
    let (first, last) = (first % BLOCKS_A_PAGE, last % BLOCKS_A_PAGE);
    (first / BLOCKS_A_WORD..=last / BLOCKS_A_WORD).all(|word| {
        // SAFETY: the page is pinned, its bits begin after a header of 24 bytes and are a multiple of 8 long, so the word
        // is aligned and lies in it. Others may set and clear bits meanwhile, as when the server's own function reads them.
        let word_bits = u64::from_le(unsafe { bits.cast::<u64>().add(word as usize).read_volatile() });
        let mut wanted = ALL_OF_THEM;
        if word == first / BLOCKS_A_WORD {
            wanted &= u64::MAX << (2 * (first % BLOCKS_A_WORD));
        }
        if word == last / BLOCKS_A_WORD {
            wanted &= u64::MAX >> (2 * (BLOCKS_A_WORD - 1 - last % BLOCKS_A_WORD));
        }
        word_bits & wanted == wanted
    })
}

const _: () = assert!(HEADER_BYTES.is_multiple_of(8) && PAGE_BYTES.is_multiple_of(8));
