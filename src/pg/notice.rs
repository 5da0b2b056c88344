//! Messages that accompany an answer.

use memory_search_core::Error;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::elog::PgLogLevel;
use pgrx::pg_sys::panic::ErrorReport;

/// Reports a failure as a WARNING if the answer continues without the failed part.
pub fn warn(error: &Error) {
    let mut report = ErrorReport::new(PgSqlErrorCode::ERRCODE_WARNING, error.message.clone(), "memory_search");
    if let Some(detail) = &error.detail {
        report = report.set_detail(detail.clone());
    }
    if let Some(hint) = &error.hint {
        report = report.set_hint(hint.clone());
    }
    report.report(PgLogLevel::WARNING);
}

/// Reports a text as a NOTICE.
pub fn inform(text: &str) {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION, text.to_owned(), "memory_search")
        .report(PgLogLevel::NOTICE);
}
