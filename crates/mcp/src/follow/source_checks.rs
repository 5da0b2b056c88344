//! The requirements for the source, checked before anything is made on it: each error says how to meet its requirement.

use memory_search_client::database::statement::quoted;
use memory_search_client::log;

use crate::follow::partitions::{self, Partition, Unfit};
use crate::follow::replica_identity;
use crate::follow::session::Session;

const SERVER: &str = "SELECT pg_catalog.current_setting('server_version_num'), \
                      pg_catalog.current_setting('wal_level'), \
      pg_catalog.pg_is_in_recovery()::text, \
      (pg_catalog.current_setting('max_replication_slots')::int - \
        (SELECT count(*) FROM pg_catalog.pg_replication_slots WHERE slot_name <> $1))::text, \
      (pg_catalog.current_setting('max_wal_senders')::int - \
        (SELECT count(*) FROM pg_catalog.pg_stat_activity p WHERE p.backend_type = 'walsender' \
          AND NOT EXISTS (SELECT FROM pg_catalog.pg_replication_slots s \
            WHERE s.slot_name = $1 AND s.active_pid = p.pid)))::text, \
      (r.rolsuper OR r.rolreplication OR EXISTS (SELECT FROM pg_catalog.pg_roles s \
        WHERE s.rolname IN ('rds_replication', 'rds_superuser') \
          AND pg_catalog.pg_has_role(r.oid, s.oid, 'MEMBER')))::text, \
      r.rolname::text, pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')::text, \
      pg_catalog.current_setting('max_slot_wal_keep_size') \
    FROM pg_catalog.pg_roles r WHERE r.rolname = current_user";

const TABLE: &str = "SELECT n.nspname::text, c.relname::text, c.relkind::text, c.relreplident::text, \
      pg_catalog.pg_has_role(c.relowner, 'USAGE')::text, pg_catalog.pg_get_userbyid(c.relowner)::text, \
      pg_catalog.row_security_active(c.oid)::text, c.relpersistence::text, \
      {key} \
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relname = $2 AND CASE WHEN $1 = '' \
      THEN n.nspname = ANY (pg_catalog.string_to_array(pg_catalog.regexp_replace( \
        coalesce((SELECT s.reset_val FROM pg_catalog.pg_settings s WHERE s.name = 'search_path'), 'public'), \
        '[\" ]', '', 'g'), ',') || '{public}'::text[]) ELSE n.nspname = $1 END \
    ORDER BY n.nspname = 'public' LIMIT 1";

/// The source's identity, if it can be read.
const IDENTITY: &str = "SELECT s.system_identifier::text, c.timeline_id::text \
    FROM pg_catalog.pg_control_system() s, pg_catalog.pg_control_checkpoint() c";

/// The newest timeline: the control file has it only after the first checkpoint.
const TIMELINE: &str = "SELECT ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name( \
    pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::int::text";

/// The table of the source.
pub struct SourceTable {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub table: String,
    /// The columns of its replica identity, which identify rows.
    pub key: Vec<String>,
    /// Its partitions for the record, with those between them and the table.
    pub partitions: Vec<String>,
}

/// System identifier and timeline of the source; `None` if the service does not show them.
pub async fn identity(source: &Session) -> (Option<String>, Option<String>) {
    let system = source.row(IDENTITY, &[]).await.ok().flatten().and_then(|mut row| row.swap_remove(0));
    let timeline = source.value(TIMELINE, &[]).await.ok().flatten();
    (system, timeline)
}

/// The slots that a copy needs: one that stays, and one until the first copy is done.
const SLOTS: i64 = 2;

