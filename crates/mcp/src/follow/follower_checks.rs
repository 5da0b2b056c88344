//! The requirements for the follower, and checks that nothing on it or on the source has the names
//! already.

use crate::follow::record::Record;
use crate::follow::session::Session;
use crate::follow::table;

const SERVER: &str = "SELECT pg_catalog.current_setting('server_version_num'), pg_catalog.pg_is_in_recovery()::text, \
      (r.rolsuper OR EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.rolname = 'pg_create_subscription' \
        AND pg_catalog.pg_has_role(r.oid, s.oid, 'USAGE')))::text, \
      pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')::text, r.rolname::text, \
      pg_catalog.current_setting('server_encoding'), r.rolsuper::text \
    FROM pg_catalog.pg_roles r WHERE r.rolname = current_user";

const EXTENSION: &str = "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension x \
    JOIN pg_catalog.pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'memory_search'";

/// The workers and the origins that are free, besides those of the subscription $1.
const ROOM: &str = "SELECT (pg_catalog.current_setting('max_logical_replication_workers')::int - \
        (SELECT count(*) FROM pg_catalog.pg_stat_subscription w \
          WHERE w.pid IS NOT NULL AND w.subid IS DISTINCT FROM own.oid))::text, \
      (coalesce(pg_catalog.current_setting('max_active_replication_origins', true), \
        pg_catalog.current_setting('max_replication_slots'))::int - \
        (SELECT count(*) FROM pg_catalog.pg_subscription s WHERE s.oid IS DISTINCT FROM own.oid))::text \
    FROM (SELECT max(oid) AS oid FROM pg_catalog.pg_subscription WHERE subname = $1 \
      AND subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())) own";

/// A subscription's name is unique within its database.
const TAKEN: &str = "EXISTS (SELECT FROM pg_catalog.pg_subscription WHERE subname = $1 \
    AND subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))";

/// The properties of the follower.
pub struct Follower {
    /// The schema of the extension, for SQL.
    pub extension: String,
    /// Whether the role is a superuser.
    pub is_superuser: bool,
}

/// Checks the server and the role.
pub async fn server(follower: &Session) -> Result<Follower, String> {
    let row = follower.row(SERVER, &[]).await?.ok_or("the follower does not know the role that asks")?;
    let of = |at: usize| row[at].as_deref().unwrap_or_default();
    let number = |at: usize| of(at).parse::<i64>().unwrap_or(0);
    if number(0) < 160_000 {
        return Err(format!("the follower is PostgreSQL {}; 16 or newer is needed", number(0) / 10_000));
    }
    if of(1) == "true" {
        return Err("the follower is a standby, which cannot follow by itself. Hint: name its primary".into());
    }
    let extension = extension(follower).await?;
    if of(2) != "true" || of(3) != "true" {
        return Err(format!(
            "role {role} of the follower may not make subscriptions. Hint: GRANT pg_create_subscription TO {role}; \
             GRANT CREATE ON DATABASE ... TO {role}",
            role = of(4)
        ));
    }
    if of(5) != "UTF8" {
        return Err(format!(
            "the follower's database has the encoding {}, which cannot hold every text of the source. Hint: follow \
             into a \
             database with the encoding UTF8",
            of(5)
        ));
    }
    Ok(Follower { extension, is_superuser: of(6) == "true" })
}

/// The schema of the extension, for SQL.
pub async fn extension(follower: &Session) -> Result<String, String> {
    let schema = follower.value(EXTENSION, &[]).await?;
    schema.ok_or_else(|| {
        "the extension memory_search is not in the follower's database. Hint: CREATE EXTENSION memory_search CASCADE, \
         in the database that --database names"
            .to_owned()
    })
}

/// Checks that a copy finds a worker and an origin, and two until it is done. Those of the subscription `own` count as
/// free, because a new copy begins with its end.
pub async fn room(follower: &Session, own: &str) -> Result<(), String> {
    let row = follower.row(ROOM, &[own]).await?.ok_or("the follower does not say how many workers are free")?;
    for (free, setting) in row
        .iter()
        .zip(["max_logical_replication_workers", "max_replication_slots (18: max_active_replication_origins)"])
    {
        let free = free.as_deref().and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
        if free < 2 {
            return Err(format!(
                "the follower has {} of {setting} free, and 2 are needed. Hint: raise it",
                free.max(0)
            ));
        }
    }
    Ok(())
}

/// Refuses names that are taken on the follower.
pub async fn names(follower: &Session, record: &Record) -> Result<(), String> {
    if follower.is("pg_catalog.to_regclass($1) IS NOT NULL", &[&record.relation()]).await? {
        return Err(format!(
            "the follower has a table {} already, and the copy must have this name. Hint: rename it, or follow into \
             another \
             database",
            record.shown()
        ));
    }
    if follower.is(TAKEN, &[&record.name]).await? {
        return Err(format!(
            "the follower has a subscription \"{name}\" already, of another table, or left by one that is gone. Hint: \
             another \
             name by --name; or, where nobody uses it, DROP SUBSCRIPTION {name}, and DROP PUBLICATION {name} on the \
             source",
            name = record.name
        ));
    }
    if follower.is(table::SCHEMA_EXISTS, &[&record.store]).await? {
        return Err(format!(
            "the follower has a schema {} already, and the store would have this name. Hint: another one by --store",
            record.store
        ));
    }
    Ok(())
}

/// Refuses names that are taken on the source.
pub async fn names_on_source(source: &Session, record: &Record) -> Result<(), String> {
    if source.is("EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubname = $1)", &[&record.name]).await? {
        return Err(taken("the source has a publication", &record.name));
    }
    if source.is("EXISTS (SELECT FROM pg_catalog.pg_replication_slots WHERE slot_name = $1)", &[&record.name]).await? {
        return Err(taken("the source has a replication slot", &record.name));
    }
    Ok(())
}

fn taken(what: &str, name: &str) -> String {
    format!(
        "{what} \"{name}\" already: another follower's, or left by one that is gone. Hint: another name by --name; \
         or, where \
         nobody uses them, DROP PUBLICATION {name} and SELECT pg_drop_replication_slot('{name}') on the source"
    )
}
