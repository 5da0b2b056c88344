//! The follower's progress, as positions in the source's write-ahead log.
//!
//! A transaction of the source is applied when the follower's replication origin has the end of its commit. If the
//! source's log continues without rows of the table, the origin does not move, and the source reports in messages how
//! far it has read: `latest_end_lsn`. Such a message comes in order, after everything that was committed before, and
//! the worker notes it after it has applied that. So before the greater of the two positions, nothing is missing.
//!
//! The origin moves a moment before the transaction becomes visible. So if only the origin is far enough, the worker must
//! hold no transaction: its lock on the transaction ends after the rows are visible.

use std::time::{Duration, Instant};

use crate::follow::session::Session;

/// Whether the position of the subscription named $1 is at $2. While the first copy is made, it also handles changes of
/// the table, so the position does not cover them.
const REACHED: &str = "coalesce((SELECT {reached} FROM pg_catalog.pg_stat_subscription s \
    JOIN pg_catalog.pg_subscription u ON u.oid = s.subid \
      AND u.subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) \
    WHERE s.subname = $1 AND s.relid IS NULL AND s.pid IS NOT NULL AND s.leader_pid IS NULL \
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_subscription_rel r WHERE r.srsubid = s.subid AND r.srsubstate <> \
      'r')), \
    false)";

/// For superusers, and for roles that may execute the function. CASE reads the locks after the origin.
const BY_ORIGIN: &str = "CASE WHEN s.latest_end_lsn >= $2::text::pg_lsn THEN true \
    WHEN pg_catalog.pg_replication_origin_progress('pg_' || s.subid, false) >= $2::text::pg_lsn \
    THEN NOT EXISTS (SELECT FROM pg_catalog.pg_locks l WHERE l.pid = s.pid AND l.locktype = 'transactionid' \
      AND l.mode = 'ExclusiveLock') ELSE false END";

/// For all others. It is complete, but may lag behind until the source's log continues.
const BY_MESSAGES: &str = "s.latest_end_lsn >= $2::text::pg_lsn";

const MAY_ASK: &str = "pg_catalog.has_function_privilege( \
    'pg_catalog.pg_replication_origin_progress(text, boolean)', 'EXECUTE')";

/// The source's log that is now certainly on its disk: the position to wait for.
const NOW: &str = "SELECT pg_catalog.pg_current_wal_flush_lsn()::text";

/// The current position of the source's log.
pub async fn of_source(source: &Session) -> Result<String, String> {
    source.value(NOW, &[]).await?.ok_or_else(|| "the source gave no LSN".to_owned())
}

/// The bytes of a page of the log, and those before its first record.
const PAGE: u64 = 8192;
const PAGE_HEADER: u64 = 24;

/// Reads a position; a text that is none is refused. Directly after a page's header nothing has been written yet: the
/// log ends where the page begins, and the source would report no more until it continues.
pub fn read(place: &str) -> Result<String, String> {
    let half = |half: &str| match half.len() {
        1..=8 if half.chars().all(|c| c.is_ascii_hexdigit()) => u64::from_str_radix(half, 16).ok(),
        _ => None,
    };
    let read = place.split_once('/').and_then(|(high, low)| Some((half(high)?, half(low)?)));
    let (high, low) = read.ok_or_else(|| {
        format!(
            "--wait must be an LSN, not \"{place}\". Hint: SELECT pg_current_wal_flush_lsn() on the \
             source, \
             after the commit, gives one like 0/3A8C2F0"
        )
    })?;
    let low = if low % PAGE == PAGE_HEADER { low - PAGE_HEADER } else { low };
    Ok(format!("{high:X}/{low:X}"))
}

/// Waits until everything before `place` is applied; returns how long that took, or `None` after `patience`.
pub async fn reach(
    follower: &Session,
    name: &str,
    place: &str,
    patience: Duration,
) -> Result<Option<Duration>, String> {
    let since = Instant::now();
    let mut pause = Duration::from_millis(1);
    let reached = REACHED.replace("{reached}", if follower.is(MAY_ASK, &[]).await? { BY_ORIGIN } else { BY_MESSAGES });
    loop {
        if follower.is(&reached, &[name, place]).await? {
            return Ok(Some(since.elapsed()));
        }
        if since.elapsed() >= patience {
            return Ok(None);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(16));
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_place_is_two_numbers_of_sixteen() {
        assert_eq!(read("0/3A8C2F0").unwrap(), "0/3A8C2F0");
        assert_eq!(read("FFFFFFFF/ffffffff").unwrap(), "FFFFFFFF/FFFFFFFF");
        for wrong in ["", "0", "0/", "/0", "x/0", "0/123456789", "0/1; DROP"] {
            assert!(read(wrong).unwrap_err().contains("pg_current_wal_flush_lsn"), "{wrong}");
        }
    }

    #[test]
    fn the_first_place_of_a_page_is_its_beginning() {
        assert_eq!(read("1/2018").unwrap(), "1/2000");
        assert_eq!(read("1/2019").unwrap(), "1/2019");
    }
}
