//! The delay of each table, and its problems.

use std::time::Duration;

use crate::follow::diagnosis::{self, Diagnosis};
use crate::follow::record::Record;
use crate::follow::session::Session;
use crate::follow::{adoption, partitions, place, table};

/// The time that a working follower may need to reach the position of the source at the time of the
/// request.
const PATIENCE: Duration = Duration::from_secs(5);

const BEHIND: &str = "SELECT \
                      pg_catalog.pg_size_pretty(pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_flush_lsn(), \
    confirmed_flush_lsn)) FROM pg_catalog.pg_replication_slots WHERE slot_name = $1";

const ROWS: &str = "SELECT greatest(reltuples, 0)::bigint::text FROM pg_catalog.pg_class \
    WHERE oid = pg_catalog.to_regclass($1)";

/// The lines about one table, and whether it has a problem.
pub async fn of(
    record: &Record,
    follower: &Session,
    source: Result<&Session, &String>,
) -> Result<(Vec<String>, bool), String> {
    let found = diagnosis::of(record, follower, source).await?;
    partitions::note(follower, record, &found.further).await?;
    let mut lines = vec![format!("{} follows {}, store {}", record.shown(), record.source, record.store)];
    let rows = follower.value(ROWS, &[&record.relation()]).await?.unwrap_or_default();
    let state = if !found.is_copied {
        "is being copied"
    } else if !adoption::is_adopted(follower, record).await? {
        "is copied, but not yet searched: memory-search follow --again goes on"
    } else {
        "is copied"
    };
    lines.push(format!("  rows: about {rows}; the table {state}"));
    let mut is_wrong = !found.troubles.is_empty();
    if let (Ok(source), true) = (source, found.is_copied && !found.needs_copy()) {
        let line = lag(record, follower, source, &found).await?;
        is_wrong |= line.is_none();
        lines.push(line.unwrap_or_else(|| {
            format!(
                "  behind: it has not reached the LSN at which the source was {} s ago; {} errors so far. Hint: the \
                 follower's log says why, in lines with \"subscription \\\"{}\\\"\"",
                PATIENCE.as_secs(),
                found.errors,
                record.name
            )
        }));
        if let Ok(Some(bytes)) = source.value(BEHIND, &[&record.name]).await {
            lines.push(format!("  log of the source that was not yet confirmed: {bytes}"));
        }
    }
    if let Some(kept) = found.kept {
        lines.push(format!("  log that the source keeps for it: {:.1} MB", kept as f64 / 1e6));
    }
    if record.dimensions.is_some() {
        let waiting = table::waiting(follower, record).await?;
        lines.push(format!("  rows without an embedding, found by their words alone: {waiting}"));
    }
    for trouble in &found.troubles {
        let mends = if trouble.needs_copy { " [follow --again copies anew]" } else { "" };
        lines.push(format!("  WRONG: {}{mends}", trouble.what));
    }
    Ok((lines, is_wrong))
}

async fn lag(
    record: &Record,
    follower: &Session,
    source: &Session,
    found: &Diagnosis,
) -> Result<Option<String>, String> {
    // With a problem the wait is short, because the problem is reported anyway.
    let patience = if found.troubles.is_empty() { PATIENCE } else { Duration::from_millis(500) };
    let now = place::of_source(source).await?;
    Ok(place::reach(follower, &record.name, &now, patience)
        .await?
        .map(|took| format!("  behind: {} ms, until it reached the LSN of the source ({now})", took.as_millis())))
}
