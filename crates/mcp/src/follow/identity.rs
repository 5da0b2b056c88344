//! The follower of a record: its server, database and subscription.

use serde_json::{Value, json};

use crate::follow::session::Session;

/// Every role may read it, unless somebody revoked the privilege.
const SYSTEM: &str = "SELECT system_identifier::text FROM pg_catalog.pg_control_system()";

const DATABASE: &str = "SELECT oid::text FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()";

/// Server, database and subscription of a follower.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The system identifier of the server; `None` if the role may not read it.
    pub system: Option<String>,
    /// The OID of the database.
    pub database: String,
    /// The OID of the subscription, once it exists.
    pub subscription: Option<String>,
}

impl Identity {
    /// The identity of this session's database, without a subscription.
    pub async fn of(follower: &Session) -> Result<Self, String> {
        let system = follower.value(SYSTEM, &[]).await.ok().flatten();
        let database = follower.value(DATABASE, &[]).await?.ok_or("the follower's database has no OID")?;
        Ok(Identity { system, database, subscription: None })
    }

    /// For the record.
    pub fn to_json(&self) -> Value {
        json!([self.system, self.database, self.subscription])
    }

    /// From the record.
    pub fn from_json(value: &Value) -> Option<Self> {
        let text = |at: usize| value[at].as_str().map(str::to_owned);
        Some(Identity { system: text(0), database: text(1)?, subscription: text(2) })
    }
}
