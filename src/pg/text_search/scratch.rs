//! A memory context for the allocations of the server's text search functions: some of them free nothing.

use pgrx::pg_sys;

/// The current memory context until it ends. After an ERROR, the transaction's abort restores and frees both contexts.
pub struct Scratch {
    context: pg_sys::MemoryContext,
    before: pg_sys::MemoryContext,
}

impl Scratch {
    /// Makes it the current context.
    pub fn begin() -> Scratch {
        // SAFETY: a context below the current one, which outlives it.
        unsafe {
            let before = pg_sys::CurrentMemoryContext;
            let context =
                pg_sys::AllocSetContextCreateInternal(before, c"memory_search words".as_ptr(), 0, 8 << 10, 8 << 20);
            pg_sys::MemoryContextSwitchTo(context);
            Scratch { context, before }
        }
    }

    /// Frees its allocations.
    pub fn end(self) {
        // SAFETY: nothing points into it any longer.
        unsafe {
            pg_sys::MemoryContextSwitchTo(self.before);
            pg_sys::MemoryContextDelete(self.context);
        }
    }
}
