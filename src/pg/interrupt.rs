//! Where a cancel or a timeout takes effect in work of ours.

/// Leaves with an ERROR when the statement was cancelled.
pub fn check() {
    pgrx::check_for_interrupts!();
}
