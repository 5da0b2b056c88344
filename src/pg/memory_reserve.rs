//! Memory that a call reserves for the case that the system gives no more.
//!
//! Allocations that grow with the rows of a memory are made so that they can be refused. Besides these there are many
//! small ones that cannot: a string, a list of candidates, those of a library. If the system refuses such an
//! allocation, Rust ends the process, and this ends all sessions of the server. So a transaction reserves a piece of
//! address space from its first statement on, and a call that needs much memory a larger one. It costs no page until it
//! is touched. The allocator releases it when the system refuses, and the call ends with an error at the next check for
//! interrupts, long before the reserve is used up.

use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

/// The bytes that a call reserves by itself: more than any call allocates between two checks for interrupts, in tests
/// that give it amounts from nothing to plenty (`tests/run_cluster.sh out_of_memory`).
pub const BYTES: usize = 16 << 20;

/// The most bytes of a reserve that stays after its call.
const MOST_KEPT: usize = 2 * BYTES;

/// The reserved bytes for each candidate of a search: a candidate takes 0.5 kB at most at each stage of ranking, and
/// the lists of two stages exist side by side while they grow.
pub const BYTES_OF_CANDIDATE: usize = 6 << 10;

/// The address of the reserve; 0 if there is none.
static RESERVE: AtomicUsize = AtomicUsize::new(0);
/// The size of the reserve in bytes.
static SIZE: AtomicUsize = AtomicUsize::new(0);
/// Whether it has been released since it was reserved.
static IS_SPENT: AtomicBool = AtomicBool::new(false);
/// Whether a call holds it.
static IS_HELD: AtomicBool = AtomicBool::new(false);

/// The reserve while a call runs.
#[must_use]
pub struct Held {
    /// Whether the call made the reserve itself; an inner call uses the one of the outer call.
    is_own: bool,
}

/// Reserves this many bytes for a call, unless an outer call has done so.
///
/// # Errors
///
/// The system gives none, or the outer call has spent its own (53200).
pub fn hold(bytes: usize) -> Result<Held> {
    check()?;
    if IS_HELD.load(Ordering::Relaxed) {
        return Ok(Held { is_own: false });
    }
    if RESERVE.load(Ordering::Relaxed) == 0 || SIZE.load(Ordering::Relaxed) < bytes {
        reserve(bytes)?;
    }
    IS_HELD.store(true, Ordering::Relaxed);
    Ok(Held { is_own: true })
}

/// Reserves [`BYTES`] until the end of the transaction, unless it has a reserve.
///
/// # Errors
///
/// The system gives none (53200).
pub fn keep() -> Result<()> {
    if RESERVE.load(Ordering::Relaxed) != 0 || IS_HELD.load(Ordering::Relaxed) {
        return Ok(());
    }
    static REGISTRATION: Once = Once::new();
    // SAFETY: the callback lives as long as the process, and its argument is not used.
    REGISTRATION.call_once(|| unsafe { pg_sys::RegisterXactCallback(Some(at_end_of_transaction), null_mut()) });
    reserve(BYTES)
}

/// Gives the reserve back. A call that holds one has ended, by an ERROR too.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn at_end_of_transaction(event: pg_sys::XactEvent::Type, _argument: *mut core::ffi::c_void) {
    use pg_sys::XactEvent::{XACT_EVENT_PARALLEL_PRE_COMMIT, XACT_EVENT_PRE_COMMIT, XACT_EVENT_PRE_PREPARE};
    if ![XACT_EVENT_PARALLEL_PRE_COMMIT, XACT_EVENT_PRE_COMMIT, XACT_EVENT_PRE_PREPARE].contains(&event) {
        give_back();
        IS_SPENT.store(false, Ordering::Relaxed);
    }
}

/// Replaces the reserve by one of this size.
fn reserve(bytes: usize) -> Result<()> {
    give_back();
    let found = map(bytes)?;
    SIZE.store(bytes, Ordering::Relaxed);
    IS_SPENT.store(false, Ordering::Relaxed);
    RESERVE.store(found as usize, Ordering::Relaxed);
    Ok(())
}

/// Refuses work that needs `bytes` besides the reserve and does not check for interrupts meanwhile (53200).
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

/// Gives the reserve back to the system, for an allocation that was just refused; false if there is none.
pub fn spend() -> bool {
    let spent = give_back();
    if spent {
        IS_SPENT.store(true, Ordering::Relaxed);
    }
    spent
}

/// The error of a call that has spent its reserve; returned once.
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

/// The error of a call to which the system gives no more memory (53200).
pub fn out_of_memory() -> Error {
    Error::new(ErrorKind::OutOfMemory, "the session is out of memory").hint(
        "Let the server's processes have more memory. A search needs less with fewer candidates, or with filters.",
    )
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.is_own {
            IS_HELD.store(false, Ordering::Relaxed);
            IS_SPENT.store(false, Ordering::Relaxed);
            // A larger one would stay until the end of the transaction.
            if SIZE.load(Ordering::Relaxed) > MOST_KEPT {
                give_back();
            }
        }
    }
}
