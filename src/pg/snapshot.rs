//! The snapshot with which a statement reads.

use pgrx::pg_sys;

/// Whether a transaction (its xid) is this one, or a subtransaction of it: a snapshot that it took before may see less
/// of it than a later one.
pub fn is_of_own(transaction: u32) -> bool {
    // SAFETY: reads this backend's transaction state.
    unsafe { pg_sys::TransactionIdIsCurrentTransactionId(pg_sys::TransactionId::from_inner(transaction)) }
}

/// Whether the active snapshot does not see another, committed transaction (its xid).
pub fn lacks(transaction: u32) -> bool {
    let transaction = pg_sys::TransactionId::from_inner(transaction);
    // SAFETY: a snapshot is active while a function runs; the transaction was read from a row that is committed, or is this
    // one.
    unsafe {
        !pg_sys::TransactionIdIsCurrentTransactionId(transaction)
            && pg_sys::XidInMVCCSnapshot(transaction, pg_sys::GetActiveSnapshot())
    }
}

/// The transaction's isolation level, if it keeps one snapshot for all its statements: they do not see what others have
/// committed since.
pub fn level_that_keeps_one() -> Option<&'static str> {
    // SAFETY: reads a plain global, the transaction's isolation level.
    match unsafe { pg_sys::XactIsoLevel } as u32 {
        pg_sys::XACT_SERIALIZABLE => Some("SERIALIZABLE"),
        pg_sys::XACT_REPEATABLE_READ => Some("REPEATABLE READ"),
        _ => None,
    }
}
