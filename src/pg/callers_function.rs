//! A function of the caller's, an embedder or a reranker, that is running now. Its own calls to this extension are
//! answered without it, because otherwise it would call itself for ever. A function with other privileges that it calls
//! counts as another caller, with its own settings.

use std::cell::Cell;
use std::thread::LocalKey;

use crate::pg::role;

/// A running function, by the roles that its own calls run as.
#[derive(Debug, Clone, Copy)]
pub struct CallersFunction {
    caller: u32,
    /// The owner of the function, if it is SECURITY DEFINER.
    definer: Option<u32>,
}

/// The variable that notes a running function.
pub type Running = LocalKey<Cell<Option<CallersFunction>>>;

/// Whether the current role makes calls as the noted function.
pub fn asks(running: &'static Running) -> bool {
    let current = role::current();
    running.get().is_some_and(|function| function.caller == current || function.definer == Some(current))
}

/// Runs `work`, which calls a function, and notes the function meanwhile. `definer` is its owner if it is SECURITY
/// DEFINER.
pub fn while_noted<T>(running: &'static Running, definer: Option<u32>, work: impl FnOnce() -> T) -> T {
    let function = CallersFunction { caller: role::current(), definer };
    let _noted = Noted { running, before: running.replace(Some(function)) };
    work()
}

/// Restores the previous note, also after an error.
struct Noted {
    running: &'static Running,
    before: Option<CallersFunction>,
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.running.set(self.before);
    }
}
