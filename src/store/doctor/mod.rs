//! Health checks of a store, with SQL that repairs the problems they find. The checks only read.

mod check;
mod defaults;
mod foreign_keys;
mod indexes;
mod links;
mod partitions;
mod recall;
mod recording;
mod rows;
mod searches;
mod shards;
mod tables;
mod tables_anew;

use memory_search_core::Result;
use memory_search_core::request::names::StoreName;

use crate::embed::embedder;
use crate::pg::spi::{self, Reader, Writer};
use crate::pg::subtransaction;
use crate::store::definition::{self, lost};
use check::Patient;

pub use check::Check;

/// Examines a store: one row for each check, always the same checks in the same order. A store that lost its entries,
/// or a column without which no search is answered, has only the check for that.
pub fn examine(store_name: &StoreName) -> Result<Vec<Check>> {
    let lost = spi::read(|reader| spi::with_catalogs_as_they_stand(|| lost::find(reader, store_name)))?;
    if let Some(lost) = lost {
        let refusal = lost.refusal(store_name);
        return Ok(vec![Check::error("entries", refusal.message, lost.fix())]);
    }
    let embedder = match subtransaction::attempt(embedder::dimensions) {
        Ok(Ok(dimensions)) => Ok(dimensions),
        Ok(Err(error)) => Err(error.message),
        Err(message) => Err(message),
    };
    let patient = spi::read(|reader| {
        let store = definition::damaged_or_whole(reader, store_name)?;
        let tables = tables::tables_of_entries(reader, &store)?;
        let all_tables = tables::all_tables(reader, &store)?;
        let foreign = tables::foreign(reader, &store)?;
        Ok(Patient { name: store_name.clone(), store, tables, all_tables, foreign, embedder })
    })?;
    if let Some(lacks) = &patient.store.lacks {
        let can_be_added = !lacks.has_other_types && !lacks.is_of_view;
        let fix = can_be_added.then(|| spi::read(|reader| tables_anew::columns(reader, &patient))).transpose()?;
        return Ok(vec![Check::error("columns", format!("{}, so the store cannot be used", lacks.what), fix)]);
    }
    let mut checks = Vec::new();
    let is_bound = spi::read(|reader| tables::is_bound(reader, &patient))?;
    // EXPLAIN counts as writing to SPI, although it is none.
    spi::write(|writer: &mut Writer<'_>| {
        checks.extend(indexes::examine(writer, &patient, is_bound)?);
        checks.extend(links::examine(writer, &patient, is_bound)?);
        Ok(())
    })?;
    spi::read(|reader: &Reader<'_>| {
        checks.push(partitions::examine(reader, &patient)?);
        checks.push(foreign_keys::examine(reader, &patient)?);
        checks.push(defaults::examine(reader, &patient)?);
        checks.extend(tables::examine(reader, &patient)?);
        checks.push(shards::examine(reader, &patient)?);
        checks.extend(recording::examine(reader, &patient)?);
        checks.extend(rows::examine(reader, &patient, is_bound)?);
        Ok(())
    })?;
    spi::write(|writer| {
        checks.push(recall::of_searches(writer, &patient)?);
        checks.push(recall::of_vector_index(writer, &patient)?);
        Ok(())
    })?;
    Ok(checks)
}
