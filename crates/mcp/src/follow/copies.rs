//! Copies of a follower. The record is a comment, so dumps, templates and clones of the database contain it: such a
//! copy must not change the source, whose publication and slot belong to the real follower.

use crate::follow::identity::Identity;
use crate::follow::record::Record;
use crate::follow::session::Session;
use crate::follow::subscription;

/// The reason why the record belongs to another follower; `None` if it belongs to this one.
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
         source belong to the other follower. Hint: memory-search unfollow --source-is-gone removes the copy without \
         connecting to the source, with --keep only its record; memory-search follow then follows anew, by another \
         --name while the other follower lives",
        record.shown()
    )))
}

/// Refuses to change the source in the name of another follower.
pub async fn refuse_a_copy(follower: &Session, record: &Record) -> Result<(), String> {
    match difference(follower, record).await? {
        Some(why) => Err(why),
        None => Ok(()),
    }
}
