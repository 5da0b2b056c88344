//! What is fixed for a call, whatever the model says.

/// On whose behalf a transaction runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The store; the database's own default without one.
    pub store: Option<String>,
    /// The user, whom row-level security binds to his rows.
    pub user: Option<String>,
    /// The role that the transaction takes on.
    pub role: Option<String>,
}

/// Where a call looks, and on whose behalf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The memory.
    pub memory: String,
    /// The agent that what is added is by.
    pub agent: Option<String>,
    /// Who asks.
    pub caller: Caller,
}

/// What holds for every call.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// The setting by which policies know the user.
    pub user_setting: String,
    /// The most entries of a search; the database's own bound without it.
    pub max_entries: Option<u32>,
    /// How long a statement may take, in milliseconds.
    pub timeout_millis: u64,
    /// Whether nothing may be written.
    pub read_only: bool,
    /// Further settings of each transaction.
    pub settings: &'static [(&'static str, &'static str)],
}
