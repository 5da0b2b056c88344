//! A pinned page: read in place, or changed as a copy that becomes part of a WAL record.

use std::ops::Range;
use std::ptr::null_mut;

use memory_search_index::fault::Outcome;
use memory_search_index::page::{self, Page};
use pgrx::pg_sys;

use crate::pg::unwinding;

/// The bytes that a processor reads from memory at once.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE_BYTES: usize = 64;

/// A pinned buffer, perhaps locked.
pub(super) struct Taken {
    pub buffer: pg_sys::Buffer,
    pub is_locked: bool,
    /// The copy for the WAL record, once the page is being changed.
    pub image: *mut Page,
    /// Whether the record contains the whole page.
    pub is_new: bool,
}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: pinned once, locked once if it says so, and released only here.
        unwinding::release(|| unsafe {
            match self.is_locked {
                true => pg_sys::UnlockReleaseBuffer(self.buffer),
                false => pg_sys::ReleaseBuffer(self.buffer),
            }
        });
    }
}

impl Taken {
    /// A page that is only pinned.
    pub fn pinned(buffer: pg_sys::Buffer) -> Taken {
        Taken { buffer, is_locked: false, image: null_mut(), is_new: false }
    }

    /// Waits for a lock on the page.
    pub fn lock(&mut self, mode: u32) {
        // SAFETY: the buffer is pinned and not locked by us.
        unsafe { pg_sys::LockBuffer(self.buffer, mode as i32) };
        self.is_locked = true;
    }

    /// Calls `look` with the page, which nobody changes meanwhile; it stays pinned.
    pub fn look<T>(&mut self, look: impl FnOnce(&Page) -> Outcome<T>) -> Outcome<T> {
        self.lock(pg_sys::BUFFER_LOCK_SHARE);
        let found = look(self.page());
        // SAFETY: locked above. (An ERROR within `look` leaves the lock to the abort.)
        unsafe { pg_sys::LockBuffer(self.buffer, pg_sys::BUFFER_LOCK_UNLOCK as i32) };
        self.is_locked = false;
        found
    }

    /// Lets the processor fetch some bytes of the page while it works on another one: by itself it predicts only
    /// accesses within a page.
    pub fn prefetch(&self, bytes: Range<usize>) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the buffer is pinned, so its page stays where it is; nothing is read of it by the program.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
            let page = pg_sys::BufferGetPage(self.buffer).cast::<i8>().cast_const();
            let lines = bytes.start / CACHE_LINE_BYTES..bytes.end.min(page::PAGE_BYTES).div_ceil(CACHE_LINE_BYTES);
            for line in lines {
                _mm_prefetch::<_MM_HINT_T1>(page.add(line * CACHE_LINE_BYTES));
            }
        }
    }

    /// The page itself, or the copy that is being changed.
    pub fn page(&self) -> &Page {
        // SAFETY: a buffer's page has PAGE_BYTES bytes, and is pinned and locked; the copy is of the same size, and
        // belongs to the record that is being made.
        unsafe {
            match self.image.is_null() {
                true => &*pg_sys::BufferGetPage(self.buffer).cast::<Page>(),
                false => &*self.image,
            }
        }
    }
}
