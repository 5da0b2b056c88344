//! Making, adopting and removing stores.

use memory_search_core::request::arguments::required;
use pgrx::{default, pg_extern, search_path};

use crate::pg::datum::json::JsonbText;
use crate::pg::datum::relation::RegClass;
use crate::pg::error::{SqlResult, report};
use crate::pg::settings;
use crate::store::adopted::adopt;
use crate::store::adopted::import_table::{self, Target};
use crate::store::schema::{create, distribute, drop};

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_create_store(
    store: default!(Option<String>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
    language: default!(Option<String>, "'english'"),
    partitions: default!(Option<i32>, "NULL"),
) -> SqlResult<()> {
    let create = || {
        let language = required("language", language)?;
        let (dimensions, partitions) = (dimensions.map(i64::from), partitions.map(i64::from));
        create::create_store(&settings::store_or(store)?, dimensions, &language, partitions)
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
    with_index: default!(Option<bool>, "true"),
) -> SqlResult<()> {
    let adopt = || {
        let RegClass(relation) = required("entries", entries)?;
        let JsonbText(columns) = required("columns", columns)?;
        let language = required("language", language)?;
        let store = required("store", store)?;
        let with_index = required("with_index", with_index)?;
        adopt::adopt_table(&settings::store_or(Some(store))?, relation, &columns, &language, with_index)
    };
    adopt().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_import_table(
    store: Option<String>,
    entries: Option<RegClass>,
    columns: Option<JsonbText>,
    language: default!(Option<String>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
) -> SqlResult<JsonbText> {
    let import = || {
        let RegClass(relation) = required("entries", entries)?;
        let JsonbText(columns) = required("columns", columns)?;
        let store = required("store", store)?;
        let target = Target { language, dimensions: dimensions.map(i64::from) };
        import_table::import_table(&settings::store_or(Some(store))?, relation, &columns, &target)
    };
    let outcome = import().map_err(report)?;
    let skipped: Vec<serde_json::Value> =
        outcome.skipped.iter().map(|(reason, rows)| serde_json::json!({"reason": reason, "rows": rows})).collect();
    let (added, changed, unchanged) = (outcome.added, outcome.changed, outcome.unchanged);
    let counts = serde_json::json!({"added": added, "changed": changed, "unchanged": unchanged, "skipped": skipped});
    Ok(JsonbText(counts.to_string()))
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_distribute_store(
    store: Option<String>,
    shard_count: default!(Option<i32>, "NULL"),
    delegate: default!(Option<bool>, "false"),
) -> SqlResult<()> {
    let distribute = || {
        let store = required("store", store)?;
        distribute::distribute_store(
            &settings::store_or(Some(store))?,
            shard_count.map(i64::from),
            required("delegate", delegate)?,
        )
    };
    distribute().map_err(report)
}

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_drop_store(store: Option<String>, force: default!(Option<bool>, "false")) -> SqlResult<()> {
    let drop = || {
        let store = required("store", store)?;
        let force = required("force", force)?;
        drop::drop_store(&settings::store_or(Some(store))?, force)
    };
    drop().map_err(report)
}
