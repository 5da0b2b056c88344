//! The rule for every `Drop` that calls the server.
//!
//! An ERROR unwinds through the Rust frames as a panic, and their destructors run before the transaction is aborted.
//! The server's state of pins, locks, relations and plans is then the one that the failed call left. For example, a
//! buffer that `ReleaseAndReadBuffer` released before it failed would be released a second time, which raises an ERROR,
//! and a panic while unwinding ends the process and with it every session. So a destructor releases nothing then: the
//! abort does this, by the resource owner, which has the right state. This function is the rule, and every `Drop` that
//! calls the server uses it (`pgrx-config/lint.sh` checks this).

/// Runs the release of a `Drop`, unless an ERROR is passing through.
pub fn release(work: impl FnOnce()) {
    if !std::thread::panicking() {
        work();
    }
}
