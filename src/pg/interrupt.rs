//! The points at which a cancel or a timeout takes effect in this extension's work.

use crate::pg::{error, memory_reserve};

/// Raises an ERROR if the statement was cancelled, or has spent its memory reserve.
pub fn check() {
    if let Err(refusal) = memory_reserve::check() {
        error::fail(refusal);
    }
    pgrx::check_for_interrupts!();
}
