//! Locks for maintenance of an index: sealing a tail, merging segments, and VACUUM, which locks one memory after the
//! other for itself alone. Rows are added and read without these locks.

use memory_search_index::hashing::MemoryHash;
use pgrx::pg_sys;

use crate::pg::unwinding;

/// A lock of the server's lock manager on a page number of the index: on 0 to keep others from sealing any tail, on
/// another number for one memory.
pub struct MaintenanceLock {
    index: pg_sys::Relation,
    block: u32,
    mode: i32,
}

impl Drop for MaintenanceLock {
    fn drop(&mut self) {
        // SAFETY: taken by the function that made this; an ERROR leaves it to the abort.
        unwinding::release(|| unsafe { pg_sys::UnlockPage(self.index, self.block, self.mode) });
    }
}

impl MaintenanceLock {
    const SHARED: i32 = pg_sys::ShareLock as i32;
    const EXCLUSIVE: i32 = pg_sys::ExclusiveLock as i32;

    /// The lock shared with other sessions that seal; `None` if sealing is locked out.
    pub fn try_shared(index: pg_sys::Relation) -> Option<MaintenanceLock> {
        // SAFETY: the index is open.
        let is_locked = unsafe { pg_sys::ConditionalLockPage(index, 0, Self::SHARED) };
        // Not then_some: it would construct a lock that is not held, and release it.
        is_locked.then(|| MaintenanceLock { index, block: 0, mode: Self::SHARED })
    }

    /// The exclusive lock for one memory; `None` if another session has it.
    pub fn try_of_memory(index: pg_sys::Relation, memory: MemoryHash) -> Option<MaintenanceLock> {
        let block = block_of(memory);
        // SAFETY: the index is open.
        let is_locked = unsafe { pg_sys::ConditionalLockPage(index, block, Self::EXCLUSIVE) };
        is_locked.then(|| MaintenanceLock { index, block, mode: Self::EXCLUSIVE })
    }

    /// The exclusive lock for one memory; waits some milliseconds for another session that has it: all others give way.
    pub fn of_memory(index: pg_sys::Relation, memory: MemoryHash) -> MaintenanceLock {
        let block = block_of(memory);
        // SAFETY: the index is open.
        unsafe { pg_sys::LockPage(index, block, Self::EXCLUSIVE) };
        MaintenanceLock { index, block, mode: Self::EXCLUSIVE }
    }

    /// The lock that excludes all sessions that seal; waits for them, some milliseconds.
    pub fn exclusive(index: pg_sys::Relation) -> MaintenanceLock {
        // SAFETY: the index is open.
        unsafe { pg_sys::LockPage(index, 0, Self::EXCLUSIVE) };
        MaintenanceLock { index, block: 0, mode: Self::EXCLUSIVE }
    }
}

/// The number that stands for a memory. Two memories may share one: then work on one of them is postponed to its next
/// row.
fn block_of(memory: MemoryHash) -> u32 {
    (memory as u32).max(1)
}
