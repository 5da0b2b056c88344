//! Reworded errors of the server: it names its own objects, but only this extension knows the arguments that the caller
//! gave.

use std::panic::AssertUnwindSafe;

use memory_search_core::Error;
use pgrx::pg_sys::elog::PgLogLevel;
use pgrx::pg_sys::panic::{CaughtError, ErrorReport, ErrorReportWithLevel};
use pgrx::{PgSqlErrorCode, function_name, pg_sys};

use crate::pg::{error, subtransaction};

/// Runs `work`. If a unique index refuses a row (23505), the error gets the words that `words` returns for the server's
/// message and detail; if it returns none, the error is raised unchanged.
pub fn on_duplicate<T>(words: impl FnOnce(&str, &str) -> Option<Error>, work: impl FnOnce() -> T) -> T {
    with_errors(work, |report| {
        if report.sql_error_code() != PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION {
            return None;
        }
        let (message, detail) = (report.message(), report.detail().unwrap_or_default());
        let words = words(message, detail)?;
        let server_says = if detail.is_empty() { message.to_owned() } else { format!("{message}: {detail}") };
        Some(with_hint(report.sql_error_code(), words.message, server_says, words.hint))
    })
}

/// Runs `work`. If a foreign key refuses a row because the row that it names is gone (23503), the error is `refusal`.
pub fn on_missing_row<T>(refusal: impl FnOnce() -> Error, work: impl FnOnce() -> T) -> T {
    with_errors(work, |server| {
        let is_missing = server.sql_error_code() == PgSqlErrorCode::ERRCODE_FOREIGN_KEY_VIOLATION;
        is_missing.then(|| error::report(refusal()))
    })
}

/// Runs `work`, which calls a function of a user. The detail of its errors gets the function's name and `role`: an
/// error inside a function seldom says where it comes from, and the server's CONTEXT does not pass through Rust frames.
pub fn raised_in<T>(function: &str, role: &str, work: impl FnOnce() -> T) -> T {
    with_errors(work, |report| {
        if subtransaction::ends_the_statement(report.sql_error_code()) {
            return None;
        }
        let origin = format!("It comes from a call of {function}, {role}.");
        let detail = report.detail().map_or_else(|| origin.clone(), |detail| format!("{detail}\n{origin}"));
        let hint = report.hint().map(str::to_owned);
        Some(with_hint(report.sql_error_code(), report.message().to_owned(), detail, hint))
    })
}

fn with_hint(code: PgSqlErrorCode, message: String, detail: String, hint: Option<String>) -> ErrorReport {
    let report = ErrorReport::new(code, message, function_name!()).set_detail(detail);
    match hint {
        Some(hint) => report.set_hint(hint),
        None => report,
    }
}

/// Runs `work`; an ERROR is raised again as `reword` returns it, or unchanged.
fn with_errors<T>(work: impl FnOnce() -> T, reword: impl FnOnce(&ErrorReportWithLevel) -> Option<ErrorReport>) -> T {
    let caught =
        pg_sys::PgTryBuilder::new(AssertUnwindSafe(|| Ok(work()))).catch_others(Err).catch_rust_panic(Err).execute();
    let caught = match caught {
        Ok(done) => return done,
        Err(caught) => caught,
    };
    if let CaughtError::PostgresError(report) | CaughtError::ErrorReport(report) = &caught
        && let Some(reworded) = reword(report)
    {
        reworded.report(PgLogLevel::ERROR);
    }
    caught.rethrow()
}
