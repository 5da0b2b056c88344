//! Memory that a call sets aside for the case that the system gives no more.
//!
//! Whatever grows with the rows of a memory is asked for so that it can be refused. Beside it there is much that is small
//! and cannot be: a string, a list of candidates, a library's own. Where the system refuses those Rust ends the process,
//! and with it the sessions of the whole server. So each call that needs much sets a piece of address space aside, which
//! costs no page until it is touched. The allocator spends it when the system refuses, and the call ends with an error at
//! the next look for interrupts, long before what was set aside is used up.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memory_search_core::{Error, ErrorKind, Result};

/// The bytes that a call sets aside by itself: more than any asked for between two looks for interrupts, in tests that give
/// it from nothing to plenty (`tests/run_cluster.sh out_of_memory`).
pub const BYTES: usize = 16 << 20;

/// The same for each candidate of a search: a candidate takes 0.5 kB at most at each stage of ranking, and the lists of
/// two stages stand beside each other while they grow.
pub const BYTES_OF_CANDIDATE: usize = 6 << 10;

/// Where it lies; 0 where there is none.
static RESERVE: AtomicUsize = AtomicUsize::new(0);
/// How many bytes it has.
static SIZE: AtomicUsize = AtomicUsize::new(0);
/// Whether it was spent since it was set aside.
static IS_SPENT: AtomicBool = AtomicBool::new(false);

/// A reserve while a call runs.
#[must_use]
pub struct Held {
    /// A call within a call has that of the outer one.
    is_own: bool,
}

/// Sets so many bytes aside, unless an outer call has done so.
///
/// # Errors
///
/// There is none, or the outer call has spent its own (53200).
pub fn hold(bytes: usize) -> Result<Held> {
    check()?;
    if RESERVE.load(Ordering::Relaxed) != 0 {
        return Ok(Held { is_own: false });
    }
    let found = map(bytes)?;
    SIZE.store(bytes, Ordering::Relaxed);
    IS_SPENT.store(false, Ordering::Relaxed);
    RESERVE.store(found as usize, Ordering::Relaxed);
    Ok(Held { is_own: true })
}

/// Refuses what needs `bytes` beside the reserve and looks for no interrupts meanwhile (53200).
pub fn require(bytes: usize) -> Result<()> {
    let found = map(bytes)?;
    // SAFETY: mapped just now, and nobody has looked into it.
    unsafe { libc::munmap(found, bytes) };
    Ok(())
}

fn map(bytes: usize) -> Result<*mut libc::c_void> {
    // SAFETY: new pages, which nobody else knows.
    let found = unsafe {
        libc::mmap(
            null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if found == libc::MAP_FAILED { Err(out_of_memory()) } else { Ok(found) }
}

/// Gives the reserve back to the system, for what was just refused; false where there is none.
pub fn spend() -> bool {
    let spent = give_back();
    if spent {
        IS_SPENT.store(true, Ordering::Relaxed);
    }
    spent
}

/// The error of a call that has spent its reserve, once.
pub fn check() -> Result<()> {
    if IS_SPENT.load(Ordering::Relaxed) && IS_SPENT.swap(false, Ordering::Relaxed) {
        return Err(out_of_memory());
    }
    Ok(())
}

fn give_back() -> bool {
    let reserve = RESERVE.swap(0, Ordering::Relaxed);
    if reserve != 0 {
        // SAFETY: mapped by `hold` with so many bytes, and nobody has looked into it.
        unsafe { libc::munmap(reserve as *mut libc::c_void, SIZE.load(Ordering::Relaxed)) };
    }
    reserve != 0
}

fn out_of_memory() -> Error {
    Error::new(ErrorKind::OutOfMemory, "the session is out of memory").hint(
        "Ask for fewer candidates or narrow the search with filters; or let the server's processes have more memory.",
    )
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.is_own {
            give_back();
            IS_SPENT.store(false, Ordering::Relaxed);
        }
    }
}
