//! Access to a store: `memory_grant` and `memory_enable_row_security`.

use memory_search_core::request::arguments::required;
use pgrx::{default, pg_extern, search_path};

use crate::pg::error::{SqlResult, report};
use crate::pg::settings;
use crate::store::rights::{grant, row_security};

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_grant(
    store: Option<String>,
    role: Option<String>,
    privileges: default!(Option<String>, "'reader'"),
) -> SqlResult<()> {
    let grant = || {
        let role = required("role", role)?;
        let privileges = required("privileges", privileges)?;
        grant::grant(&settings::store_or(store)?, &role, &privileges)
    };
    grant().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_enable_row_security(
    store: default!(Option<String>, "NULL"),
    setting: default!(Option<String>, "'memory_search.user_id'"),
) -> SqlResult<()> {
    let enable = || {
        let setting = required("setting", setting)?;
        row_security::enable(&settings::store_or(store)?, &setting)
    };
    enable().map_err(report)
}
