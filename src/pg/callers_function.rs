//! A function of the caller's that runs now, an embedder or a reranker. What it asks of this extension itself is
//! answered without it, or it would call itself for ever. A function with other rights that it calls is another caller,
//! and is answered by its own settings.

use std::cell::Cell;
use std::thread::LocalKey;

use crate::pg::role;

/// A running function, by the roles in whose name it may ask.
#[derive(Debug, Clone, Copy)]
pub struct CallersFunction {
    caller: u32,
    /// The owner of a function that is SECURITY DEFINER.
    definer: Option<u32>,
}

/// Where a running function is noted.
pub type Running = LocalKey<Cell<Option<CallersFunction>>>;

/// Whether the current role asks as the function that is noted.
pub fn asks(running: &'static Running) -> bool {
    let current = role::current();
    running.get().is_some_and(|function| function.caller == current || function.definer == Some(current))
}

/// Runs `work`, which calls a function, and notes it meanwhile. `definer` is the owner of a function that is SECURITY
/// DEFINER.
pub fn while_noted<T>(running: &'static Running, definer: Option<u32>, work: impl FnOnce() -> T) -> T {
    let function = CallersFunction { caller: role::current(), definer };
    let _noted = Noted { running, before: running.replace(Some(function)) };
    work()
}

/// Puts back what was noted before, also after an error.
struct Noted {
    running: &'static Running,
    before: Option<CallersFunction>,
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.running.set(self.before);
    }
}
