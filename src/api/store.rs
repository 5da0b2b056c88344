//! Making, adopting and removing stores.

use memory_search_core::Error;
use pgrx::{default, pg_extern, search_path};

use crate::pg::datum::json::JsonbText;
use crate::pg::datum::relation::RegClass;
use crate::pg::error::{SqlResult, report};
use crate::pg::settings;
use crate::store::{adopt, create, drop};

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_create_store(
    store: default!(Option<String>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
    language: default!(Option<String>, "'english'"),
) -> SqlResult<()> {
    let create = || {
        let language = language.ok_or_else(|| Error::null("language"))?;
        create::create_store(&settings::store_or(store)?, dimensions.map(i64::from), &language)
    };
    create().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_adopt_table(
    store: Option<String>,
    entries: Option<RegClass>,
    columns: Option<JsonbText>,
    language: default!(Option<String>, "'english'"),
) -> SqlResult<()> {
    let adopt = || {
        let RegClass(relation) = entries.ok_or_else(|| Error::null("entries"))?;
        let JsonbText(columns) = columns.ok_or_else(|| Error::null("columns"))?;
        let language = language.ok_or_else(|| Error::null("language"))?;
        let store = store.ok_or_else(|| Error::null("store"))?;
        adopt::adopt_table(&settings::store_or(Some(store))?, relation, &columns, &language)
    };
    adopt().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_drop_store(store: String, force: default!(bool, "false")) -> SqlResult<()> {
    settings::store_or(Some(store)).and_then(|store| drop::drop_store(&store, force)).map_err(report)
}