/// Checks the server and the role. A slot named `own` counts as free, because a new copy begins with its end.
pub async fn server(source: &Session, own: &str) -> Result<(), String> {
    let row = source.row(SERVER, &[own]).await?.ok_or("the source does not know the role that asks")?;
    let of = |at: usize| row[at].as_deref().unwrap_or_default();
    let number = |at: usize| of(at).parse::<i64>().unwrap_or(0);
    if number(0) < 160_000 {
        return Err(format!("the source is PostgreSQL {}; 16 or newer is needed", number(0) / 10_000));
    }
    if of(2) == "true" {
        return Err("the source is a standby, where no publication can be made. Hint: name its primary".into());
    }
    if of(1) != "logical" {
        return Err(format!(
            "the source has wal_level = {}, and logical is needed. Hint: set it, and restart the source; a managed \
             service \
             has a switch of its own: rds.logical_replication = 1 (RDS), cloudsql.logical_decoding = on (Cloud SQL), \
             wal_level among the server parameters (Azure), logical replication in the settings of the project (Neon)",
            of(1)
        ));
    }
    if of(5) != "true" {
        return Err(format!(
            "role {role} of the source may not replicate. Hint: ALTER ROLE {role} REPLICATION; on RDS GRANT \
             rds_replication \
             TO {role}",
            role = of(6)
        ));
    }
    if of(7) != "true" {
        return Err(format!(
            "role {role} may not make publications in the source's database. Hint: GRANT CREATE ON DATABASE ... TO \
             {role}",
            role = of(6)
        ));
    }
    for (at, least, setting) in [(3, SLOTS, "max_replication_slots"), (4, SLOTS, "max_wal_senders")] {
        if number(at) < least {
            return Err(format!(
                "the source has {} of {setting} free, and {least} are needed: one, and one more for the first copy. \
                 Hint: \
                 raise it, or drop slots that nobody uses (pg_replication_slots)",
                number(at).max(0)
            ));
        }
    }
    if of(8) == "-1" {
        log::line(
            "the source keeps its log for as long as the follower does not fetch it: a follower that is down for long \
             fills \
             the source's disk. max_slot_wal_keep_size bounds that",
        );
    }
    Ok(())
}

/// Finds and checks the table, given with or without its schema.
pub async fn table(source: &Session, named: &str) -> Result<SourceTable, String> {
    let (schema, name) = split(named);
    let Some(row) = source.row(&TABLE.replace("{key}", replica_identity::KEY), &[&schema, &name]).await? else {
        return Err(format!("--table: the source has no table {named} in this database, in a schema that is searched"));
    };
    let of = |at: usize| row[at].as_deref().unwrap_or_default();
    let shown = format!("{}.{}", of(0), of(1));
    if !["r", "p"].contains(&of(2)) {
        return Err(format!("--table: {shown} of the source is no table: views and foreign tables are not replicated"));
    }
    if of(7) != "p" {
        return Err(format!(
            "--table: {shown} of the source is temporary or unlogged: nothing of it is in the source's log"
        ));
    }
    if of(4) != "true" {
        return Err(format!(
            "{shown} belongs to role {owner} of the source, and only its owner may publish it. Hint: connect as \
             {owner}, or \
             GRANT {owner} TO the role",
            owner = of(5)
        ));
    }
    if of(6) == "true" {
        return Err(format!(
            "row-level security of the source hides rows of {shown} from this role, and a copy would lack them. Hint: \
             connect as a role with BYPASSRLS, or as the owner without FORCE ROW LEVEL SECURITY"
        ));
    }
    let key = replica_identity::columns(&shown, of(3), of(8))?;
    let relation = format!("{}.{}", quoted(of(0)), quoted(of(1)));
    let partitions = partitions::read(source, &relation).await?;
    if let Some(Unfit::Refused(why) | Unfit::Lost(why)) = partitions::unfit(&partitions, &key).next() {
        return Err(why);
    }
    if of(2) == "p" {
        log::line(&format!(
            "{shown} has partitions: the source sends their rows, but not that a partition is attached with rows, \
             detached, dropped or truncated. Hint: after that, memory-search follow --again --copy"
        ));
    }
    let partitions = partitions.iter().map(Partition::recorded).collect();
    Ok(SourceTable { schema: of(0).to_owned(), table: of(1).to_owned(), key, partitions })
}

/// Schema and name; the schema is empty if none is given.
pub fn split(named: &str) -> (String, String) {
    let plain = |part: &str| match part.strip_prefix('"').and_then(|part| part.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => part.to_owned(),
    };
    let mut is_quoted = false;
    let dot = named.find(|c| {
        is_quoted ^= c == '"';
        c == '.' && !is_quoted
    });
    match dot {
        Some(at) => (plain(&named[..at]), plain(&named[at + 1..])),
        None => (String::new(), plain(named)),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_table_is_named_with_or_without_its_schema() {
        for (named, schema, table) in
            [("documents", "", "documents"), ("app.Documents", "app", "Documents"), (r#""a.b"."c""d""#, "a.b", "c\"d")]
        {
            assert_eq!(split(named), (schema.to_owned(), table.to_owned()), "{named}");
        }
    }
}
