//! The memory index of an adopted table: made with the store, so that searches are fast from the first one.

use memory_search_core::Result;
use memory_search_core::request::names::StoreName;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement, Writer};
use crate::pg::{notice, subtransaction};
use crate::store::definition::adopted_index::OverAdopted;
use crate::store::definition::{self, AdoptedRows, Store};

/// The step to take for the index.
enum Step {
    /// An index that searches can use exists.
    Nothing,
    /// The statement that makes it.
    Make(String),
    /// There will be no index: the reason, and the remedy.
    Say(String),
}

/// Makes the index on the table behind a store, if the table can have one and the caller owns it. Reports this, or why
/// there is none.
pub fn make(writer: &mut Writer<'_>, name: &StoreName, table: &QualifiedName) -> Result<()> {
    let step = spi::read_newest(|reader| {
        let store = definition::store(reader, name)?;
        step(reader, &store, table)
    })?;
    match step {
        Step::Nothing => Ok(()),
        Step::Make(statement) => {
            // The server may refuse the index for its own reasons, for example because of columns that are computed
            // when they are read.
            if let Err(why) = subtransaction::attempt(|| writer.define(&statement)) {
                return say(table, &why);
            }
            notice::inform(&format!(
                "{table} has a memory index now. memory_adopt_table(..., with_index => false) makes none, and memory_doctor() \
                 has the statement that makes it without blocking writers"
            ));
            Ok(())
        }
        Step::Say(why) => say(table, &why),
    }
}

fn say(table: &QualifiedName, why: &str) -> Result<()> {
    notice::inform(&format!("searches read the rows of {table} without a memory index: {why}"));
    Ok(())
}

fn step(reader: &Reader<'_>, store: &Store, table: &QualifiedName) -> Result<Step> {
    let Some(rows) = store.adopted_rows() else {
        return Ok(Step::Say(AdoptedRows::why_none(store.read_from.entries).to_owned()));
    };
    let columns = match OverAdopted::of(rows, store) {
        Ok(columns) => columns,
        Err(cannot) => {
            return Ok(Step::Say(format!("no index of it holds {}: {}", cannot.column, cannot.reason)));
        }
    };
    if store.memory_index.as_ref().is_some_and(|index| columns.is_held_by(index)) {
        return Ok(Step::Nothing);
    }
    let statement = format!("CREATE INDEX ON {table} USING memory_search {}", columns.sql());
    if !owns(reader, store.read_from.source)? {
        return Ok(Step::Say(format!("you do not own it; its owner makes an index by {statement};")));
    }
    Ok(Step::Make(statement))
}

fn owns(reader: &Reader<'_>, table: u32) -> Result<bool> {
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(table))));
    let statement = statement.with(format!(
        "SELECT pg_catalog.pg_has_role(c.relowner, 'USAGE') FROM pg_catalog.pg_class c \
          WHERE c.oid OPERATOR(pg_catalog.=) {oid}::pg_catalog.oid"
    ));
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}
