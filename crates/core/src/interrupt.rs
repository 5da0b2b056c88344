//! The check for interrupts of long work.

/// Called now and then in loops that may be long, to check for a cancel. If there is one, it leaves by unwinding.
pub type Tick<'a> = &'a dyn Fn();

/// Rows between two ticks: with the most lexemes that a query has, about a millisecond.
pub const ROWS_PER_TICK: usize = 1_000;
