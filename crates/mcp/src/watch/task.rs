//! What a watcher is to do.

use crate::age::Age;

/// What is to be done.
#[derive(Debug)]
pub struct Task {
    /// The stores; all that belong to the role where none is named.
    pub named: Vec<String>,
    /// Whether what waits is embedded.
    pub embeds: bool,
    /// How long what was deleted or expired is kept; nothing is purged without it.
    pub purge_after: Option<Age>,
    /// The most rows of a transaction.
    pub most_rows: u32,
    /// How long the database may take for one, in seconds.
    pub timeout_seconds: u32,
    /// Whether messages are written that may hold texts.
    pub log_texts: bool,
}
