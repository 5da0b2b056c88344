//! Conversion of the engine's errors to PostgreSQL's: the only place that knows SQLSTATEs.

use memory_search_core::{Error, ErrorKind};
use pgrx::pg_sys::elog::PgLogLevel;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgSqlErrorCode, function_name};

/// The result type of every SQL function. (`Result<T, Error>` would lose code and hint: pgrx reports any error type
/// except [`ErrorReport`] as 22000 with only its text.)
pub type SqlResult<T> = Result<T, ErrorReport>;

/// Keeps stack traces, with the paths of the machine that built the library, out of error messages: pgrx adds them to
/// the detail of every error if the server runs with RUST_BACKTRACE. The standard library reads this variable once.
pub fn without_stack_traces() {
    const SWITCH: &str = "RUST_LIB_BACKTRACE";
    let before = std::env::var_os(SWITCH);
    // SAFETY: called while the library is loaded, by the one thread that a server's process has; what the switch was
    // for others is put back before anything else runs.
    unsafe {
        std::env::set_var(SWITCH, "0");
        let _ = std::backtrace::Backtrace::capture();
        match before {
            Some(value) => std::env::set_var(SWITCH, value),
            None => std::env::remove_var(SWITCH),
        }
    }
}

/// Raises an error where no result can carry it.
pub fn fail(error: Error) -> ! {
    report(error).report(PgLogLevel::ERROR);
    unreachable!("an ERROR does not return")
}

/// The value, or an ERROR that leaves the callback.
pub fn or_raise<T>(result: memory_search_core::Result<T>) -> T {
    result.unwrap_or_else(|error| fail(error))
}

/// The report that PostgreSQL shows for `error`.
pub fn report(error: Error) -> ErrorReport {
    let code = match error.kind {
        ErrorKind::InvalidArgument => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        ErrorKind::InvalidText => PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION,
        ErrorKind::InvalidBinary => PgSqlErrorCode::ERRCODE_INVALID_BINARY_REPRESENTATION,
        ErrorKind::NullArgument => PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
        ErrorKind::DimensionMismatch => PgSqlErrorCode::ERRCODE_DATA_EXCEPTION,
        ErrorKind::LimitExceeded => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
        ErrorKind::OutOfMemory => PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY,
        ErrorKind::UndefinedObject => PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
        ErrorKind::UndefinedColumn => PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
        ErrorKind::UndefinedTable => PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
        ErrorKind::WrongState => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        ErrorKind::ChangedMeanwhile => PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE,
        ErrorKind::DuplicateObject => PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT,
        ErrorKind::DuplicateRow => PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION,
        ErrorKind::InsufficientPrivilege => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        ErrorKind::WrongObjectType => PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
        ErrorKind::WrongType => PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
        ErrorKind::Unsupported => PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
        ErrorKind::Corrupted => PgSqlErrorCode::ERRCODE_DATA_CORRUPTED,
        ErrorKind::IndexCorrupted => PgSqlErrorCode::ERRCODE_INDEX_CORRUPTED,
        ErrorKind::Internal => PgSqlErrorCode::ERRCODE_INTERNAL_ERROR,
    };
    let mut report = ErrorReport::new(code, error.message, function_name!());
    if let Some(detail) = error.detail {
        report = report.set_detail(detail);
    }
    if let Some(hint) = error.hint {
        report = report.set_hint(hint);
    }
    report
}
