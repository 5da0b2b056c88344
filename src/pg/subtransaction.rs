//! Runs work that may fail, and continues after its ERROR as if it had never begun.

use std::panic::AssertUnwindSafe;

use pgrx::pg_sys::panic::CaughtError;
use pgrx::{PgSqlErrorCode, pg_sys};

/// The class of an SQLSTATE: its first two characters, six bits each.
const CLASS: i32 = (1 << 12) - 1;

/// Class 57, "operator intervention": a cancelled statement, a server that shuts down.
const OPERATOR_INTERVENTION: i32 = 5 | 7 << 6;

/// Class 40, "transaction rollback": earlier reads and locks are no longer valid either.
const TRANSACTION_ROLLBACK: i32 = 4;

/// Runs `work` in its own subtransaction. An ERROR undoes its changes and is returned as its message; but if the
/// statement is cancelled, the session ends, or the transaction must be tried again, the error is raised further. So is
/// any error above a parallel plan of PostgreSQL 16, which starts no subtransaction there.
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    #[cfg(feature = "pg16")]
    // SAFETY: reads a counter of this backend's transaction.
    if unsafe { pg_sys::IsInParallelMode() } {
        return Ok(work());
    }
    // SAFETY: what a block with EXCEPTION does in PL/pgSQL: the subtransaction ends once, on either way, and memory
    // context and resource owner are put back as they were. The guard around calls of the server has flushed the error
    // state before an ERROR becomes a panic.
    let caught = unsafe {
        let (context, owner) = (pg_sys::CurrentMemoryContext, pg_sys::CurrentResourceOwner);
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        pg_sys::MemoryContextSwitchTo(context);
        let caught = pg_sys::PgTryBuilder::new(AssertUnwindSafe(|| Ok(work())))
            .catch_others(Err)
            .catch_rust_panic(Err)
            .execute();
        match &caught {
            Ok(_) => pg_sys::ReleaseCurrentSubTransaction(),
            Err(_) => pg_sys::RollbackAndReleaseCurrentSubTransaction(),
        }
        pg_sys::MemoryContextSwitchTo(context);
        pg_sys::CurrentResourceOwner = owner;
        caught
    };
    caught.map_err(message_of)
}

/// Whether an error says that the statement is cancelled, the session ends, or the transaction must be tried again.
pub fn ends_the_statement(code: PgSqlErrorCode) -> bool {
    [OPERATOR_INTERVENTION, TRANSACTION_ROLLBACK].contains(&(code as i32 & CLASS))
}

fn message_of(caught: CaughtError) -> String {
    match &caught {
        CaughtError::PostgresError(report) | CaughtError::ErrorReport(report)
            if !ends_the_statement(report.sql_error_code()) =>
        {
            report.message().to_owned()
        }
        _ => caught.rethrow(),
    }
}
