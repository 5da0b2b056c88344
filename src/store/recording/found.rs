//! What a store has of history and notifications, read from the catalogs.

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
    /// Whether its policies hold.
    pub is_guarded: bool,
    /// Whether those of entries bind their owner, and those of the history do not.
    pub lets_owner_by: bool,
}

/// A trigger function of a store.
#[derive(Debug, Clone)]
pub struct Function {
    /// With its schema, as DROP takes it.
    pub signature: QualifiedName,
    /// Whether it is what this version makes.
    pub is_unchanged: bool,
    /// Whether it is that of a store that was called otherwise: a schema that was renamed.
    pub has_former_name: bool,
    /// How many triggers that are enabled call it.
    pub enabled: usize,
    /// How many tables have to have some: entries, and each of their partitions.
    pub tables: usize,
    /// The argument of its triggers.
    pub channel: Option<String>,
}

/// What a store has.
#[derive(Debug, Default)]
pub struct Recording {
    /// Its table, also where nothing is written to it any more.
    pub table: Option<Table>,
    /// What writes it.
    pub history: Option<Function>,
    /// What notifies.
    pub notify: Option<Function>,
}

impl Recording {
    /// That of a store, as it stands now, whatever snapshot the transaction has. An adopted one has none.
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

/// The table `history` of a store, if it ever had one.
pub fn table(reader: &Reader<'_>, store: &Store) -> Result<Option<Table>> {
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let statement = statement.with(filled(FIND_TABLE, &[("{entries}", &entries)]));
    let read = || {
        reader.first(&statement, |row| {
            let oid = u32::try_from(row.required_integer(1)?).unwrap_or(0);
            let (forced, forced_on_entries) = (row.boolean(2) == Some(true), row.boolean(4) == Some(true));
            Ok(Table { oid, is_guarded: row.boolean(3) == Some(true), lets_owner_by: forced_on_entries && !forced })
        })
    };
    spi::with_catalogs_as_they_stand(read)
}

/// The statements that give those who may read or write entries the same of their history, where they lack it.
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
