//! Row-level security for a store that many users share: each sees the rows of the user that a setting
//! names.

use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::store::definition;
use crate::store::definition::own_policy::{self, NAME as POLICY};

/// Switches row-level security on for a store, with a policy on each relation: rows of the user that
/// `setting` names, for reading and writing alike. Without the setting nobody but the owner sees
/// anything. Called again it replaces its own policies and leaves others alone.
pub fn enable(store_name: &str, setting: &str) -> Result<()> {
    check_setting(setting)?;
    let (store, literal) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        Ok((store, quoted_literal(reader, setting)?))
    })?;
    if let Some(table) = &store.adopted_from {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!(
                "the entries of store {} are the rows of {table}: its own policies hold in every search",
                store.schema
            ),
        )
        .hint(format!(
            "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY; then CREATE POLICY ... ON {table} USING (...)."
        )));
    }
    let of_user = own_policy::of_user(&literal);
    let of_entry = format!(
        "EXISTS (SELECT FROM {entries} e WHERE e.memory_id OPERATOR(pg_catalog.=) entry_access.memory_id \
           AND e.entry_id OPERATOR(pg_catalog.=) entry_access.entry_id AND e.{of_user})",
        entries = store.relation("entries")
    );
    spi::write(|writer| {
        for (relation, condition) in [("entries", &of_user), ("contexts", &of_user), ("entry_access", &of_entry)] {
            let relation = store.relation(relation);
            if has_policy(writer, &relation)? {
                writer.define(&format!("DROP POLICY {POLICY} ON {relation}"))?;
            }
            writer.define(&format!(
                "CREATE POLICY {POLICY} ON {relation} USING ({condition}) WITH CHECK ({condition})"
            ))?;
            writer.define(&format!(
                "COMMENT ON POLICY {POLICY} ON {relation} IS 'memory_search: rows of the user that a setting names; without it none'"
            ))?;
            writer.define(&format!("ALTER TABLE {relation} ENABLE ROW LEVEL SECURITY"))?;
        }
        notice::inform(&format!(
            "policies on {0}.entries, {0}.contexts and {0}.entry_access: a session sees and writes the rows whose user_id is the value of {setting}, \
             and without that setting none. Rows without user_id are seen by nobody who is bound by them. The owner of the tables, superusers and \
             roles with BYPASSRLS are not bound; ALTER TABLE ... FORCE ROW LEVEL SECURITY binds the owner too. Whoever may run SQL may also SET {setting}: \
             set it in the application, for each request",
            store.schema
        ));
        Ok(())
    })
}

/// Whether our policy is there from an earlier call.
fn has_policy(writer: &mut Writer<'_>, relation: &str) -> Result<bool> {
    let mut statement = Statement::default();
    let relation = statement.bind(Param::text(relation));
    let statement = statement.with(format!(
        "SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid OPERATOR(pg_catalog.=) {relation}::pg_catalog.regclass \
           AND p.polname OPERATOR(pg_catalog.=) '{POLICY}'"
    ));
    Ok(writer.execute(&statement)? > 0)
}

/// A setting that an application may set must have a prefix.
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
    .hint("Take memory_search.user_id, or one of your application's: 'app.user_id'."))
}

fn quoted_literal(reader: &Reader<'_>, text: &str) -> Result<String> {
    let mut statement = Statement::default();
    let placeholder = statement.bind(Param::text(text));
    let statement = statement.with(format!("SELECT pg_catalog.quote_literal({placeholder})"));
    reader.first(&statement, |row| row.required_text(1))?.ok_or_else(|| Error::null("setting"))
}
