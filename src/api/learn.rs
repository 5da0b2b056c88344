//! `memory_learn`: the weights of a ranking that suit judgements of searches.

use memory_search_core::Result;
use memory_search_core::request::arguments::required;
use memory_search_core::request::judgements;
use pgrx::{default, pg_extern, search_path};

use crate::pg::datum::json::JsonbText;
use crate::pg::error::{SqlResult, report};
use crate::pg::settings;
use crate::search::learning;
use crate::store::schema::ranking;

#[pg_extern]
#[search_path(pg_catalog, pg_temp)]
fn memory_learn(
    judgements: Option<JsonbText>,
    store: default!(Option<String>, "NULL"),
    apply: default!(Option<bool>, "false"),
) -> SqlResult<JsonbText> {
    let learn = || -> Result<String> {
        let JsonbText(judgements) = required("judgements", judgements)?;
        let apply = required("apply", apply)?;
        let judgements = judgements::parse(&judgements)?;
        let name = settings::store_or(store)?;
        let store = ranking::store_to_learn(&name, apply)?;
        let learned = learning::learn(&name, &store, judgements)?;
        if apply {
            ranking::apply(&name, &store, &learned)?;
        }
        Ok(ranking::report(&store, &learned, apply))
    };
    learn().map(JsonbText).map_err(report)
}
