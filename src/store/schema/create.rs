//! Makes a store: a schema with its relations, owned by the caller, not by the extension.

use memory_search_core::request::arguments;
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::embed::embedder::{self, Without};
use crate::pg::identifier::QuotedIdentifier;
use crate::pg::param::Param;
use crate::pg::read_only;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, IdTypes, WordsFrom};
use crate::store::schema::relations::Relations;

const SCHEMA_EXISTS: &str = include_str!("create/schema_exists.sql");
/// The beginning of the comment on a schema that was made for a store.
pub const MADE_FOR_STORE: &str = "memory_search: ";
const FIND_LANGUAGE: &str = include_str!("create/language.sql");

/// Makes the store `name`. Without `dimensions` the embedder's dimension is used; without an embedder the embedding
/// column accepts vectors of any dimension.
///
/// With `partitions` each table has that many, by the hash of `memory_id`. Before PostgreSQL 17 this is refused
/// (0A000), because partitioned tables have no identity columns there.
pub fn create_store(name: &StoreName, dimensions: Option<i64>, language: &str, partitions: Option<i64>) -> Result<()> {
    name.check_length()?;
    let partitions = partitions.map(arguments::partitions).transpose()?;
    if partitions.is_some() && cfg!(feature = "pg16") {
        return Err(Error::new(ErrorKind::Unsupported, "partitions need PostgreSQL 17 or newer").hint(
            "Leave partitions out, or create the store on PostgreSQL 17 or newer: older servers have no identity \
             columns in partitioned tables.",
        ));
    }
    let dimensions = match dimensions {
        None => {
            read_only::refuse(c"CREATE SCHEMA");
            embedder::warn_if_not_installed(Without::Storing)?;
            embedder::dimensions()?
        }
        Some(given) => Some(arguments::dimensions(given)?),
    };
    spi::write(|writer| lock_name(writer, name))?;
    let (relations, exists) = spi::read(|reader| {
        let vector_schema = definition::vector_schema(reader)?;
        let dimensions = dimensions.map(|n| format!("({n})")).unwrap_or_default();
        let language = language_literal(reader, language)?;
        let relations = Relations {
            schema: QuotedIdentifier::of(reader, name)?,
            embedding_type: format!("{vector_schema}.halfvec{dimensions}"),
            language,
            partitions,
        };
        Ok((relations, schema_exists(reader, name, false)?))
    })?;
    spi::write(|writer| {
        if !exists {
            make_schema(writer, &relations.schema)?;
        }
        writer.define(&relations.entries())?;
        writer.define(&relations.contexts(true, WordsFrom::Texts))?;
        writer.define(&relations.entry_access(IdTypes::OWN, true))?;
        writer.define(&relations.links(IdTypes::OWN, true))?;
        writer.define(&relations.aliases())
    })
}

/// Makes the schema of a store. Its comment says so, also after a dump and a restore: memory_drop_store drops no other
/// schema, because one that was there before has another purpose, as `public`.
pub fn make_schema(writer: &mut Writer<'_>, schema: &QuotedIdentifier) -> Result<()> {
    writer.define(&format!(
        "CREATE SCHEMA {schema}; \
         COMMENT ON SCHEMA {schema} IS \
           '{MADE_FOR_STORE}made for a store; memory_drop_store() drops it too if it holds nothing else'"
    ))
}

/// Makes sessions that create a store of this name run one after the other, to the end of the transaction: the second
/// session finds the objects that the first one made.
pub fn lock_name(writer: &mut Writer<'_>, name: &StoreName) -> Result<()> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(name));
    let statement = statement.with(format!(
        "SELECT pg_catalog.pg_advisory_xact_lock(\
           'pg_catalog.pg_namespace'::pg_catalog.regclass::pg_catalog.oid::pg_catalog.int4, \
           pg_catalog.hashtext({name}))"
    ));
    writer.execute(&statement).map(|_| ())
}

