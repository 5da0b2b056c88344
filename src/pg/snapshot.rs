//! The snapshot that a statement reads by.

use pgrx::pg_sys;

/// Whether the active snapshot sees nothing of another transaction (its xid), which has committed.
pub fn lacks(transaction: u32) -> bool {
    let transaction = pg_sys::TransactionId::from_inner(transaction);
    // SAFETY: a snapshot is active while a function runs; the transaction was read from a row that is committed, or is this
    // one.
    unsafe {
        !pg_sys::TransactionIdIsCurrentTransactionId(transaction)
            && pg_sys::XidInMVCCSnapshot(transaction, pg_sys::GetActiveSnapshot())
    }
}
