//! The objects on the source: a publication of one table's columns, and the slot that the subscription makes there.

use std::time::{Duration, Instant};

use memory_search_client::database::statement::quoted;

use crate::follow::record::Record;
use crate::follow::session::{Session, literal};

/// A publication that sends partitions as tables of their own does not have the table, if that has partitions.
const PUBLISHED: &str = "SELECT \
      (SELECT pg_catalog.string_agg(c.name, E'\\n' ORDER BY c.name) FROM pg_catalog.unnest(t.attnames) c (name)), \
      t.rowfilter, (p.pubinsert AND p.pubupdate AND p.pubdelete AND p.pubtruncate)::text \
    FROM pg_catalog.pg_publication_tables t JOIN pg_catalog.pg_publication p ON p.pubname = t.pubname \
    WHERE t.pubname = $1 AND t.schemaname = $2 AND t.tablename = $3";

/// Slots of the first copy have their own names, made from the subscription's OID, the table's, and the follower's
/// system identifier.
const SLOTS: &str = "SELECT slot_name::text, active::text FROM pg_catalog.pg_replication_slots \
    WHERE database = pg_catalog.current_database() AND (slot_name = $1 \
      OR ($2 <> '' AND pg_catalog.starts_with(slot_name, 'pg_' || $2 || '_sync_') \
      AND ($3 = '' OR pg_catalog.right(slot_name, pg_catalog.length($3) + 1) = '_' || $3)))";

const USED: &str = "SELECT active_pid::text FROM pg_catalog.pg_replication_slots \
    WHERE slot_name = $1 AND active_pid IS NOT NULL";

/// The time that the source's processes have to release a slot.
const PATIENCE: Duration = Duration::from_secs(20);

/// Publishes the columns. Columns that are added to the table later are not sent, and do not stop replication.
pub async fn create(source: &Session, record: &Record) -> Result<(), String> {
    let columns: Vec<String> = record.columns.iter().map(|column| quoted(&column.name)).collect();
    let statement = format!(
        "SET lock_timeout = '10s'; CREATE PUBLICATION {} FOR TABLE {} ({}) WITH (publish_via_partition_root = true)",
        quoted(&record.name),
        record.relation(),
        columns.join(", ")
    );
    source.run(&statement).await
}

/// The parts of the table that the source sends.
pub struct Published {
    /// The columns, sorted.
    pub columns: Vec<String>,
    /// The condition on rows, if there is one.
    pub filter: Option<String>,
    /// Whether it sends every kind of change.
    pub sends_all: bool,
}

/// The parts of the table that the source sends; `None` if the table is not published.
pub async fn read(source: &Session, record: &Record) -> Result<Option<Published>, String> {
    let row = source.row(PUBLISHED, &[&record.name, &record.schema, &record.table]).await?;
    Ok(row.map(|row| Published {
        columns: row[0].as_deref().unwrap_or_default().lines().map(str::to_owned).collect(),
        filter: row[1].clone(),
        sends_all: row[2].as_deref() == Some("true"),
    }))
}

/// Refuses to continue while another server uses the slot: a clone of the follower, which has the same records. The
/// follower's own worker has ended before.
pub async fn refuse_while_used(source: &Session, record: &Record, patience: Duration) -> Result<(), String> {
    let since = Instant::now();
    while let Some(pid) = source.value(USED, &[&record.name]).await? {
        if since.elapsed() > patience {
            return Err(format!(
                "another server has the slot {} of the source (process {pid} there): a clone of this follower? \
                 Nothing was removed. Hint: pg_stat_replication of the source says where it is; stop it, or unfollow \
                 --source-is-gone here",
                record.name
            ));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

/// Whether there is a slot with the record's name, in any database.
pub async fn has_slot(source: &Session, record: &Record) -> Result<bool, String> {
    let sql = "EXISTS (SELECT FROM pg_catalog.pg_replication_slots WHERE slot_name = $1)";
    source.is(sql, &[&record.name]).await
}

/// Removes only the publication.
pub async fn drop(source: &Session, record: &Record) -> Result<(), String> {
    source.run(&format!("SET lock_timeout = '10s'; DROP PUBLICATION IF EXISTS {}", quoted(&record.name))).await
}

/// Removes publication and slots. `subscription` is the OID of the removed subscription.
pub async fn remove(source: &Session, record: &Record, subscription: Option<&str>) -> Result<(), String> {
    let system = record.place.system.as_deref().unwrap_or_default();
    let since = Instant::now();
    loop {
        let slots = source.rows(SLOTS, &[&record.name, subscription.unwrap_or_default(), system]).await?;
        if slots.is_empty() {
            // Another server that uses the slot would stop without its publication, so the publication is removed last.
            return drop(source, record).await;
        }
        for slot in &slots {
            let (Some(name), Some("false")) = (&slot[0], slot[1].as_deref()) else { continue };
            // Between the look-up and the drop it may have been removed, or be in use again.
            let dropped = source.run(&format!("SELECT pg_catalog.pg_drop_replication_slot({})", literal(name))).await;
            if let (Err(why), true) = (dropped, since.elapsed() > PATIENCE) {
                return Err(why);
            }
        }
        if since.elapsed() > PATIENCE {
            let names: Vec<&str> = slots.iter().filter_map(|slot| slot[0].as_deref()).collect();
            return Err(format!(
                "the source still uses the slot {}. Hint: another server may follow by the same name; see pid in \
                 pg_stat_replication of the source",
                names.join(", ")
            ));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// The objects that are left on an unreachable source, and how to remove them.
pub fn left_behind(record: &Record, subscription: Option<&str>) -> String {
    let first_copy = match subscription {
        Some(oid) => format!(" OR starts_with(slot_name, 'pg_{oid}_sync_')"),
        None => String::new(),
    };
    format!(
        "on the source ({}) a replication slot and a publication are left, and the slot keeps the source's log until \
         its \
         disk is full. When it can be reached, run there, in this database: SELECT \
         pg_drop_replication_slot(slot_name) FROM \
         pg_replication_slots WHERE slot_name = '{name}'{first_copy}; DROP PUBLICATION IF EXISTS {quoted};",
        record.source,
        name = record.name,
        quoted = quoted(&record.name),
    )
}
