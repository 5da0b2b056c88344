//! The allocator of the extension's own memory: the system's, except that large freed blocks stay with the session for
//! later allocations.
//!
//! A search of a large memory uses some megabytes for some milliseconds. The C library gives them back to the operating
//! system at once, and the next search gets other pages, each of which the system clears when it is first touched: this
//! took a fifth of the time of a search by common words.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::pg::memory_reserve;

/// The smallest kept block: the C library itself keeps smaller ones, and blocks above `MOST` go back to the system.
const LEAST: usize = 512 << 10;
const MOST: usize = 16 << 20;
/// The most bytes that are kept.
const KEPT_BYTES: usize = 32 << 20;
/// The most blocks that are kept.
const KEPT_BLOCKS: usize = 48;
/// The alignment of kept blocks: a line of the processor's cache.
const ALIGNED: usize = 64;

/// The allocator.
pub struct KeptMemory {
    /// Whether a thread is using the blocks. The server has one thread; another one would work without kept blocks.
    is_taken: AtomicBool,
    blocks: UnsafeCell<Blocks>,
}

// SAFETY: the blocks are looked at by one thread at a time, which `is_taken` says.
unsafe impl Sync for KeptMemory {}

/// The free blocks, in the order in which they were freed.
struct Blocks {
    list: [(*mut u8, usize); KEPT_BLOCKS],
    count: usize,
    bytes: usize,
}

impl Blocks {
    fn take(&mut self, size: usize) -> Option<*mut u8> {
        // The block that was freed last is the likeliest to be in the processor's cache.
        let at = self.list[..self.count].iter().rposition(|(_, kept)| *kept == size)?;
        Some(self.remove(at).0)
    }

    fn remove(&mut self, at: usize) -> (*mut u8, usize) {
        let removed = self.list[at];
        self.list.copy_within(at + 1..self.count, at);
        self.count -= 1;
        self.bytes -= removed.1;
        removed
    }

    /// Keeps a block; passes the blocks that it displaces to `release`.
    fn keep(&mut self, block: *mut u8, size: usize, mut release: impl FnMut(*mut u8, usize)) {
        while self.count == KEPT_BLOCKS || self.bytes + size > KEPT_BYTES {
            let (block, size) = self.remove(0);
            release(block, size);
        }
        self.list[self.count] = (block, size);
        self.count += 1;
        self.bytes += size;
    }
}

/// The layout with which a block is made: there are few sizes, so that freed blocks fit later requests. At most an
/// eighth more is unused. `None` for a block that is not kept.
fn rounded(layout: Layout) -> Option<Layout> {
    let size = layout.size();
    if !(LEAST..=MOST).contains(&size) || layout.align() > ALIGNED {
        return None;
    }
    let step = 1 << (size.ilog2() - 3);
    Layout::from_size_align(size.next_multiple_of(step), ALIGNED).ok()
}

/// Gives a kept block back to the system.
fn release(block: *mut u8, size: usize) {
    // SAFETY: made with this layout, and nobody has it.
    unsafe { System.dealloc(block, Layout::from_size_align_unchecked(size, ALIGNED)) }
}

impl KeptMemory {
    /// The allocator without any kept block.
    pub const fn new() -> KeptMemory {
        let blocks = Blocks { list: [(null_mut(), 0); KEPT_BLOCKS], count: 0, bytes: 0 };
        KeptMemory { is_taken: AtomicBool::new(false), blocks: UnsafeCell::new(blocks) }
    }

    fn with_blocks<T>(&self, work: impl FnOnce(&mut Blocks) -> T) -> Option<T> {
        if self.is_taken.swap(true, Ordering::Acquire) {
            return None;
        }
        // SAFETY: no other caller is here until `is_taken` is false again; `work` allocates nothing and cannot panic.
        let found = work(unsafe { &mut *self.blocks.get() });
        self.is_taken.store(false, Ordering::Release);
        Some(found)
    }

    /// Asks the system; if it refuses, asks again after the kept blocks were released, and then after the call's
    /// reserve was released.
    fn asked(&self, ask: impl Fn() -> *mut u8) -> *mut u8 {
        let block = ask();
        if !block.is_null() {
            return block;
        }
        let had = self.with_blocks(|blocks| {
            let had = blocks.count > 0;
            while blocks.count > 0 {
                let (block, size) = blocks.remove(0);
                release(block, size);
            }
            had
        });
        let block = if had == Some(true) { ask() } else { null_mut() };
        if block.is_null() && memory_reserve::spend() { ask() } else { block }
    }

    fn kept(&self, layout: Layout) -> Option<*mut u8> {
        self.with_blocks(|blocks| blocks.take(layout.size())).flatten()
    }
}

// SAFETY: a block is the system's, of the layout that `rounded` gives for every request, and has one owner: its
// requester, or the list.
unsafe impl GlobalAlloc for KeptMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(rounded) = rounded(layout) else {
            // SAFETY: by the caller's promise.
            return self.asked(|| unsafe { System.alloc(layout) });
        };
        // SAFETY: the size is not zero.
        self.kept(rounded).unwrap_or_else(|| self.asked(|| unsafe { System.alloc(rounded) }))
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(rounded) = rounded(layout) else {
            // SAFETY: by the caller's promise.
            return self.asked(|| unsafe { System.alloc_zeroed(layout) });
        };
        match self.kept(rounded) {
            Some(block) => {
                // SAFETY: it has at least as many bytes.
                unsafe { block.write_bytes(0, layout.size()) };
                block
            }
            // SAFETY: the size is not zero.
            None => self.asked(|| unsafe { System.alloc_zeroed(rounded) }),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some(rounded) = rounded(layout) else {
            // SAFETY: by the caller's promise.
            return unsafe { System.dealloc(block, layout) };
        };
        if self.with_blocks(|blocks| blocks.keep(block, rounded.size(), release)).is_none() {
            release(block, rounded.size());
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: by the caller's promise.
        let new = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        let (before, after) = (rounded(layout), rounded(new));
        if before.is_none() && after.is_none() {
            // SAFETY: by the caller's promise.
            return self.asked(|| unsafe { System.realloc(block, layout, new_size) });
        }
        if before.is_some() && before == after {
            return block;
        }
        // SAFETY: two blocks, and as many bytes as both have.
        unsafe {
            let moved = self.alloc(new);
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, layout.size().min(new_size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}
