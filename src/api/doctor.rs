//! `memory_doctor`: checks of a store, and SQL that repairs what they find.

use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, search_path};

use crate::pg::error::report;
use crate::pg::settings;
use crate::store::doctor;

#[allow(clippy::type_complexity)]
#[pg_extern(parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
fn memory_doctor(
    store: default!(Option<String>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (name!(name, String), name!(status, String), name!(detail, String), name!(fix, Option<String>)),
    >,
    ErrorReport,
> {
    let checks = settings::store_or(store).and_then(|store| doctor::examine(&store)).map_err(report)?;
    let rows: Vec<_> = checks
        .into_iter()
        .map(|check| (check.name.to_owned(), check.status.word().to_owned(), check.detail, check.fix))
        .collect();
    Ok(TableIterator::new(rows))
}
