//! Distributes a store over the nodes of a Citus cluster: all rows of a memory are in one shard of each table, on one
//! node. This code is not linked to Citus: its functions are called by name, in the schema of its extension.

use memory_search_core::request::arguments;
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::notice;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::pg::temporary_settings::{EVERY_ROW, with_settings};
use crate::store::definition::{self, Store, TablesOfLinks};
use crate::store::recording::found::Recording;
use crate::store::rights::row_security;

const TABLES: &str = include_str!("tables.sql");
const REFERENCES: &str = include_str!("references.sql");

/// Entries first, because the other tables are placed with them. After these come the tables of links, if they exist.
const NAMES: [&str; 3] = ["entries", "contexts", "entry_access"];

/// Functions that Citus is to send to the node of their memory. Without this, `memory_search` goes there in one
/// statement, but the others with each of their statements. Those that take the advisory lock of a memory are all among
/// them: a lock excludes calls on the same node. tests/cluster/test_distribute_store.py has the other functions of one
/// memory, with the reason for each.
const DELEGATED: [&str; 29] = [
    "memory_about",
    "memory_add",
    "memory_add_many",
    "memory_alias",
    "memory_aliases",
    "memory_build_context",
    "memory_count",
    "memory_delete",
    "memory_delete_contexts",
    "memory_delete_where",
    "memory_entities",
    "memory_facets",
    "memory_feedback",
    "memory_get",
    "memory_link",
    "memory_links",
    "memory_list",
    "memory_put_context",
    "memory_recall",
    "memory_related",
    "memory_restore",
    "memory_restore_contexts",
    "memory_search",
    "memory_search_entries",
    "memory_supersede",
    "memory_touch",
    "memory_unalias",
    "memory_unlink",
    "memory_update",
];

/// Distributes the tables of a store by `memory_id`, over the given number of shards or Citus's default, and with
/// `delegate` the functions that work on one memory. The rows of the tables move with them, and none stay behind.
pub fn distribute_store(store_name: &StoreName, shard_count: Option<i64>, delegate: bool) -> Result<()> {
    let shard_count = shard_count.map(arguments::shard_count).transpose()?;
    let (store, citus, references, names) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        refuse_other_kinds(&store, store_name)?;
        let citus = schema_of_citus(reader)?;
        let links = TablesOfLinks::find(reader, &store.schema)?.names();
        let names: Vec<&str> = NAMES.into_iter().chain(links).collect();
        spi::with_catalogs_as_they_stand(|| refuse_tables(reader, &store, &names))?;
        refuse_recording(reader, &store, store_name)?;
        let references = spi::with_catalogs_as_they_stand(|| references(reader, &store, &names))?;
        Ok((store, citus, references, names))
    })?;
    spi::write(|writer| {
        // A policy that hid rows from the caller would keep them from being copied.
        let settings = [EVERY_ROW[0], ("citus.multi_shard_modify_mode", "sequential")];
        with_settings(writer, &settings, |writer| {
            for Reference { table, name, .. } in &references {
                writer.define(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}"))?;
            }
            if store.user_setting.is_some() {
                row_security::drop_policies(writer, &store)?;
            }
            for name in &names {
                distribute(writer, &citus, &store, name, shard_count)?;
            }
            for Reference { table, name, column } in &references {
                writer.define(&format!(
                    "ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (memory_id, {column}) \
                     REFERENCES {} (memory_id, entry_id) ON DELETE CASCADE",
                    store.relation("entries")
                ))?;
            }
            for name in &names {
                call(writer, &citus, "truncate_local_data_after_distributing_table", &store.relation(name), "")?;
            }
            Ok(())
        })?;
        if let Some(setting) = &store.user_setting {
            row_security::enable_in_shards(writer, &store, setting)?;
        }
        if delegate { delegate_functions(writer, &citus, &store) } else { Ok(()) }
    })?;
    notice::inform(&format!(
        "store {0} is distributed by memory_id. Under row-level security SET citus.propagate_set_commands = 'local'. \
         memory_doctor() checks the rest; the guide's page \"More than one machine\" explains it",
        store.schema
    ));
    Ok(())
}

