//! Which follower a record is of. The record is a comment, and dumps, templates and clones of the database take it
//! along: such a copy must not touch the source, where publication and slot are the real follower's.

use serde_json::{Value, json};

use crate::follow::record::Record;
use crate::follow::session::Session;
use crate::follow::subscription;

/// Every role may ask, unless somebody revoked it.
const SYSTEM: &str = "SELECT system_identifier::text FROM pg_catalog.pg_control_system()";

const DATABASE: &str = "SELECT oid::text FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()";

/// Server, database and subscription of a follower.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The system identifier of the server; `None` where the role may not read it.
    pub system: Option<String>,
    /// The OID of the database.
    pub database: String,
    /// The OID of the subscription, once it is made.
    pub subscription: Option<String>,
}

impl Identity {
    /// That of this session's database, without a subscription.
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

/// Why the record is another follower's; `None` where it is this one's.
pub async fn difference(follower: &Session, record: &Record) -> Result<Option<String>, String> {
    let (was, is) = (&record.place, Identity::of(follower).await?);
    let what = match (&was.system, &is.system) {
        (Some(was), Some(is)) if was != is => format!("its server has the system identifier {is}, and that had {was}"),
        _ if was.database != is.database => {
            format!("its database has the OID {}, and that had {}", is.database, was.database)
        }
        _ => match (&was.subscription, subscription::oid(follower, &record.name).await?) {
            (Some(was), Some(is)) if *was != is => {
                format!("its subscription has the OID {is}, and that had {was}")
            }
            _ => return Ok(None),
        },
    };
    Ok(Some(format!(
        "{} is a copy of a follower, made by a dump, a template or an upgrade: {what}. Publication and slot of the \
         source are the other's. Hint: memory-search unfollow --source-is-gone removes the copy without a word to the \
         source, with --keep only its record; memory-search follow then follows anew, by another --name while the \
         other follower lives",
        record.shown()
    )))
}

/// Refuses what would touch the source in the name of another follower.
pub async fn refuse_a_copy(follower: &Session, record: &Record) -> Result<(), String> {
    match difference(follower, record).await? {
        Some(why) => Err(why),
        None => Ok(()),
    }
}
