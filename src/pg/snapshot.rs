//! The snapshot that a statement reads by.

use pgrx::pg_sys;

/// Whether the active snapshot sees nothing of a transaction (its xid), which has committed.
pub fn lacks(transaction: u32) -> bool {
    // SAFETY: a snapshot is active while a function runs; the transaction was read from a row that is committed.
    unsafe { pg_sys::XidInMVCCSnapshot(pg_sys::TransactionId::from_inner(transaction), pg_sys::GetActiveSnapshot()) }
}
