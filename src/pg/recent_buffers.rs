//! The buffers in which the session found pages before. The server tries these first, without a look-up in its table of
//! all buffers: a search of a large memory reads thousands of pages, and each look-up in that table misses the
//! processor's caches.

use std::cell::RefCell;

use pgrx::pg_sys;

/// The number of remembered pages, a power of two: those of 1 GB, in 640 kB.
const PAGES: usize = 1 << 17;
/// The number of times in a row that a page is read from its remembered buffer. Then it is looked up, because only this
/// tells the server that the page is in use: otherwise it would be the first to be evicted.
const TIMES_BETWEEN: u8 = 7;

thread_local! {
    static KNOWN: RefCell<Known> = const { RefCell::new(Known { buffers: Vec::new(), times: Vec::new() }) };
}

/// The buffers of pages, each at the index that its block gives, shifted by the number of its file. Another page may
/// have been noted there since: the server compares which page a buffer holds.
struct Known {
    buffers: Vec<pg_sys::Buffer>,
    /// The number of further attempts for each.
    times: Vec<u8>,
}

impl Known {
    fn has_room(&mut self) -> bool {
        if self.buffers.is_empty() {
            let reserved = self.buffers.try_reserve_exact(PAGES).and_then(|()| self.times.try_reserve_exact(PAGES));
            if reserved.is_ok() {
                self.buffers.resize(PAGES, 0);
                self.times.resize(PAGES, 0);
            }
        }
        !self.buffers.is_empty()
    }
}

/// The index for a page. Pages of a file follow each other.
///
/// # Safety
/// The relation must be open.
unsafe fn place_of(relation: pg_sys::Relation, block: u32) -> usize {
    // SAFETY: open by the caller's promise.
    let file = unsafe { (*relation).rd_locator.relNumber }.to_u32();
    // The golden ratio, which keeps files apart.
    file.wrapping_mul(0x9e37_79b9).wrapping_add(block) as usize & (PAGES - 1)
}

/// The buffer that may hold a page of a relation's main fork: to be tried by ReadRecentBuffer, and counted. `None` for
/// temporary relations: their files may have the numbers of others, and the server compares pages of shared buffers
/// only by these numbers.
///
/// # Safety
/// The relation must be open.
pub unsafe fn hint(relation: pg_sys::Relation, block: u32) -> Option<pg_sys::Buffer> {
    // SAFETY: as above.
    let (persistence, place) = unsafe { ((*(*relation).rd_rel).relpersistence, place_of(relation, block)) };
    if persistence == pg_sys::RELPERSISTENCE_TEMP as core::ffi::c_char {
        return None;
    }
    KNOWN.with_borrow_mut(|known| {
        let times = known.times.get_mut(place).filter(|times| **times > 0)?;
        *times -= 1;
        known.buffers.get(place).copied()
    })
}

/// Notes the buffer of a page that was looked up.
///
/// # Safety
/// The relation must be open.
pub unsafe fn note(relation: pg_sys::Relation, block: u32, buffer: pg_sys::Buffer) {
    // Buffers of temporary tables are the session's own, and have negative numbers.
    if buffer > 0 {
        // SAFETY: as above.
        let place = unsafe { place_of(relation, block) };
        KNOWN.with_borrow_mut(|known| {
            if known.has_room() {
                (known.buffers[place], known.times[place]) = (buffer, TIMES_BETWEEN);
            }
        });
    }
}

/// Counts a page that was in its remembered buffer in the relation's statistics. The server itself counts the pages
/// that it looks up.
///
/// # Safety
/// The relation must be open.
pub unsafe fn count(relation: pg_sys::Relation) {
    // SAFETY: as above. The call makes the record if it is null and the relation is counted.
    unsafe {
        if (*relation).pgstat_info.is_null() && (*relation).pgstat_enabled {
            pg_sys::pgstat_assoc_relation(relation);
        }
        if let Some(status) = (*relation).pgstat_info.as_mut() {
            status.counts.blocks_fetched += 1;
            status.counts.blocks_hit += 1;
        }
    }
}

/// Pins a page of a relation's main fork, as ReadBuffer does.
///
/// # Safety
/// The relation must be open, and have the block.
pub unsafe fn read(relation: pg_sys::Relation, block: u32) -> pg_sys::Buffer {
    // SAFETY: by the caller's promise. The hint is a number that the server gave, and it says what the buffer holds.
    unsafe {
        let main = pg_sys::ForkNumber::MAIN_FORKNUM;
        if let Some(buffer) = hint(relation, block)
            && pg_sys::ReadRecentBuffer((*relation).rd_locator, main, block, buffer)
        {
            count(relation);
            return buffer;
        }
        let buffer = pg_sys::ReadBuffer(relation, block);
        note(relation, block, buffer);
        buffer
    }
}
