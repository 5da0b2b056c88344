//! The fixed arguments of a call, which a model cannot change.

/// The store, user and role of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The store; `None` means the database's own default.
    pub store: Option<String>,
    /// The user, whose rows are the only ones that row-level security shows.
    pub user: Option<String>,
    /// The role that the transaction takes on.
    pub role: Option<String>,
}

/// The bounds of every call.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// The setting that tells policies the user.
    pub user_setting: String,
    /// The most entries of a search; `None` means the database's own bound.
    pub max_entries: Option<u32>,
    /// The time limit of a statement, in milliseconds.
    pub timeout_millis: u64,
    /// Whether writing is forbidden.
    pub read_only: bool,
    /// Further settings of each transaction.
    pub settings: &'static [(&'static str, &'static str)],
}
