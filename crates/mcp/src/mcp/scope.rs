//! The fixed arguments of a call of a tool.

use memory_search_client::database::scope::Caller;

/// The memory of a call, and the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The memory.
    pub memory: String,
    /// The agent of added entries.
    pub agent: Option<String>,
    /// The caller.
    pub caller: Caller,
}
