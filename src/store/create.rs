//! Makes a store: a schema with its relations, owned by the caller, not by the extension.

use memory_search_core::request::limits;
use memory_search_core::{Error, ErrorKind, Result};

use crate::embed::embedder;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::store::definition;
use crate::store::relations::Relations;

/// Makes the store `name`. Without `dimensions` the embedder's are taken; without an embedder the
/// embedding column takes vectors of any dimension.
pub fn create_store(name: &str, dimensions: Option<i64>, language: &str) -> Result<()> {
    check_name(name)?;
    let dimensions = match dimensions {
        None => {
            embedder::warn_if_not_installed()?;
            embedder::dimensions()?
        }
        Some(given) => match usize::try_from(given) {
            Ok(n) if (1..=limits::MAX_INDEXED_DIMENSIONS).contains(&n) => Some(n),
            _ => {
                return Err(Error::invalid(format!(
                    "dimensions must be from 1 to {}, not {given}",
                    limits::MAX_INDEXED_DIMENSIONS
                ))
                .hint("It is the length of your embedding model's vectors; leave it out for the local model's."));
            }
        },
    };
    let (relations, exists) = spi::read(|reader| {
        let vector_schema = definition::vector_schema(reader)?;
        let dimensions = dimensions.map(|n| format!("({n})")).unwrap_or_default();
        let relations = Relations {
            schema: quoted(reader, name)?,
            embedding_type: format!("{vector_schema}.halfvec{dimensions}"),
            vector_schema,
            language: language_literal(reader, language)?,
            prepares_words: true,
        };
        Ok((relations, schema_exists(reader, name)?))
    })?;
    spi::write(|writer| {
        if !exists {
            writer.define(&format!("CREATE SCHEMA {}", relations.schema))?;
        }
        writer.define(&relations.entries())?;
        writer.define(&relations.contexts(true))?;
        writer.define(&relations.entry_access("text", "uuid", true))
    })
}

/// Refuses a name that PostgreSQL would cut.
pub fn check_name(name: &str) -> Result<()> {
    if name.len() > limits::MAX_NAME_BYTES {
        return Err(Error::invalid(format!(
            "store \"{name}\" has a name of {} bytes, more than {}",
            name.len(),
            limits::MAX_NAME_BYTES
        )));
    }
    Ok(())
}

/// A name as SQL text.
pub fn quoted(reader: &Reader<'_>, name: &str) -> Result<String> {
    let mut statement = Statement::default();
    let placeholder = statement.bind(Param::text(name));
    let statement = statement.with(format!("SELECT pg_catalog.quote_ident({placeholder})"));
    reader.first(&statement, |row| row.required_text(1))?.ok_or_else(|| Error::null("store"))
}

/// Whether the schema is there already; refused when it holds a store (42710), and when it belongs to
/// somebody else than the caller, a role that the caller belongs to, the database's owner or a
/// superuser (42501).
pub fn schema_exists(reader: &Reader<'_>, name: &str) -> Result<bool> {
    let mut statement = Statement::default();
    let placeholder = statement.bind(Param::text(name));
    // By membership, not by pg_has_role(): a superuser has every role, and is endangered all the same.
    let statement = statement.with(format!(
        "WITH RECURSIVE own AS (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) CURRENT_USER \
           UNION SELECT m.roleid FROM own JOIN pg_catalog.pg_auth_members m ON m.member OPERATOR(pg_catalog.=) own.oid) \
         SELECT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace OPERATOR(pg_catalog.=) n.oid \
           AND c.relname OPERATOR(pg_catalog.=) ANY (ARRAY['entries', 'contexts', 'entry_access']::pg_catalog.name[])), \
           owner.rolsuper OR owner.rolname OPERATOR(pg_catalog.=) 'pg_database_owner' \
             OR n.nspowner OPERATOR(pg_catalog.=) ANY (SELECT own.oid FROM own) \
             OR n.nspowner OPERATOR(pg_catalog.=) (SELECT d.datdba FROM pg_catalog.pg_database d \
               WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()), \
           pg_catalog.quote_ident(owner.rolname) \
         FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles owner ON owner.oid OPERATOR(pg_catalog.=) n.nspowner \
         WHERE n.nspname OPERATOR(pg_catalog.=) {placeholder}"
    ));
    match reader.first(&statement, |row| Ok((row.boolean(1), row.boolean(2), row.text(3)?)))? {
        None => Ok(false),
        Some((Some(true), _, _)) => {
            Err(Error::new(ErrorKind::DuplicateObject, format!("store \"{name}\" exists already"))
                .hint("Choose another name, or remove it with memory_drop_store()."))
        }
        // Whoever owns the schema can drop the store, and put tables of their own in its place.
        Some((_, Some(false), owner)) => Err(Error::new(
            ErrorKind::InsufficientPrivilege,
            format!("schema \"{name}\" belongs to {}, who could replace the store", owner.unwrap_or_default()),
        )
        .hint("Choose another name, or have the schema's owner make the store.")),
        Some(_) => Ok(true),
    }
}

/// The text search configuration as a string literal of its qualified name.
pub fn language_literal(reader: &Reader<'_>, language: &str) -> Result<String> {
    let mut statement = Statement::default();
    let placeholder = statement.bind(Param::text(language));
    // An unqualified name is looked for in pg_catalog first and then anywhere: the functions of
    // this extension run with a search path that no user's schema is on.
    let statement = statement.with(format!(
        "SELECT pg_catalog.quote_literal(pg_catalog.format('%I.%I', n.nspname, c.cfgname)), \
                pg_catalog.format('%I.%I', n.nspname, c.cfgname) \
         FROM pg_catalog.pg_ts_config c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.cfgnamespace \
         WHERE c.cfgname OPERATOR(pg_catalog.=) {placeholder} \
            OR pg_catalog.format('%s.%s', n.nspname, c.cfgname) OPERATOR(pg_catalog.=) {placeholder} \
            OR pg_catalog.format('%I.%I', n.nspname, c.cfgname) OPERATOR(pg_catalog.=) {placeholder} \
         ORDER BY pg_catalog.format('%I.%I', n.nspname, c.cfgname) OPERATOR(pg_catalog.<>) {placeholder}, \
                  pg_catalog.format('%s.%s', n.nspname, c.cfgname) OPERATOR(pg_catalog.<>) {placeholder}, \
                  n.nspname OPERATOR(pg_catalog.<>) 'pg_catalog', n.nspname LIMIT 1"
    ));
    if let Some(literal) = reader.first(&statement, |row| row.required_text(1))? {
        return Ok(literal);
    }
    let mut known = Vec::new();
    let all = Statement::default()
        .with("SELECT c.cfgname::pg_catalog.text FROM pg_catalog.pg_ts_config c ORDER BY 1".to_owned());
    reader.rows(&all, |row| {
        known.push(row.required_text(1)?);
        Ok(())
    })?;
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let refusal =
        Error::new(ErrorKind::UndefinedObject, format!("language \"{language}\" is no text search configuration"));
    Err(match memory_search_core::request::json_fields::nearest(language, &names) {
        Some(name) => refusal.hint(format!("Did you mean \"{name}\"? psql lists the configurations with \\dF.")),
        None => refusal.hint(format!("Installed are {}. \"simple\" suits any language.", names.join(", "))),
    })
}
