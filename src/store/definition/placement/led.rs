//! Whether Citus led the running call to this session because of its memory: then this session made the transaction's
//! writes to the shards of that memory, and the shards may be read in place.

use std::cell::Cell;

use crate::pg::settings;

thread_local! {
    static SENT: Cell<u32> = const { Cell::new(0) };
}

/// Runs `work`, a statement by which Citus leads a call to the session with the transaction's writes: this session, if
/// Citus calls here.
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

/// The beginning of the application names of the sessions that Citus opens to its nodes.
const INTERNAL: &[u8] = b"citus_internal ";

/// Whether Citus led the running call to this session because of the call's own memory.
pub fn is_here() -> bool {
    SENT.get() > 0
}

/// Whether a node opened this session, not a client. Citus may have led a statement of another memory to it.
pub fn is_in_internal_session() -> bool {
    settings::current("application_name").is_some_and(|name| name.starts_with(INTERNAL))
}