/// Refuses stores that are not the store's own ordinary tables (0A000), or are distributed already (55000).
fn refuse_other_kinds(store: &Store, store_name: &StoreName) -> Result<()> {
    const WHAT: &str = "memory_distribute_store";
    if let Some(table) = store.adopted_table() {
        let message = format!("{WHAT} cannot distribute store {}: its entries are the rows of {table}", store.schema);
        return Err(Error::new(ErrorKind::Unsupported, message)
            .hint(format!("Distribute {table} itself, or copy it into a store by memory_import_table().")));
    }
    if store.is_distributed {
        return Err(Error::new(ErrorKind::WrongState, format!("store {} is distributed already", store.schema))
            .hint("alter_distributed_table() of Citus changes the number of shards."));
    }
    if store.is_partitioned || store.tables_by_memory.is_some() {
        let message = format!("{WHAT} cannot distribute store {}: its tables have partitions", store.schema);
        return Err(Error::new(ErrorKind::Unsupported, message).hint(format!(
            "Create a store without partitions, move the memories by memory_export() and memory_import(), and \
             distribute that store; shards do for it what partitions do for store {store_name}."
        )));
    }
    Ok(())
}

/// The schema of Citus's functions (0A000 if there is none).
fn schema_of_citus(reader: &Reader<'_>) -> Result<QuotedIdentifier> {
    let statement = Statement::default().with(
        "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension x \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.extnamespace \
          WHERE x.extname OPERATOR(pg_catalog.=) 'citus' \
            AND 2 OPERATOR(pg_catalog.=) (SELECT pg_catalog.count(DISTINCT p.proname) FROM pg_catalog.pg_proc p \
              WHERE p.pronamespace OPERATOR(pg_catalog.=) n.oid AND p.proname OPERATOR(pg_catalog.=) ANY (ARRAY[\
                'create_distributed_table', 'truncate_local_data_after_distributing_table']::pg_catalog.name[]))"
            .to_owned(),
    );
    reader.first(&statement, |row| QuotedIdentifier::read(row, 1))?.ok_or_else(|| {
        Error::new(
            ErrorKind::Unsupported,
            "memory_distribute_store needs the extension citus, which is not installed in this database",
        )
        .hint(
            "CREATE EXTENSION citus; on a server that has it in shared_preload_libraries. \
             On one server memory_create_store(..., partitions => n) divides a store.",
        )
    })
}

/// Refuses tables of other owners (42501), and tables that Citus would distribute only in part (0A000).
fn refuse_tables(reader: &Reader<'_>, store: &Store, names: &[&str]) -> Result<()> {
    let mut statement = Statement::default();
    let schema = statement.bind(Param::text(&*store.schema));
    let names = statement.bind(Param::Texts(names.iter().map(|name| (*name).to_owned()).collect()));
    let statement = statement.with(filled(TABLES, &[("{schema}", &schema), ("{names}", &names)]));
    reader.rows(&statement, |row| {
        let (name, owner) = (row.required_text(1)?, row.required_text(3)?);
        let relation = store.relation(&name);
        if row.boolean(2) != Some(true) {
            return Err(Error::new(ErrorKind::InsufficientPrivilege, format!("{relation} belongs to \"{owner}\""))
                .hint("Call the function as the role that owns all tables of the store."));
        }
        if row.boolean(4) != Some(true) {
            let message =
                format!("{relation} cannot be distributed: it inherits from a table, or tables inherit from it");
            return Err(Error::new(ErrorKind::Unsupported, message)
                .hint("Move the memories to a store that memory_create_store() made, and distribute that."));
        }
        Ok(())
    })
}