/// Whether the schema exists already. It is refused if it holds relations of a store (42710), unless `may_hold_store`;
/// and if its owner is not the caller, a role that the caller belongs to, the database's owner or a superuser (42501).
pub fn schema_exists(reader: &Reader<'_>, name: &StoreName, may_hold_store: bool) -> Result<bool> {
    let mut statement = Statement::default();
    let placeholder = statement.bind(Param::text(name));
    // By membership, not by pg_has_role(): a superuser has every role, but must be protected as well.
    let statement = statement.with(filled(SCHEMA_EXISTS, &[("{placeholder}", &placeholder)]));
    let look = || reader.first(&statement, |row| Ok((row.boolean(1), row.boolean(2), row.text(3)?)));
    match spi::with_catalogs_as_they_stand(look)? {
        None => Ok(false),
        Some((Some(true), _, _)) if !may_hold_store => {
            Err(Error::new(ErrorKind::DuplicateObject, format!("store \"{name}\" exists already"))
                .hint("Choose another name, or remove it with memory_drop_store()."))
        }
        // The owner of the schema can drop the store, and put their own tables in its place.
        Some((_, Some(false), owner)) => Err(Error::new(
            ErrorKind::InsufficientPrivilege,
            format!("schema \"{name}\" belongs to {}, who could replace the store", owner.unwrap_or_default()),
        )
        .hint("Choose another name, or have the schema's owner make the store.")),
        Some(_) => Ok(true),
    }
}

/// The text search configuration of a name as a string literal of its qualified name.
pub fn language_literal(reader: &Reader<'_>, language: &str) -> Result<String> {
    named_language(reader, language).map(|found| found.literal)
}

/// A text search configuration.
pub struct Language {
    /// Its qualified name.
    pub name: String,
    /// The name as a string literal.
    pub literal: String,
}

/// The text search configuration of a name. A name that could mean several is refused (22023): anybody may make one of
/// the same name in a schema of their own.
pub fn named_language(reader: &Reader<'_>, language: &str) -> Result<Language> {
    let mut statement = Statement::default();
    let placeholder = statement.bind(Param::text(language));
    // An unqualified name is looked up in pg_catalog first, then among the configurations of this extension, then in
    // every schema that the caller may use: the functions of this extension run with a search path without users'
    // schemas.
    let statement = statement.with(filled(FIND_LANGUAGE, &[("{placeholder}", &placeholder)]));
    let mut found: Vec<(String, String, i64)> = Vec::new();
    reader.rows(&statement, |row| {
        found.push((row.required_text(1)?, row.required_text(2)?, row.required_integer(3)?));
        Ok(())
    })?;
    let first = found.first().map(|(_, _, rank)| *rank);
    found.retain(|(_, _, rank)| Some(*rank) == first);
    if found.len() > 1 {
        let names: Vec<&str> = found.iter().map(|(_, name, _)| name.as_str()).collect();
        return Err(Error::invalid(format!("language \"{language}\" could be {}", names.join(" or ")))
            .hint(format!("Name its schema too: language => '{}'.", names[0])));
    }
    if let Some((literal, name, _)) = found.pop() {
        return Ok(Language { name, literal });
    }
    let mut known = Vec::new();
    let all = Statement::default().with(
        "SELECT DISTINCT c.cfgname::pg_catalog.text FROM pg_catalog.pg_ts_config c \
              WHERE pg_catalog.has_schema_privilege(c.cfgnamespace, 'USAGE') \
                AND c.cfgnamespace OPERATOR(pg_catalog.<>) pg_catalog.pg_my_temp_schema() \
                AND NOT pg_catalog.pg_is_other_temp_schema(c.cfgnamespace) ORDER BY 1"
            .to_owned(),
    );
    reader.rows(&all, |row| {
        known.push(row.required_text(1)?);
        Ok(())
    })?;
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let refusal =
        Error::new(ErrorKind::UndefinedObject, format!("language \"{language}\" is no text search configuration"));
    Err(match memory_search_core::json_fields::nearest(language, &names) {
        Some(name) => refusal.hint(format!("Did you mean \"{name}\"? psql lists the configurations with \\dF.")),
        None => refusal.hint(format!("Installed are {}. \"simple\" suits any language.", names.join(", "))),
    })
}
