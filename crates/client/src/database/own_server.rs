//! A server of the program's own: one that the program has started, because no database was named.

/// The use of such a server. Both functions block.
pub trait OwnServer: Send + Sync {
    /// Restarts the server if it ended by itself, and returns whether it runs: nothing else would restart it while this
    /// program runs.
    fn revive(&self) -> bool;

    /// Ends the use. If nobody else uses the server, it is stopped.
    fn end(&self);
}
