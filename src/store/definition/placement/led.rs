//! Whether the running call was led to this session by its memory: then what the transaction wrote to the shards of that
//! memory was written by this session, and they may be read in place.

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

/// How the application names of sessions begin that Citus opens to its nodes.
const INTERNAL: &[u8] = b"citus_internal ";

/// Whether the call that runs now was led to this session by its own memory.
pub fn is_here() -> bool {
    SENT.get() > 0
}

/// Whether the session is one that a node opened, not a client. Citus may have led another memory's statement to it.
pub fn is_in_internal_session() -> bool {
    settings::current("application_name").is_some_and(|name| name.starts_with(INTERNAL))
}
