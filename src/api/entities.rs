//! Entities: the people, places and things that a memory is about, and counts of its entries by their values.

use memory_search_core::bounds_and_defaults;
use memory_search_core::entities::aliases::Aliases;
use memory_search_core::entities::facets::{Facet, MOST_VALUES};
use memory_search_core::output::prompt;
use memory_search_core::rank::ranking::newer_first;
use memory_search_core::request::arguments::{self, required};
use memory_search_core::request::search_request::{Purpose, SearchRequest};
use memory_search_core::request::searched_memories::AskedMemories;
use memory_search_core::request::shown_entries::ShownEntries;
use memory_search_core::text::entity_key::{self, entity_key};
use memory_search_core::{Error, Result};
use pgrx::datum::TimestampWithTimeZone;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern, search_path};

use crate::api::arguments::request;
use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::datum::json::JsonbText;
use crate::pg::datum::timestamp::from_micros;
use crate::pg::error::report;
use crate::pg::replay;
use crate::pg::settings;
use crate::search::{facets, pipeline};
use crate::store::reading::entities;

// pgrx accepts only literals as defaults.
const _: () =
    assert!(bounds_and_defaults::DEFAULT_PAGE_SIZE == 100 && bounds_and_defaults::DEFAULT_TOKEN_BUDGET == 8000);

