//! How long work lets itself be interrupted.

/// Called now and then in loops that may be long: where a server looks for a cancel. It leaves by
/// unwinding when there is one.
pub type Tick<'a> = &'a dyn Fn();

/// Rows between two ticks: with the most lexemes that a query has, about a millisecond.
pub const ROWS_PER_TICK: usize = 1_000;
