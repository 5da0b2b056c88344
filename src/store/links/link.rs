//! Makes a link, or changes the one that is there.

use memory_search_core::error::shown;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::timestamp::Micros;
use memory_search_core::{Error, ErrorKind, Result};

use super::following::of_one_memory;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::tables_of_links::required;
use crate::store::definition::{self, Store, StoreKind};
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::row_locks::may_lock;

const INSERT: &str = include_str!("insert.sql");
const UPDATE: &str = include_str!("update.sql");

/// The most look-ups of a link that other sessions make and remove meanwhile.
const MOST_LOOKS: usize = 8;

/// A link to make.
#[allow(missing_docs)]
pub struct NewLink {
    pub from_entry: String,
    pub to_entry: String,
    pub kind: String,
    pub weight: f64,
    pub valid_from: Option<Micros>,
    pub valid_until: Option<Micros>,
    /// JSON text.
    pub metadata: Option<String>,
}

/// Makes a link between two entries that are present and that the caller sees (42704), or gives the one of this kind what
/// the new one has; says whether it is new.
pub fn link(store_name: &StoreName, memory_id: &MemoryId, new: &NewLink) -> Result<bool> {
    let (store, links) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        let links = required(reader, &store, store_name, "links")?;
        Ok((store, links))
    })?;
    let [from, to] = [("from_entry", &new.from_entry), ("to_entry", &new.to_entry)]
        .map(|(argument, id)| store.ids.entry.value(id).ok_or_else(|| missing(&store, argument, id, memory_id)));
    let (from, to) = (from?, to?);
    if from == to {
        return Err(Error::invalid(format!("from_entry and to_entry are the same entry, {from}"))
            .hint("A link leads from one entry to another."));
    }
    let filled_with = |template: &str| {
        let mut statement = Statement::default();
        let memory = store.memory(&mut statement, memory_id);
        let [from, to, kind] = [&from, &to, &new.kind].map(|text| statement.bind(Param::text(text.as_str())));
        let weight = statement.bind(Param::Number(new.weight));
        let [valid_from, valid_until] =
            [new.valid_from, new.valid_until].map(|time| statement.bind(Param::Timestamp(time)));
        let metadata = statement.bind(Param::text(new.metadata.as_deref().unwrap_or("{}")));
        statement.with(filled(
            template,
            &[
                ("{links}", &links),
                ("{id_type}", &store.ids.entry.to_string()),
                ("{memory}", &memory),
                ("{from}", &from),
                ("{to}", &to),
                ("{kind}", &kind),
                ("{weight}", &weight),
                ("{valid_from}", &valid_from),
                ("{valid_until}", &valid_until),
                ("{metadata}", &metadata),
            ],
        ))
    };
    let (insert, update) = (filled_with(INSERT), filled_with(UPDATE));
    of_one_memory(&store, || {
        spi::write(|writer| {
            check_ends(writer, &store, memory_id, [("from_entry", &from), ("to_entry", &to)])?;
            for _ in 0..MOST_LOOKS {
                if writer.execute(&update)? > 0 {
                    return Ok(false);
                }
                if writer.execute(&insert)? > 0 {
                    return Ok(true);
                }
            }
            Err(Error::new(ErrorKind::ChangedMeanwhile, "other sessions keep adding and removing this link")
                .hint("Try again, in REPEATABLE READ or SERIALIZABLE in a new transaction."))
        })
    })
}

/// Both ends must be present. They are locked in the order of ids, so that no session removes one meanwhile; that takes
/// the privilege to change entries, without which the foreign key alone sees to it.
fn check_ends(
    writer: &mut Writer<'_>,
    store: &Store,
    memory_id: &MemoryId,
    ends: [(&'static str, &String); 2],
) -> Result<()> {
    let mut statement = Statement::default();
    let mut ids = ends.map(|(_, id)| id.clone()).to_vec();
    ids.sort_unstable();
    let of_memory = store.of_memory(&mut statement, "e", memory_id);
    let ids = statement.bind(Param::Texts(ids));
    let present =
        Rows::entries(store, "e").of_memory(memory_id).and(&mut statement, &visibility::present(at_present()));
    let lock = match store.is_adopted() || !may_lock(&store.relation("entries"))? {
        true => "",
        false => " FOR KEY SHARE",
    };
    let statement = statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text FROM {}{lock}",
        store.columns_wanted("e.entry_id", &ids, &of_memory, &present)
    ));
    let mut found = Vec::new();
    store.looking_up(|| {
        writer.returning(&statement, |row| {
            found.push(row.required_text(1)?);
            Ok(())
        })
    })?;
    match ends.into_iter().find(|(_, id)| !found.contains(id)) {
        Some((argument, id)) => Err(missing(store, argument, id, memory_id)),
        None => Ok(()),
    }
}

fn missing(store: &Store, argument: &str, id: &str, memory_id: &MemoryId) -> Error {
    let (id, memory_id) = (shown(id), shown(memory_id));
    Error::new(
        ErrorKind::UndefinedObject,
        format!("{argument} {id} is no entry of memory \"{memory_id}\" that is present and that you see"),
    )
    .hint(match &store.kind {
        StoreKind::Own => "Add the entry first, by memory_add, or bring it back by memory_restore.".to_owned(),
        StoreKind::Adopted { table, .. } => format!("Write its row to {table} first."),
    })
}
