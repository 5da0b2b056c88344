//! Whether it was Citus that led the running call to this session: what the transaction wrote to the shards of the call's
//! memory was written by this session then, so that they may be read in place.

use std::cell::Cell;

use crate::pg::settings;

thread_local! {
    static SENT: Cell<u32> = const { Cell::new(0) };
}

/// Runs `work`, a statement by which Citus leads a call to the session that has what the transaction wrote: this one, where
/// it calls here.
pub fn in_this_session<T>(work: impl FnOnce() -> T) -> T {
    struct Sending;
    impl Drop for Sending {
        fn drop(&mut self) {
            SENT.set(SENT.get() - 1);
        }
    }
    SENT.set(SENT.get() + 1);
    let _sending = Sending;
    work()
}

/// What the sessions that Citus opens to its nodes are called.
const INTERNAL: &[u8] = b"citus_internal ";

/// Whether the call that runs now was led to this session by its own memory.
pub fn is_here() -> bool {
    SENT.get() > 0
}

/// Whether the session is one that a node opened, not a client. Citus may have led another memory's statement to it.
pub fn is_in_internal_session() -> bool {
    settings::current("application_name").is_some_and(|name| name.starts_with(INTERNAL))
}