/// Refuses a store that records changes (55000): Citus has no triggers on distributed tables, and no references to them
/// from tables that are not distributed with them, such as the history.
fn refuse_recording(reader: &Reader<'_>, store: &Store, store_name: &StoreName) -> Result<()> {
    let recording = Recording::of(reader, store)?;
    let argument = format!("'{}'", store_name.replace('\'', "''"));
    let refused = |what: &str, hint: String| {
        Err(Error::new(ErrorKind::WrongState, format!("store {} {what}", store.schema)).hint(hint))
    };
    if recording.history.is_some() {
        return refused(
            "keeps history by triggers, which distributed tables cannot have",
            format!("Switch it off: SELECT memory_keep_history({argument}, false);"),
        );
    }
    if recording.notify.is_some() {
        return refused(
            "notifies by triggers, which distributed tables cannot have",
            format!("Switch that off: SELECT memory_notify({argument}, enabled => false);"),
        );
    }
    if recording.table.is_some() {
        let history = store.relation("history");
        return refused(
            &format!("has a history in {history}, which refers to its entries and cannot be distributed with them"),
            format!("Copy the rows that you need, and DROP TABLE {history};"),
        );
    }
    Ok(())
}

/// A reference from one of the store's tables to entries.
struct Reference {
    table: QualifiedName,
    name: QuotedIdentifier,
    /// The column with the entry's id, next to the one with its memory's id.
    column: QuotedIdentifier,
}

fn references(reader: &Reader<'_>, store: &Store, names: &[&str]) -> Result<Vec<Reference>> {
    let mut statement = Statement::default();
    let names = statement.bind(Param::Texts(names.iter().map(|name| (*name).to_owned()).collect()));
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let schema = statement.bind(Param::text(&*store.schema));
    let statement =
        statement.with(filled(REFERENCES, &[("{entries}", &entries), ("{schema}", &schema), ("{names}", &names)]));
    let mut found = Vec::new();
    reader.rows(&statement, |row| {
        found.push(Reference {
            table: QualifiedName::read(row, 1)?,
            name: QuotedIdentifier::read(row, 2)?,
            column: QuotedIdentifier::read(row, 3)?,
        });
        Ok(())
    })?;
    Ok(found)
}

fn distribute(
    writer: &mut Writer<'_>,
    citus: &QuotedIdentifier,
    store: &Store,
    name: &str,
    shard_count: Option<i64>,
) -> Result<()> {
    let more = match (name, shard_count) {
        ("entries", Some(count)) => format!(", 'memory_id', shard_count => {count}"),
        ("entries", None) => ", 'memory_id'".to_owned(),
        _ => {
            let entries = store.relation("entries").replace('\'', "''");
            format!(", 'memory_id', colocate_with => '{entries}'")
        }
    };
    call(writer, citus, "create_distributed_table", &store.relation(name), &more)
}

/// Makes Citus send calls of these functions to the node of the memory in their first argument.
fn delegate_functions(writer: &mut Writer<'_>, citus: &QuotedIdentifier, store: &Store) -> Result<()> {
    let mut statement = Statement::default();
    let names = statement.bind(Param::Texts(DELEGATED.map(str::to_owned).into()));
    let entries = statement.bind(Param::text(&*store.relation("entries")));
    let statement = statement.with(format!(
        "SELECT {citus}.create_distributed_function(p.oid::pg_catalog.regprocedure, 'memory_id', colocate_with => {entries}) \
           FROM pg_catalog.pg_proc p \
           JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass \
            AND d.objid OPERATOR(pg_catalog.=) p.oid AND d.deptype OPERATOR(pg_catalog.=) 'e' \
           JOIN pg_catalog.pg_extension x \
             ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass \
            AND x.oid OPERATOR(pg_catalog.=) d.refobjid AND x.extname OPERATOR(pg_catalog.=) 'memory_search' \
          WHERE p.proname::pg_catalog.text OPERATOR(pg_catalog.=) ANY ({names}) \
            AND p.proargnames[1] OPERATOR(pg_catalog.=) 'memory_id' \
            AND p.proargtypes[0] OPERATOR(pg_catalog.=) 'pg_catalog.text'::pg_catalog.regtype"
    ));
    writer.returning(&statement, |_| Ok(())).map(|_| ())
}

/// Calls a function of Citus with a table and its other arguments.
fn call(
    writer: &mut Writer<'_>,
    citus: &QuotedIdentifier,
    function: &str,
    table: &QualifiedName,
    more: &str,
) -> Result<()> {
    let table = table.replace('\'', "''");
    writer.define(&format!("SELECT {citus}.{function}('{table}'::pg_catalog.regclass{more})"))
}
