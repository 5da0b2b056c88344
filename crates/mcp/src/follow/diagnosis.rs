//! The problems of a followed table, distinguished by their repair.

use crate::follow::adoption;
use crate::follow::columns;
use crate::follow::copies;
use crate::follow::partitions::{self, Unfit};
use crate::follow::publication;
use crate::follow::record::Record;
use crate::follow::replica_identity;
use crate::follow::session::Session;
use crate::follow::source_checks;

/// A problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Its description.
    pub what: String,
    /// Whether rows may be missing or may differ, so that all must be copied again.
    pub needs_copy: bool,
}

impl Trouble {
    /// Rows may differ.
    fn copy(what: impl Into<String>) -> Self {
        Trouble { what: what.into(), needs_copy: true }
    }

    /// All rows arrive when it is repaired.
    fn pause(what: impl Into<String>) -> Self {
        Trouble { what: what.into(), needs_copy: false }
    }
}

const SUBSCRIPTION: &str = "SELECT s.subenabled::text, \
      EXISTS (SELECT FROM pg_catalog.pg_stat_subscription w WHERE w.subid = s.oid AND w.pid IS NOT NULL \
        AND w.relid IS NULL AND w.leader_pid IS NULL)::text, \
      coalesce(t.apply_error_count, 0)::text, coalesce(t.sync_error_count, 0)::text, \
      coalesce((SELECT pg_catalog.string_agg(r.srsubstate::text, '') FROM pg_catalog.pg_subscription_rel r \
        WHERE r.srsubid = s.oid AND r.srrelid = pg_catalog.to_regclass($2)), '') \
    FROM pg_catalog.pg_subscription s LEFT JOIN pg_catalog.pg_stat_subscription_stats t ON t.subid = s.oid \
    WHERE s.subname = $1 \
      AND s.subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())";

const SLOT: &str = "SELECT coalesce(wal_status, ''), active::text, coalesce(plugin::text, ''), \
      coalesce(pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), restart_lsn), 0)::bigint::text \
    FROM pg_catalog.pg_replication_slots WHERE slot_name = $1";

const ORIGIN: &str = "SELECT pg_catalog.pg_replication_origin_progress('pg_' || oid, false)::text \
    FROM pg_catalog.pg_subscription WHERE subname = $1 \
      AND subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())";

/// The findings.
#[derive(Default)]
pub struct Diagnosis {
    /// The problems.
    pub troubles: Vec<Trouble>,
    /// Whether a worker applies changes.
    pub is_running: bool,
    /// Whether the first copy is done.
    pub is_copied: bool,
    /// The number of errors while applying so far, including those of copies.
    pub errors: u64,
    /// Partitions that the record does not have yet, whose rows were sent from the beginning.
    pub further: Vec<String>,
    /// The bytes of its log that the source keeps for the follower.
    pub kept: Option<u64>,
}

impl Diagnosis {
    /// Whether rows may be missing or may differ.
    pub fn needs_copy(&self) -> bool {
        self.troubles.iter().any(|trouble| trouble.needs_copy)
    }
}

/// Examines both servers; changes nothing.
pub async fn of(record: &Record, follower: &Session, source: Result<&Session, &String>) -> Result<Diagnosis, String> {
    let mut found = Diagnosis::default();
    if let Some(why) = copies::difference(follower, record).await? {
        found.troubles.push(Trouble::pause(why));
        return Ok(found);
    }
    let troubles = &mut found.troubles;
    if record.before.is_some() || !adoption::is_adopted(follower, record).await? {
        let store = &record.store;
        troubles.push(Trouble::pause(format!(
            "store {store} does not show this copy: it was not finished, and searches find the rows from before it, or \
             none. Hint: memory-search follow --again goes on"
        )));
    }
    match follower.row(SUBSCRIPTION, &[&record.name, &record.relation()]).await? {
        None => troubles.push(Trouble::copy(format!("the subscription {} is gone from the follower", record.name))),
        Some(row) => {
            let of = |at: usize| row[at].as_deref().unwrap_or_default();
            let number = |at: usize| of(at).parse::<u64>().unwrap_or(0);
            found.is_copied = of(4) == "r";
            found.is_running = of(1) == "true";
            found.errors = number(2) + number(3);
            if of(4).is_empty() {
                troubles.push(Trouble::copy(format!("the subscription has no table {}", record.shown())));
            }
            if of(0) != "true" {
                troubles.push(Trouble::pause(format!("the subscription {} is disabled", record.name)));
            } else if of(1) != "true" {
                let name = &record.name;
                troubles.push(Trouble::pause(format!(
                    "no worker of the subscription runs now; {} errors of applying so far. Hint: the follower's log \
                     says why, \
                     in lines with \"logical replication apply worker for subscription \\\"{name}\\\"\": a full disk \
                     of the \
                     follower, a source that does not answer, a password that was changed",
                    found.errors
                )));
            }
        }
    }
    match source {
        Err(why) => troubles.push(Trouble::pause(why.clone())),
        Ok(source) => {
            of_source(record, follower, source, &mut found).await?;
        }
    }
    Ok(found)
}

