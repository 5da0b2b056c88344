//! The history and notifications of a store, read from the catalogs.

use memory_search_core::Result;

use super::functions;
use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;

const FIND: &str = include_str!("find.sql");
const FIND_TABLE: &str = include_str!("find_table.sql");
const MISSING_GRANTS: &str = include_str!("missing_grants.sql");

/// The table `history` of a store.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Its OID.
    pub oid: u32,
    /// Whether its policies are in force.
    pub is_guarded: bool,
    /// Whether the policies of entries bind their owner, but the policies of the history do not.
    pub lets_owner_by: bool,
    /// Whether its policy for DELETE lets a role with the privilege delete rows that the role does not see.
    pub lets_all_delete: bool,
}

/// A trigger function of a store.
#[derive(Debug, Clone)]
pub struct Function {
    /// The name with its schema, as DROP takes it.
    pub signature: QualifiedName,
    /// Whether it is the function that this version makes.
    pub is_unchanged: bool,
    /// Whether it belongs to a store with another name: the schema was renamed.
    pub has_former_name: bool,
    /// The number of enabled triggers that call it.
    pub enabled: usize,
    /// The number of tables that must have its triggers: entries, and each partition.
    pub tables: usize,
    /// The argument of its triggers.
    pub channel: Option<String>,
}

/// The recording of a store.
#[derive(Debug, Default)]
pub struct Recording {
    /// Its table, even if nothing writes to it any more.
    pub table: Option<Table>,
    /// The function that writes the history.
    pub history: Option<Function>,
    /// The function that notifies.
    pub notify: Option<Function>,
}

impl Recording {
    /// The recording of a store now, independent of the transaction's snapshot. An adopted store has none.
    pub fn of(reader: &Reader<'_>, store: &Store) -> Result<Self> {
        spi::with_catalogs_as_they_stand(|| Self::read(reader, store))
    }

    fn read(reader: &Reader<'_>, store: &Store) -> Result<Self> {
        let mut recording = Recording::default();
        if store.is_adopted() {
            return Ok(recording);
        }
        let mut statement = Statement::default();
        let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
        let statement = statement.with(filled(FIND, &[("{entries}", &entries)]));
        reader.rows(&statement, |row| {
            let is_history = row.required_text(1)? == "record_history";
            let body = match is_history {
                true => functions::history_body(&row.required_text(8)?, &store.schema),
                false => functions::notify_body(),
            };
            let count = |column| row.integer(column).and_then(|count| usize::try_from(count).ok()).unwrap_or_default();
            let (source, is_of_this_version) = (row.required_text(3)?, row.boolean(4) == Some(true));
            let has_former_name = is_history && source != body && functions::is_history_body_of_another_name(&source);
            let function = Function {
                signature: QualifiedName::read(row, 2)?,
                is_unchanged: is_of_this_version && (source == body || has_former_name),
                has_former_name,
                enabled: count(5),
                tables: count(7),
                channel: row.text(6)?,
            };
            *(if is_history { &mut recording.history } else { &mut recording.notify }) = Some(function);
            Ok(())
        })?;
        recording.table = table(reader, store)?;
        Ok(recording)
    }

    /// The functions.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.history.iter().chain(&self.notify)
    }
}

/// The table `history` of a store, if it has ever had one.
pub fn table(reader: &Reader<'_>, store: &Store) -> Result<Option<Table>> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let statement = statement.with(filled(FIND_TABLE, &[("{entries}", &entries)]));
    let read = || {
        reader.first(&statement, |row| {
            let oid = u32::try_from(row.required_integer(1)?).unwrap_or(0);
            let (forced, forced_on_entries) = (row.boolean(2) == Some(true), row.boolean(4) == Some(true));
            Ok(Table {
                oid,
                is_guarded: row.boolean(3) == Some(true),
                lets_owner_by: forced_on_entries && !forced,
                lets_all_delete: row.boolean(5) == Some(true),
            })
        })
    };
    spi::with_catalogs_as_they_stand(read)
}

/// The statements that give roles which may read or write entries the same privileges on their history, if they lack
/// them.
pub fn missing_grants(reader: &Reader<'_>, store: &Store, table: Table) -> Result<Vec<String>> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let oid = statement.bind(Param::Integer(Some(i64::from(table.oid))));
    let history = store.relation("history").replace('\'', "''");
    let statement = statement.with(filled(
        MISSING_GRANTS,
        &[("{entries}", &entries), ("{table}", &oid), ("{history}", &history), ("{insert}", functions::INSERT)],
    ));
    let mut grants = Vec::new();
    reader.rows(&statement, |row| {
        grants.push(row.required_text(1)?);
        Ok(())
    })?;
    Ok(grants)
}
