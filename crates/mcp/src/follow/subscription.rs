//! The subscription on the follower: made, watched while it copies, removed.

use std::time::{Duration, Instant};

use memory_search_client::database::statement::quoted;
use memory_search_client::log;

use crate::follow::publication;
use crate::follow::record::Record;
use crate::follow::session::{Session, literal};

const OID: &str = "SELECT oid::text FROM pg_catalog.pg_subscription WHERE subname = $1 \
    AND subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())";

/// Readable only for superusers.
const CONNINFO: &str = "SELECT subconninfo FROM pg_catalog.pg_subscription WHERE subname = $1 \
    AND subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())";

const COPYING: &str = "SELECT r.srsubstate::text, \
      (SELECT p.tuples_processed::text FROM pg_catalog.pg_stat_progress_copy p WHERE p.relid = r.srrelid LIMIT 1), \
      (SELECT s.sync_error_count::text FROM pg_catalog.pg_stat_subscription_stats s WHERE s.subid = r.srsubid) \
    FROM pg_catalog.pg_subscription_rel r WHERE r.srsubid = $1::text::oid";

const OLDEST: &str = "SELECT pid::text || coalesce(' of ' || usename, '') || ', begun ' || \
      pg_catalog.to_char(xact_start, 'HH24:MI:SS TZ') \
    FROM pg_catalog.pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_catalog.pg_backend_pid() \
    ORDER BY xact_start LIMIT 1";

/// Statements with a password must appear in no log, and in no statistics of statements. Only a superuser may set this;
/// the guide says what others do.
const WITHOUT_LOG: &str = "SET log_statement = 'none'; SET log_min_error_statement = 'panic'; \
    SET log_min_duration_statement = -1; SET log_min_duration_sample = -1; SET log_transaction_sample_rate = 0; \
    SET track_activities = off; \
    SELECT pg_catalog.set_config(name, 'off', false) FROM pg_catalog.pg_settings \
      WHERE name = 'pg_stat_statements.track_utility'";

/// Its OID, if it exists.
pub async fn oid(follower: &Session, name: &str) -> Result<Option<String>, String> {
    follower.value(OID, &[name]).await
}

/// Its connection string, with the password.
pub async fn conninfo(follower: &Session, name: &str) -> Result<Option<String>, String> {
    follower.value(CONNINFO, &[name]).await
}

/// Keeps this session's statements out of the follower's log from now on, as far as its role may.
pub async fn keep_out_of_log(follower: &Session, is_superuser: bool) -> Result<(), String> {
    if is_superuser { follower.run(WITHOUT_LOG).await } else { Ok(()) }
}

/// Makes it, with its slot. It waits for running transactions on the source, and reports this.
pub async fn create(follower: &Session, source: &Session, record: &Record, conninfo: &str) -> Result<(), String> {
    let statement = format!(
        "CREATE SUBSCRIPTION {name} CONNECTION {conninfo} PUBLICATION {name} WITH (copy_data = true)",
        name = quoted(&record.name),
        conninfo = literal(conninfo),
    );
    let create = follower.run(&statement);
    tokio::pin!(create);
    loop {
        tokio::select! {
            outcome = &mut create => return outcome.map_err(|why| with_hint(&why)),
            () = tokio::time::sleep(Duration::from_secs(5)) => {
                if let Ok(Some(oldest)) = source.value(OLDEST, &[]).await {
                    log::line(&format!("waiting for transactions of the source that write; the oldest is process \
                                        {oldest}"));
                }
            }
        }
    }
}

fn with_hint(why: &str) -> String {
    if why.contains("could not connect to the publisher") {
        format!(
            "{why}. Hint: it is the follower's server that connects, not this program: host, port, password and \
             certificates \
             (sslrootcert, passfile) must serve on its machine"
        )
    } else {
        why.to_owned()
    }
}

