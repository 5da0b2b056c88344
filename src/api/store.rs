//! Making and removing stores.

use memory_search_core::Error;
use pgrx::{default, pg_extern, search_path};

use crate::pg::error::{SqlResult, report};
use crate::pg::guc;
use crate::store::{create, drop};

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_create_store(
    store: default!(Option<String>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
    language: default!(Option<String>, "'english'"),
) -> SqlResult<()> {
    let create = || {
        let language = language.ok_or_else(|| Error::null("language"))?;
        create::create_store(&guc::store_or(store)?, dimensions.map(i64::from), &language)
    };
    create().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_drop_store(store: String, force: default!(bool, "false")) -> SqlResult<()> {
    guc::store_or(Some(store)).and_then(|store| drop::drop_store(&store, force)).map_err(report)
}
