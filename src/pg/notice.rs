//! Messages that accompany an answer.

use std::cell::RefCell;

use memory_search_core::Error;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys;
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

/// The most texts of one statement that are kept: a statement may search for each of many rows.
const MOST_SAID: usize = 100;

thread_local! {
    /// The beginning of the last statement of the client that had a notice, and its texts.
    static SAID: RefCell<(pg_sys::TimestampTz, Vec<String>)> = const { RefCell::new((0, Vec::new())) };
}

/// Reports a text as a NOTICE, unless this statement of the client has said it already. The server may call a function
/// that only reads several times for one call in the statement: once for each use of a column of a subquery, and before
/// that while it plans.
pub fn inform_once(text: &str) {
    // SAFETY: reads a pointer of this backend's state. There is no portal yet while the client's own statement is planned,
    // and the statement says it again when it runs.
    if unsafe { pg_sys::ActivePortal.is_null() } {
        return;
    }
    // SAFETY: reads a timestamp of this backend's state.
    let statement = unsafe { pg_sys::GetCurrentStatementStartTimestamp() };
    let is_new = SAID.with_borrow_mut(|(of, said)| {
        if *of != statement {
            *of = statement;
            said.clear();
        }
        let is_new = !said.iter().any(|known| known == text);
        if is_new && said.len() < MOST_SAID {
            said.push(text.to_owned());
        }
        is_new
    });
    if is_new {
        inform(text);
    }
}
