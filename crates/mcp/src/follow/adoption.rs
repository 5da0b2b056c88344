//! The store over the follower's table. While a new copy is made, the store shows the previous table; then one
//! transaction exchanges both, so that a search finds the old rows or the new ones.

use memory_search_client::database::statement::quoted;

use crate::follow::carrying::Thing;
use crate::follow::record::Record;
use crate::follow::session::{LOCK_ATTEMPTS, LOCK_NOT_AVAILABLE, LOCK_PAUSE, LOCK_TIMEOUT, Session, literal};
use crate::follow::{carrying, table};

/// Roles that may search the store, by the privileges that memory_grant grants.
const READERS: &str = "SELECT CASE a.grantee WHEN 0 THEN 'public' ELSE pg_catalog.pg_get_userbyid(a.grantee)::text END \
    FROM pg_catalog.pg_class c CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) a \
    WHERE c.oid = pg_catalog.to_regclass($1) AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner";

/// The doctor's findings for a new table.
const WANTED: &str = "name IN ('index of ids', 'statistics') AND status <> 'ok' AND fix IS NOT NULL";

/// Whether the store is over the table.
pub async fn is_adopted(follower: &Session, record: &Record) -> Result<bool, String> {
    is_over(follower, record, &record.relation()).await
}

/// Whether the record's store is over this table.
pub async fn is_over(follower: &Session, record: &Record, relation: &str) -> Result<bool, String> {
    let sql = "EXISTS (SELECT FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_depend d \
        ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid \
      WHERE r.ev_class = pg_catalog.to_regclass($1) AND d.refclassid = 'pg_catalog.pg_class'::regclass \
        AND d.refobjid = pg_catalog.to_regclass($2))";
    follower.is(sql, &[&view(record), relation]).await
}

fn view(record: &Record) -> String {
    format!("{}.entries", quoted(&record.store))
}

/// The statements that make the store over the table and remove the previous table, and the record after them.
async fn statements(follower: &Session, record: &Record, extension: &str) -> Result<(Vec<String>, Record), String> {
    let mut mapping = record.mapping.clone();
    if record.dimensions.is_some() && mapping.get("embedding").is_none() {
        mapping["embedding"] = table::EMBEDDING.into();
    }
    let readers = follower.rows(READERS, &[&view(record)]).await?;
    let mut statements = Vec::new();
    // If the store never existed, there is no view to drop, and no schema to look in.
    if follower.is(table::SCHEMA_EXISTS, &[&record.store]).await? {
        statements.push(format!("DROP VIEW IF EXISTS {}", view(record)));
    }
    statements.push(format!(
        "SELECT {extension}.memory_adopt_table({}, {}::regclass, {}, {})",
        literal(&record.store),
        literal(&record.relation()),
        literal(&mapping.to_string()),
        literal(&record.language)
    ));
    for reader in readers.iter().filter_map(|row| row[0].as_deref()) {
        statements.push(format!("SELECT {extension}.memory_grant({}, {})", literal(&record.store), literal(reader)));
    }
    let mut adopted = record.clone();
    if let Some(before) = record.before_relation() {
        // In a rehearsal the previous table has not got its name yet.
        let is_aside = follower.is("pg_catalog.to_regclass($1) IS NOT NULL", &[&before]).await?;
        let from = if is_aside { before.clone() } else { record.relation() };
        statements.extend(carrying::grants(follower, &from, record).await?);
        statements.push(format!("DROP TABLE IF EXISTS {before}"));
        adopted.before = None;
    }
    statements.push(adopted.statement());
    Ok((statements, adopted))
}

/// Makes table and store, empty, and rolls back: errors in the mapping, the language or the names of a store are
/// reported before anything is copied. Returns the objects that the table then has.
pub async fn rehearse(
    follower: &Session,
    record: &Record,
    made: &[String],
    extension: &str,
) -> Result<Vec<Thing>, String> {
    let (adopting, _) = statements(follower, record, extension).await?;
    let all: Vec<String> = made.iter().cloned().chain(adopting).collect();
    for attempt in 1.. {
        follower.run(&format!("BEGIN; SET LOCAL client_min_messages = warning; {LOCK_TIMEOUT}")).await?;
        let outcome = rehearsed(follower, record, &all.join(";\n"), extension).await;
        follower.run("ROLLBACK").await?;
        match outcome {
            Err(why) if why.contains(LOCK_NOT_AVAILABLE) && attempt < LOCK_ATTEMPTS => {
                tokio::time::sleep(LOCK_PAUSE).await;
            }
            outcome => return outcome,
        }
    }
    Ok(Vec::new())
}

async fn rehearsed(
    follower: &Session,
    record: &Record,
    statements: &str,
    extension: &str,
) -> Result<Vec<Thing>, String> {
    follower.run(statements).await?;
    for fix in fixes(follower, record, extension).await? {
        // The table is empty, and nobody else sees it.
        follower.run(&fix.replace(" CONCURRENTLY", "")).await?;
    }
    carrying::things(follower, &record.relation()).await
}

async fn fixes(follower: &Session, record: &Record, extension: &str) -> Result<Vec<String>, String> {
    let sql = format!("SELECT fix FROM {extension}.memory_doctor($1) WHERE {WANTED}");
    let rows = follower.rows(&sql, &[&record.store]).await?;
    Ok(rows.into_iter().filter_map(|mut row| row.swap_remove(0)).collect())
}

/// Makes the store over the table, and removes the previous table. Returns the record after that.
pub async fn adopt(follower: &Session, record: &Record, extension: &str) -> Result<Record, String> {
    let (statements, adopted) = statements(follower, record, extension).await?;
    follower.transact_patiently(&statements).await?;
    // The index that finds single entries, and the planner's statistics of a table that was just filled. Without
    // blocking writers, so each in its own statement.
    for fix in fixes(follower, record, extension).await? {
        follower.run(&fix).await?;
    }
    Ok(adopted)
}

/// The statements that rename a table, which searches use, so that a new copy can be made.
pub fn set_aside(record: &Record, before: &str) -> Vec<String> {
    let mut statements = table::without_embedding(record, &record.relation());
    statements.push(format!(
        "COMMENT ON TABLE {} IS 'memory-search: searched until the new copy is complete'",
        record.relation()
    ));
    statements.push(format!("ALTER TABLE {} RENAME TO {}", record.relation(), quoted(before)));
    statements
}
