//! `memory_index_check`: proves a memory index, and compares it with its table.

use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{name, pg_extern, search_path};

use crate::index;
use crate::pg::datum::relation::RegClass;
use crate::pg::error::report;

#[pg_extern(parallel_unsafe, strict)]
#[search_path(pg_catalog, pg_temp)]
fn memory_index_check(
    index: RegClass,
) -> Result<TableIterator<'static, (name!(name, String), name!(value, i64))>, ErrorReport> {
    let facts = index::prove(index.0).map_err(report)?;
    Ok(TableIterator::new(facts.into_iter().map(|(name, value)| (name.to_owned(), value as i64)).collect::<Vec<_>>()))
}
