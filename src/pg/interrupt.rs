//! Where a cancel or a timeout takes effect in work of ours.

use crate::pg::{error, memory_reserve};

/// Leaves with an ERROR when the statement was cancelled, or has spent what it set aside of memory.
pub fn check() {
    if let Err(refusal) = memory_reserve::check() {
        error::fail(refusal);
    }
    pgrx::check_for_interrupts!();
}
