//! The properties that a new copy of a table keeps from the previous one. Policies bind the new table from the
//! beginning; privileges come with the store. Any other object that somebody made on the table by hand is named, and
//! the copy is refused, because it would be lost.

use crate::follow::record::Record;
use crate::follow::session::{Session, literal};
use crate::follow::table;

/// Statements that give the table $2 the policies of $1. The search path is empty, so all names have schemas.
const POLICIES: &str = "SELECT said FROM ( \
    SELECT 0, '', 'ALTER TABLE ' || $2 || ' ENABLE ROW LEVEL SECURITY' FROM pg_catalog.pg_class \
      WHERE oid = pg_catalog.to_regclass($1) AND relrowsecurity \
    UNION ALL SELECT 0, '', 'ALTER TABLE ' || $2 || ' FORCE ROW LEVEL SECURITY' FROM pg_catalog.pg_class \
      WHERE oid = pg_catalog.to_regclass($1) AND relforcerowsecurity \
    UNION ALL SELECT 1, polname::text, pg_catalog.format('CREATE POLICY %I ON %s AS %s FOR %s TO %s', polname, $2, \
        CASE WHEN polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END, \
        CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' \
          ELSE 'ALL' END, \
        (SELECT pg_catalog.string_agg(CASE role WHEN 0 THEN 'PUBLIC' \
            ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(role)) END, ', ') \
          FROM pg_catalog.unnest(polroles) role)) \
        || coalesce(' USING (' || pg_catalog.pg_get_expr(polqual, polrelid) || ')', '') \
        || coalesce(' WITH CHECK (' || pg_catalog.pg_get_expr(polwithcheck, polrelid) || ')', '') \
      FROM pg_catalog.pg_policy WHERE polrelid = pg_catalog.to_regclass($1)) s (step, name, said) ORDER BY step, name";

/// Statements that grant on the table $2 the privileges on $1, each with the column that it applies to.
const GRANTS: &str = "SELECT acl.name::text, pg_catalog.format('GRANT %s%s ON %s TO %s%s', a.privilege_type, \
      coalesce(' (' || pg_catalog.quote_ident(acl.name) || ')', ''), $2, \
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END, \
      CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) \
    FROM (SELECT relowner, NULL::name, relacl FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass($1) \
      UNION ALL SELECT c.relowner, t.attname, t.attacl FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_attribute t ON t.attrelid = c.oid AND t.attnum > 0 AND NOT t.attisdropped \
        WHERE c.oid = pg_catalog.to_regclass($1)) acl (owner, name, items) \
    CROSS JOIN LATERAL pg_catalog.aclexplode(acl.items) a WHERE a.grantee <> acl.owner";

/// The objects on a table, with a definition that does not name the table. The copy has its own primary key and its own
/// memory index.
const THINGS: &str = "SELECT 'index ' || pg_catalog.quote_ident(c.relname), pg_catalog.replace( \
      pg_catalog.pg_get_indexdef(i.indexrelid), \
      ' INDEX ' || pg_catalog.quote_ident(c.relname) || ' ON ' || i.indrelid::regclass::text || ' ', ' INDEX ON '), \
      (a.amname = 'btree' AND NOT i.indisunique AND i.indpred IS NULL)::text \
    FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid \
    JOIN pg_catalog.pg_am a ON a.oid = c.relam \
    WHERE i.indrelid = pg_catalog.to_regclass($1) AND NOT i.indisprimary AND a.amname <> 'memory_search' \
      AND coalesce(pg_catalog.pg_get_expr(i.indpred, i.indrelid), '') <> '(' || $2 || ' IS NULL)' \
    UNION ALL SELECT 'trigger ' || pg_catalog.quote_ident(tgname), 'trigger ' || tgname, 'false' \
    FROM pg_catalog.pg_trigger WHERE tgrelid = pg_catalog.to_regclass($1) AND NOT tgisinternal \
      AND tgname <> 'memory_search_embeds' \
    UNION ALL SELECT 'constraint ' || pg_catalog.quote_ident(conname), \
      'constraint ' || pg_catalog.pg_get_constraintdef(oid), 'false' \
    FROM pg_catalog.pg_constraint WHERE conrelid = pg_catalog.to_regclass($1) AND contype IN ('c', 'f')";