/// Sets another address of the source, and switches it on.
pub async fn reconnect(follower: &Session, name: &str, conninfo: Option<&str>) -> Result<(), String> {
    let name = quoted(name);
    if let Some(conninfo) = conninfo {
        follower.run(&format!("ALTER SUBSCRIPTION {name} CONNECTION {}", literal(conninfo))).await?;
    }
    follower.run(&format!("ALTER SUBSCRIPTION {name} ENABLE")).await
}

/// Waits until the first copy is done, and reports its progress.
pub async fn copied(follower: &Session, record: &Record, oid: &str, rows: Option<u64>) -> Result<(), String> {
    let since = Instant::now();
    let (mut said, mut errors_at_first, mut is_copying) = (Instant::now(), None, false);
    loop {
        let Some(row) = follower.row(COPYING, &[oid]).await? else {
            return Err(format!("the subscription {} has no table any more", record.name));
        };
        if row[0].as_deref() == Some("r") {
            if is_copying {
                log::line(&format!("copied in {:.1} s", since.elapsed().as_secs_f64()));
            }
            return Ok(());
        }
        is_copying = true;
        let errors = row[2].as_deref().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let began_with = *errors_at_first.get_or_insert(errors);
        if said.elapsed() > Duration::from_secs(2) {
            said = Instant::now();
            let done = row[1].as_deref().unwrap_or("no");
            let of = rows.map(|rows| format!(" of about {rows}")).unwrap_or_default();
            let failed = match errors - began_with.min(errors) {
                0 => String::new(),
                failed => format!(
                    "; {failed} tries failed: the follower's log says why, in a line with \"logical replication table \
                     synchronization worker for subscription \\\"{}\\\"\"",
                    record.name
                ),
            };
            log::line(&format!("copying: {done}{of} rows{failed}"));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Whether it is switched on. Its name is unique within its database.
const ENABLED: &str = "EXISTS (SELECT FROM pg_catalog.pg_subscription WHERE subname = $1 AND subenabled \
    AND subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))";

const RUNNING: &str = "EXISTS (SELECT FROM pg_catalog.pg_stat_subscription WHERE subid = $1::text::oid \
    AND pid IS NOT NULL)";

/// Switches it off and waits for its workers to end; returns its OID.
async fn stop(follower: &Session, record: &Record) -> Result<Option<String>, String> {
    let Some(oid) = oid(follower, &record.name).await? else { return Ok(None) };
    follower.run(&format!("ALTER SUBSCRIPTION {} DISABLE", quoted(&record.name))).await?;
    let since = Instant::now();
    while follower.is(RUNNING, &[&oid]).await? && since.elapsed() < Duration::from_secs(20) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(Some(oid))
}

/// Removes it, with its slot and publication on the source; does nothing if another server uses the slot.
pub async fn remove_with_source(follower: &Session, source: &Session, record: &Record) -> Result<(), String> {
    let was_enabled = follower.is(ENABLED, &[&record.name]).await?;
    let was_running = match oid(follower, &record.name).await? {
        Some(oid) => follower.is(RUNNING, &[&oid]).await?,
        None => false,
    };
    stop(follower, record).await?;
    // The source's process may take a while to notice that the follower's worker has ended.
    let patience = Duration::from_secs(if was_running { 20 } else { 2 });
    if let Err(why) = publication::refuse_while_used(source, record, patience).await {
        if was_enabled {
            follower.run(&format!("ALTER SUBSCRIPTION {} ENABLE", quoted(&record.name))).await?;
        }
        return Err(why);
    }
    let oid = remove(follower, record).await?;
    publication::remove(source, record, oid.as_deref()).await
}

/// Removes it without contact to the source, whose slots are removed by a session of this program; returns its OID.
pub async fn remove(follower: &Session, record: &Record) -> Result<Option<String>, String> {
    let Some(oid) = stop(follower, record).await? else { return Ok(None) };
    let name = quoted(&record.name);
    follower.run(&format!("ALTER SUBSCRIPTION {name} SET (slot_name = NONE)")).await?;
    follower.run(&format!("DROP SUBSCRIPTION {name}")).await?;
    Ok(Some(oid))
}
