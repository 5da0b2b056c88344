//! The record of a search: its access path, how much it read, and how long each phase took. Shown
//! if `options.diagnostics` is on; recording costs well under a microsecond for each phase.

use std::cell::RefCell;
use std::time::Instant;

use memory_search_core::output::response::{Diagnostics, ReadDiagnostics};
use memory_search_core::text::typo::Taken;

/// Notes of one search.
pub struct Trace {
    started: Instant,
    reads: RefCell<Vec<ReadDiagnostics>>,
    phases: RefCell<Vec<(&'static str, f64)>>,
    taken: RefCell<Vec<Taken>>,
}

impl Trace {
    /// Begins now.
    pub fn new() -> Self {
        Trace {
            started: Instant::now(),
            reads: RefCell::default(),
            phases: RefCell::default(),
            taken: RefCell::default(),
        }
    }

    /// Runs a phase, and notes its duration. A repeated phase adds to the first.
    pub fn phase<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = work();
        let ms = started.elapsed().as_secs_f64() * 1e3;
        let mut phases = self.phases.borrow_mut();
        match phases.iter_mut().find(|(other, _)| *other == name) {
            Some((_, sum)) => *sum += ms,
            None => phases.push((name, ms)),
        }
        result
    }

    /// Notes an access path.
    pub fn read(&self, read: ReadDiagnostics) {
        self.reads.borrow_mut().push(read);
    }

    /// Notes which words were replaced by which.
    pub fn taken(&self, taken: &[Taken]) {
        *self.taken.borrow_mut() = taken.to_vec();
    }

    /// All notes so far.
    pub fn diagnostics(&self) -> Diagnostics {
        Diagnostics::new(
            &self.reads.borrow(),
            self.taken.borrow().clone(),
            &self.phases.borrow(),
            self.started.elapsed().as_secs_f64() * 1e3,
        )
    }
}
