//! Messages that accompany an answer.

use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::elog::PgLogLevel;
use pgrx::pg_sys::panic::ErrorReport;

/// A WARNING with a hint.
pub fn warn(message: impl Into<String>, hint: impl Into<String>) {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_WARNING, message.into(), "memory_search")
        .set_hint(hint.into())
        .report(PgLogLevel::WARNING);
}
