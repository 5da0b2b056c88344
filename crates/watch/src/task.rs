//! The task of a watcher.

use crate::age::Age;

/// The task.
#[derive(Debug)]
pub struct Task {
    /// The stores; if none is named, all that belong to the role.
    pub named: Vec<String>,
    /// Whether waiting rows are embedded.
    pub embeds: bool,
    /// The age at which deleted or expired rows are purged; `None` means that nothing is purged.
    pub purge_after: Option<Age>,
    /// The most rows of a transaction.
    pub most_rows: u32,
    /// The database's time limit for one, in seconds.
    pub timeout_seconds: u32,
    /// Whether messages that may contain texts are written.
    pub log_texts: bool,
}
