//! Making and removing stores.

use pgrx::{default, pg_extern, search_path};

use crate::pg::error::{SqlResult, report};
use crate::pg::guc;
use crate::store::{create, drop};

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_create_store(
    store: default!(Option<String>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
    language: default!(&str, "'english'"),
) -> SqlResult<()> {
    create::create_store(&store.unwrap_or_else(guc::store), dimensions.map(i64::from), language).map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_drop_store(store: String, force: default!(bool, "false")) -> SqlResult<()> {
    drop::drop_store(&store, force).map_err(report)
}