/// The keys by which names are compared, without keys for texts that are no names. The function reads no table, so that
/// an index may use it.
#[pg_extern(immutable, parallel_safe, strict)]
#[search_path(pg_catalog, pg_temp)]
fn memory_entity_keys(names: Vec<Option<String>>) -> Vec<String> {
    names.iter().flatten().filter_map(|name| entity_key(name)).map(|key| key.into_owned()).collect()
}

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_entities(
    memory_id: Option<String>,
    prefix: default!(Option<String>, "NULL"),
    max_rows: default!(Option<i32>, "100"),
    store: default!(Option<String>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(entity, String),
            name!(aliases, Vec<String>),
            name!(entries, i64),
            name!(first_seen, Option<TimestampWithTimeZone>),
            name!(last_seen, Option<TimestampWithTimeZone>),
            name!(occurs_with, Vec<String>),
        ),
    >,
    ErrorReport,
> {
    let find = || {
        let memory_id = arguments::memory_id(memory_id)?;
        let shown = options.map(|JsonbText(text)| ShownEntries::parse_counted(&text)).transpose()?.unwrap_or_default();
        let most = most_rows("max_rows", max_rows, MOST_VALUES)?;
        entities::entities(&settings::store_or(store)?, &memory_id, prefix.as_deref(), most, &shown)
    };
    let found = replay::awaited(find).map_err(report)?;
    Ok(TableIterator::new(found.into_iter().map(|entity| {
        (
            entity.name,
            entity.aliases,
            entity.entries,
            entity.first_seen.map(from_micros),
            entity.last_seen.map(from_micros),
            entity.occurs_with,
        )
    })))
}

#[allow(clippy::type_complexity)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_about(
    memory_id: Option<String>,
    entity: Option<String>,
    token_budget: default!(Option<i32>, "8000"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(entry_id, String),
            name!(summary, Option<String>),
            name!(raw_entry, String),
            name!(entities, Vec<Option<String>>),
            name!(creation_time, Option<TimestampWithTimeZone>),
            name!(tokens, i32),
        ),
    >,
    ErrorReport,
> {
    let about = || {
        let entity = required("entity", entity)?;
        let mut budget = arguments::token_budget(token_budget.map(i64::from))?;
        let request = SearchRequest {
            purpose: Purpose::Rows,
            newest_without_query: true,
            ..request(
                AskedMemories::One(memory_id),
                Some(String::new()),
                Some(settings::bounds().highest_top_ke as i32),
                None,
                None,
                Some(JsonbText(about_filters(&entity, filters)?)),
                options,
                store,
            )
        };
        let mut rows = Vec::new();
        let mut all = pipeline::search_entries(request)?;
        // With mmr they come in another order.
        all.sort_by(|a, b| newer_first(&a.ranked.candidate, &b.ranked.candidate));
        // The newest entries that fit into the budget; they are returned with the oldest first.
        for found in all {
            let entry = found.entry;
            let tokens = prompt::tokens(entry.summary.as_deref().unwrap_or(&entry.raw_entry));
            let Some(rest) = budget.checked_sub(tokens) else { break };
            budget = rest;
            let names = entry.entities.map(|names| serde_json::from_str(names.get()).unwrap_or_default());
            rows.push((
                entry.entry_id,
                entry.summary,
                entry.raw_entry,
                names.unwrap_or_default(),
                found.created.map(from_micros),
                i32::try_from(tokens).unwrap_or(i32::MAX),
            ));
        }
        rows.reverse();
        Ok(rows)
    };
    Ok(TableIterator::new(about().map_err(report)?))
}

/// Filters for entries that are about an entity and pass the caller's filters.
fn about_filters(entity: &str, filters: Option<JsonbText>) -> Result<String> {
    entity_key::required("entity", entity)?;
    let about = serde_json::json!({ "entities": [entity] }).to_string();
    let Some(JsonbText(given)) = filters else { return Ok(about) };
    Ok(match serde_json::from_str(&given) {
        // The condition joins the caller's object, so that a refusal names the caller's keys as they were written.
        Ok(serde_json::Value::Object(keys)) if keys.is_empty() => about,
        Ok(serde_json::Value::Object(keys)) if !keys.contains_key("entities") => {
            format!("{},{}", about.trim_end_matches('}'), given.trim_start().trim_start_matches('{'))
        }
        Ok(serde_json::Value::Object(_)) => format!("{{\"$and\": [{about}, {given}]}}"),
        _ => given,
    })
}

#[allow(clippy::too_many_arguments)]
#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
fn memory_facets(
    memory_id: Option<String>,
    query: default!(Option<String>, "NULL"),
    by: default!(Option<Vec<Option<String>>>, "'{tags}'"),
    k: default!(Option<i32>, "100"),
    embedding: default!(Option<MemoryEmbedding>, "NULL"),
    filters: default!(Option<JsonbText>, "NULL"),
    options: default!(Option<JsonbText>, "NULL"),
    store: default!(Option<String>, "NULL"),
    max_values: default!(Option<i32>, "20"),
) -> std::result::Result<
    TableIterator<'static, (name!(facet, String), name!(value, String), name!(entries, i64))>,
    ErrorReport,
> {
    let count = || {
        let by = Facet::parse(required("by", by)?)?;
        let most_values = most_rows("max_values", max_values, MOST_VALUES)?;
        let memory_id = arguments::memory_id(memory_id)?;
        if query.as_deref().unwrap_or_default().is_empty() && embedding.is_none() && options.is_none() {
            most_rows("k", k, settings::bounds().highest_top_ke as usize)?;
            let filters = filters.map(|JsonbText(text)| text);
            let store = settings::store_or(store)?;
            return replay::awaited(|| entities::facets(&store, &memory_id, &by, filters.as_deref(), most_values));
        }
        let asked = AskedMemories::One(Some(memory_id.to_string()));
        let request = SearchRequest {
            purpose: Purpose::Rows,
            top_ke_name: Some("k"),
            newest_without_query: true,
            ..request(asked, Some(query.unwrap_or_default()), k, None, embedding, filters, options, store)
        };
        let aliases = match by.iter().any(|(_, facet)| *facet == Facet::Entities) {
            true => {
                let store = settings::store_or(request.store.clone())?;
                replay::awaited(|| entities::aliases(&store, &memory_id))?
            }
            false => Aliases::default(),
        };
        facets::of_found(request, &aliases, &by, most_values)
    };
    let counts = count().map_err(report)?;
    Ok(TableIterator::new(counts.into_iter().map(|count| (count.facet, count.value, count.entries))))
}

/// An argument that bounds the number of rows in an answer.
fn most_rows(name: &str, given: Option<i32>, most: usize) -> Result<usize> {
    let given = required(name, given)?;
    usize::try_from(given).ok().filter(|rows| (1..=most).contains(rows)).ok_or_else(|| {
        Error::invalid(format!("{name} must be from 1 to {most}, not {given}"))
            .hint("Filter the entries that are counted, or ask for fewer rows.")
    })
}
