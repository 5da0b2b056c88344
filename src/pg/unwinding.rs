//! The rule for every `Drop` that calls the server.
//!
//! An ERROR unwinds through our frames as a panic, and their destructors run before the transaction is aborted.
//! What the server knows of pins, locks, relations and plans is then as the failed call left it: a buffer that
//! `ReleaseAndReadBuffer` gave back before it failed is released a second time, which raises, and a panic while
//! unwinding ends the process and with it every session. So a destructor releases nothing then: the abort does,
//! by the resource owner, which knows better. The rule is this function, and there is no `Drop` that calls the
//! server without it (`pgrx-config/lint.sh` looks).

/// Runs the release of a `Drop`, unless an ERROR is passing through.
pub fn release(work: impl FnOnce()) {
    if !std::thread::panicking() {
        work();
    }
}