async fn of_source(record: &Record, follower: &Session, source: &Session, found: &mut Diagnosis) -> Result<(), String> {
    let troubles = &mut found.troubles;
    if source.is("pg_catalog.pg_is_in_recovery()", &[]).await? {
        troubles.push(Trouble::pause("the source is a standby now. Hint: name its primary, by SOURCE_URL"));
        return Ok(());
    }
    let (system, timeline) = source_checks::identity(source).await;
    match (&record.system, &system, &record.timeline, &timeline) {
        (Some(was), Some(is), _, _) if was != is => troubles.push(Trouble::copy(format!(
            "the source is another server than the one that was copied: its system identifier is {is}, and was {was}"
        ))),
        (_, _, Some(was), Some(is)) if was != is => troubles.push(Trouble::copy(format!(
            "the source was promoted, or restored from a backup: its timeline is {is}, and was {was}. It may lack \
             rows that \
             the follower has, or have others"
        ))),
        _ => {}
    }
    if let Ok(Some(origin)) = follower.value(ORIGIN, &[&record.name]).await
        && source.is("pg_catalog.pg_current_wal_insert_lsn() < $1::text::pg_lsn", &[&origin]).await?
    {
        troubles.push(Trouble::copy(format!(
            "the source's log ends before the LSN that the follower has reached ({origin}): the source was restored \
             from a backup"
        )));
    }
    if !source.is("pg_catalog.current_setting('wal_level') = 'logical'", &[]).await? {
        troubles
            .push(Trouble::pause("the source no longer has wal_level = logical. Hint: set it, and restart the source"));
    }
    match source.row(SLOT, &[&record.name]).await? {
        None => troubles.push(Trouble::copy(format!("the replication slot {} is gone from the source", record.name))),
        Some(slot) => {
            let of = |at: usize| slot[at].as_deref().unwrap_or_default();
            found.kept = of(3).parse().ok();
            if of(0) == "lost" {
                troubles.push(Trouble::copy(format!(
                    "the source has removed a part of its log that the slot {} needs. Hint: it keeps at most \
                     max_slot_wal_keep_size for a slot, and the follower was further behind",
                    record.name
                )));
            } else if !found.is_running && of(1) == "true" {
                troubles.push(Trouble::pause(format!(
                    "no worker runs here, and yet the source serves the slot {}: to a clone of this follower? Hint: \
                     pg_stat_replication of the source says where it is",
                    record.name
                )));
            } else if of(2) != "pgoutput" {
                troubles.push(Trouble::copy(format!("the slot {} of the source is another program's", record.name)));
            }
        }
    }
    of_table(record, source, follower, found).await
}

async fn of_table(record: &Record, source: &Session, follower: &Session, found: &mut Diagnosis) -> Result<(), String> {
    let relation = record.relation();
    let troubles = &mut found.troubles;
    if !source.is("pg_catalog.to_regclass($1) IS NOT NULL", &[&relation]).await? {
        troubles.push(Trouble::copy(format!(
            "the source has no table {} any more. Hint: memory-search unfollow --keep keeps the rows that the \
             follower has",
            record.shown()
        )));
        return Ok(());
    }
    let key = of_key(record, source, follower, troubles).await?;
    let mut partitions = partitions::read(source, &relation).await?;
    for unfit in partitions::unfit(&partitions, &key) {
        troubles.push(match unfit {
            Unfit::Refused(why) => Trouble::pause(why),
            Unfit::Lost(why) => Trouble::copy(why),
        });
    }
    partitions::clear_up(source, record, &mut partitions).await?;
    let changes = partitions::changes(record, &partitions);
    troubles.extend(changes.differences.into_iter().map(Trouble::copy));
    found.further = changes.further;
    of_columns(record, source, follower, troubles).await
}

/// The key of the follower's table, after a comparison with that of the source.
async fn of_key(
    record: &Record,
    source: &Session,
    follower: &Session,
    troubles: &mut Vec<Trouble>,
) -> Result<Vec<String>, String> {
    let (relation, shown) = (record.relation(), record.shown());
    let here = replica_identity::of_table(follower, &relation, &shown).await?.unwrap_or_default();
    match replica_identity::of_table(source, &relation, &shown).await? {
        Err(why) => troubles.push(Trouble::pause(format!("on the source, {why}"))),
        Ok(there) if !replica_identity::is_same(&there, &here) => troubles.push(Trouble::copy(format!(
            "the key of {shown} is ({}) on the source now, and was ({})",
            there.join(", "),
            here.join(", ")
        ))),
        Ok(_) => {}
    }
    Ok(here)
}

async fn of_columns(
    record: &Record,
    source: &Session,
    follower: &Session,
    troubles: &mut Vec<Trouble>,
) -> Result<(), String> {
    let relation = record.relation();
    let names: Vec<String> = record.columns.iter().map(|column| column.name.clone()).collect();
    let wanted = Some(names.as_slice());
    match columns::read(source, follower, &relation, &[], wanted).await {
        Err(why) => troubles.push(Trouble::copy(format!("the table has changed on the source: {why}"))),
        Ok(now) => {
            for (is, was) in now.iter().filter_map(|is| Some((is, record.columns.iter().find(|c| c.name == is.name)?)))
            {
                if is.source_type != was.source_type {
                    troubles.push(Trouble::copy(format!(
                        "column \"{}\" of the source is of type {} now, and was of {}",
                        is.name, is.source_type, was.source_type
                    )));
                }
            }
        }
    }
    let mut published = names;
    published.sort();
    match publication::read(source, record).await? {
        None => troubles.push(Trouble::copy(format!("the source no longer publishes the table by {}", record.name))),
        Some(is) => {
            let changed = |what: &str| {
                Trouble::copy(format!("the publication {} was changed on the source: {what}", record.name))
            };
            if is.columns != published {
                troubles.push(changed(&format!("it has the columns {}", is.columns.join(", "))));
            }
            if let Some(filter) = is.filter {
                troubles.push(changed(&format!("it sends only rows WHERE {filter}")));
            }
            if !is.sends_all {
                troubles.push(changed("its option publish leaves out insert, update, delete or truncate"));
            }
        }
    }
    Ok(())
}
