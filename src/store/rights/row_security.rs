//! Row-level security for a store that many users share: each user sees the rows of the user that a setting names.

use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::QualifiedName;
use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::store::definition::own_policy::{self, NAME as POLICY};
use crate::store::definition::{self, Store, TablesOfLinks};

/// The relations that have policies, without the tables of links, which are added if they exist.
const RELATIONS: [&str; 3] = ["entries", "contexts", "entry_access"];

fn relations(store: &Store) -> Result<Vec<&'static str>> {
    let links = spi::read(|reader| TablesOfLinks::find(reader, &store.schema))?.names();
    Ok(RELATIONS.into_iter().chain(links).collect())
}

/// Switches row-level security on for a store, with a policy on each relation: rows of the user that `setting` names,
/// for reading and writing alike. Without the setting only the owner sees rows. A second call replaces the policies
/// from the first and leaves others unchanged.
pub fn enable(store_name: &StoreName, setting: &str) -> Result<()> {
    check_setting(setting)?;
    let (store, literal) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        Ok((store, quoted_literal(reader, setting)?))
    })?;
    if let Some(table) = store.adopted_table() {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!(
                "the entries of store {} are the rows of {table}: the policies of that table apply to every search",
                store.schema
            ),
        )
        .hint(format!(
            "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY; then CREATE POLICY ... ON {table} USING (...)."
        )));
    }
    spi::write(|writer| {
        drop_policies(writer, &store)?;
        make_policies(writer, &store, setting, &literal)
    })
}

/// Makes the policies of a store that was distributed in this transaction; `setting` is the one of its policies before.
pub fn enable_in_shards(writer: &mut Writer<'_>, store: &Store, setting: &str) -> Result<()> {
    let literal = spi::read(|reader| quoted_literal(reader, setting))?;
    make_policies(writer, &Store { is_distributed: true, ..store.clone() }, setting, &literal)
}

/// Drops the policies from an earlier call.
pub fn drop_policies(writer: &mut Writer<'_>, store: &Store) -> Result<()> {
    for name in relations(store)? {
        let relation = store.relation(name);
        if has_policy(writer, &relation)? {
            writer.define(&format!("DROP POLICY {POLICY} ON {relation}"))?;
        }
    }
    Ok(())
}

fn make_policies(writer: &mut Writer<'_>, store: &Store, setting: &str, literal: &str) -> Result<()> {
    let of_user = match store.is_distributed {
        true => own_policy::of_user_in_shards(literal),
        false => own_policy::of_user(literal),
    };
    let sees_entry = |table: &str, column: Option<&str>| {
        let of_id = column.map(|column| format!("AND e.entry_id OPERATOR(pg_catalog.=) {table}.{column} "));
        format!(
            "EXISTS (SELECT FROM {entries} e WHERE e.memory_id OPERATOR(pg_catalog.=) {table}.memory_id \
               {of_id}AND e.{of_user})",
            entries = store.relation("entries"),
            of_id = of_id.unwrap_or_default()
        )
    };
    let relations = relations(store)?;
    for name in &relations {
        let name = *name;
        let relation = store.relation(name);
        let condition = match name {
            "entries" | "contexts" => of_user.clone(),
            // Citus does not allow subqueries in policies, so these rows cannot look up the user of their entry.
            _ if store.is_distributed => "true".to_owned(),
            "links" => format!("{} AND {}", sees_entry(name, Some("from_entry")), sees_entry(name, Some("to_entry"))),
            "aliases" => sees_entry(name, None),
            _ => sees_entry(name, Some("entry_id")),
        };
        writer.define(&format!("CREATE POLICY {POLICY} ON {relation} USING ({condition}) WITH CHECK ({condition})"))?;
        let says = match (name, store.is_distributed) {
            ("entry_access" | "links" | "aliases", true) => {
                "every row: a policy of a distributed table cannot look up the user of the entry"
            }
            ("links", false) => "links between rows of the user that a setting names; without the setting none",
            ("aliases", false) => {
                "aliases of memories with a row of the user that a setting names; without the setting none"
            }
            _ => "rows of the user that a setting names; without the setting none",
        };
        writer.define(&format!("COMMENT ON POLICY {POLICY} ON {relation} IS 'memory_search: {says}'"))?;
        writer.define(&format!("ALTER TABLE {relation} ENABLE ROW LEVEL SECURITY"))?;
    }
    notice::inform(&format!(
        "policies on {tables}: a session sees and writes the rows whose user_id is the value of {setting}, \
         links between such rows, and aliases of memories in which it sees an entry; without that setting it sees and \
         writes none. Rows without user_id are hidden from every role that the policies bind. The owner of the \
         tables, superusers and roles with BYPASSRLS are not bound; ALTER TABLE ... FORCE ROW LEVEL SECURITY binds \
         the owner too. A user who may run SQL may also SET {setting}: set it in the application, for each request",
        tables = relations.iter().map(|name| store.relation(name).to_string()).collect::<Vec<_>>().join(", ")
    ));
    if store.is_distributed {
        notice::warn(
            &Error::new(
                ErrorKind::Unsupported,
                format!(
                    "the policies on {0}.entry_access, {0}.links and {0}.aliases let every row through: a role that \
                     reads these tables by plain SQL sees the ids, use counts, links and names of other users' entries",
                    store.schema
                ),
            )
            .hint(
                "Citus has no subqueries in policies. The functions show counts only of entries that the caller sees. \
                 SET citus.propagate_set_commands = 'local', and SET LOCAL the setting: otherwise the nodes do not \
                 know the user, and show no rows.",
            ),
        );
    }
    Ok(())
}

/// Whether the policy from an earlier call exists.
fn has_policy(writer: &mut Writer<'_>, relation: &QualifiedName) -> Result<bool> {
    let mut statement = Statement::default();
    let relation = statement.bind(Param::text(relation));
    let statement = statement.with(format!(
        "SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid OPERATOR(pg_catalog.=) {relation}::pg_catalog.regclass \
           AND p.polname OPERATOR(pg_catalog.=) '{POLICY}'"
    ));
    Ok(writer.execute(&statement)? > 0)
}

/// A setting that an application may define must have a prefix.
fn check_setting(setting: &str) -> Result<()> {
    let is_name = |part: &str| {
        part.chars()
            .enumerate()
            .all(|(index, c)| c == '_' || c.is_ascii_alphabetic() || (index > 0 && c.is_ascii_digit()))
            && !part.is_empty()
    };
    let parts: Vec<&str> = setting.split('.').collect();
    let is_ours_by_mistake = parts.first().is_some_and(|prefix| prefix.eq_ignore_ascii_case("memory_search"))
        && !setting.eq_ignore_ascii_case("memory_search.user_id");
    if parts.len() == 2 && parts.iter().all(|part| is_name(part)) && !is_ours_by_mistake {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "setting must be a name with a prefix, not \"{}\"",
        memory_search_core::error::shown(setting)
    ))
    .hint("Use memory_search.user_id, or a setting of your application: 'app.user_id'."))
}

fn quoted_literal(reader: &Reader<'_>, text: &str) -> Result<String> {
    let mut statement = Statement::default();
    let placeholder = statement.bind(Param::text(text));
    let statement = statement.with(format!("SELECT pg_catalog.quote_literal({placeholder})"));
    reader.first(&statement, |row| row.required_text(1))?.ok_or_else(|| Error::null("setting"))
}