const COLUMNS: &str = "SELECT attname::text FROM pg_catalog.pg_attribute \
    WHERE attrelid = pg_catalog.to_regclass($1) AND attnum > 0 AND NOT attisdropped";

const NO_COLUMNS: &str = "SELECT NULL::text WHERE $1 = ''";

/// An object on a table.
pub struct Thing {
    name: String,
    definition: String,
    /// Whether it looks like an index that the doctor makes.
    is_plain_index: bool,
}

/// The statements that bind `to` by the policies of `from`.
pub async fn policies(follower: &Session, from: &str, to: &str) -> Result<Vec<String>, String> {
    let rows = follower.rows(POLICIES, &[from, to]).await?;
    Ok(rows.into_iter().filter_map(|mut row| row.swap_remove(0)).collect())
}

/// The statements that grant on the record's table the privileges on `from`. The privileges on a column that is no
/// longer copied are lost with it.
pub async fn grants(follower: &Session, from: &str, record: &Record) -> Result<Vec<String>, String> {
    let rows = follower.rows(GRANTS, &[from, &record.relation()]).await?;
    let is_there = |column: &str| {
        record.columns.iter().any(|copied| copied.name == column)
            || (column == table::EMBEDDING && record.dimensions.is_some())
    };
    Ok(rows
        .into_iter()
        .filter(|row| row[0].as_deref().is_none_or(is_there))
        .filter_map(|mut row| row.swap_remove(1))
        .collect())
}

/// The objects on a table.
pub async fn things(follower: &Session, relation: &str) -> Result<Vec<Thing>, String> {
    let rows = follower.rows(THINGS, &[relation, table::EMBEDDING]).await?;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    Ok(rows
        .iter()
        .map(|row| Thing {
            name: text(&row[0]),
            definition: text(&row[1]),
            is_plain_index: row[2].as_deref() == Some("true"),
        })
        .collect())
}

/// Refuses a copy that would lose objects that were made by hand on the table of `old`. `made` has those of the new
/// table.
pub async fn refuse_to_lose(follower: &Session, old: &Record, new: &Record, made: &[Thing]) -> Result<(), String> {
    let mut lost = Vec::new();
    for relation in searched(follower, old).await? {
        for thing in things(follower, &relation).await? {
            // Another mapping needs another index of ids, and this program made the previous one.
            let is_replaced = thing.is_plain_index && old.mapping != new.mapping;
            if !is_replaced && !made.iter().any(|new| new.definition == thing.definition) {
                lost.push(format!("{} of {relation}", thing.name));
            }
        }
        // The columns of a renamed table are no longer recorded.
        let known = if relation == old.relation() { COLUMNS } else { NO_COLUMNS };
        for row in follower.rows(known, &[&relation]).await? {
            let name = row[0].as_deref().unwrap_or_default();
            if name != table::EMBEDDING && !old.columns.iter().any(|column| column.name == name) {
                lost.push(format!("column {} of {relation}", literal(name).trim()));
            }
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    Err(format!(
        "a new copy would lose what was made on the follower's table by hand: {}. Nothing was changed. Hint: keep the \
         definitions, drop them, run this again, and make them anew on the new copy",
        lost.join(", ")
    ))
}

/// The tables that a new copy replaces: that of the record, and the previous one if a copy was interrupted.
async fn searched(follower: &Session, old: &Record) -> Result<Vec<String>, String> {
    let mut relations = vec![old.relation()];
    if let Some(before) = old.before_relation()
        && follower.is("pg_catalog.to_regclass($1) IS NOT NULL", &[&before]).await?
    {
        relations.push(before);
    }
    Ok(relations)
}
