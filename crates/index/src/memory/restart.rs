//! Repeated reading, if other processes move the pages meanwhile.

use crate::fault::{Fault, Outcome, damaged_content};
use crate::pages::Pages;

/// No reader needs so many attempts: for each to fail, a merge must end between two of its page visits.
const RESTARTS: usize = 100;

/// The message for pages that have moved although no process may move pages.
const MOVED: &str = "a page that belongs to one part of it is said to belong to another";

/// Repeats a reading until no page moves meanwhile. If pages keep moving, the index is damaged.
pub fn until_settled<P: Pages, T>(pages: &P, mut attempt: impl FnMut(&P) -> Outcome<T>) -> Outcome<T> {
    for _ in 0..RESTARTS {
        pages.tick()?;
        match attempt(pages) {
            Err(Fault::Moved) => {}
            done => return done,
        }
    }
    Err(damaged_content(MOVED))
}

/// The outcome for a caller that is alone with its pages: there only damage makes a page move.
pub(super) fn settled<T>(outcome: Outcome<T>) -> Outcome<T> {
    outcome.map_err(|fault| match fault {
        Fault::Moved => damaged_content(MOVED),
        fault => fault,
    })
}
