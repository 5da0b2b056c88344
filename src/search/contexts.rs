//! The contexts of a response: the latest one, and the older ones that fit the query best.

use std::collections::HashSet;

use memory_search_core::Result;
use memory_search_core::output::response::{ContextResponse, rounded};
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::choices::Strategy;
use memory_search_core::rank::ranking::{self, Basis};
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::timestamp::{self, Micros};

use crate::pg::param::Param;
use crate::pg::settings;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;
use crate::search::searched::Searched;
use crate::search::source::{self, FoundBySignals, Wanted};

/// The newest context of the memory; of the user, when one is given.
pub struct Latest {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// When it was made; `None` where an adopted table does not say.
    pub created: Option<Micros>,
}

/// The latest context, and the older ones that are most relevant to the query.
pub fn latest_and_relevant(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    lexemes: &QueryLexemes,
    vector: Option<&[f32]>,
) -> Result<(Option<Latest>, Vec<ContextResponse>)> {
    let wanted = if scope.plan.top_kc == 0 { 1 } else { 2 };
    match newest_of_memory(reader, scope, wanted)? {
        Some(Newest { latest, scope, count }) => {
            // Most small memories have one context: then there is nothing to look for.
            let relevant = if count > 1 { relevant(reader, &scope, lexemes, vector, &latest)? } else { Vec::new() };
            Ok((Some(latest), relevant))
        }
        None => Ok((None, Vec::new())),
    }
}

/// The latest context.
pub fn latest(reader: &Reader<'_>, scope: &Scope<'_>) -> Result<Option<Latest>> {
    Ok(newest_of_memory(reader, scope, 1)?.map(|newest| newest.latest))
}

/// The newest contexts that a memory has.
struct Newest<'a> {
    latest: Latest,
    /// Where they were found: among the contexts of the store or, where the memory never had any, among those that
    /// stand on its entries.
    scope: Scope<'a>,
    /// How many there are, as far as they were looked for.
    count: usize,
}

/// Looks for the `wanted` newest contexts.
fn newest_of_memory<'a>(reader: &Reader<'_>, scope: &Scope<'a>, wanted: usize) -> Result<Option<Newest<'a>>> {
    let mut statement = Statement::default();
    let visible = scope.visible_contexts(&mut statement);
    if let Some((latest, count)) = newest(reader, scope, statement, &visible, wanted)? {
        return Ok(Some(Newest { latest, scope: scope.with_plan(scope.plan), count }));
    }
    // Contexts that were deleted, or are not yet there as of then, must not come back from the entries.
    let mut statement = Statement::default();
    let of_memory = scope.of_memory(&mut statement, "c");
    let never_any = format!("(SELECT NOT EXISTS (SELECT FROM {} c WHERE {of_memory}))", scope.contexts);
    let scope = scope.with_contexts_of_entries();
    let visible = scope.visible_contexts(&mut statement);
    let found = newest(reader, &scope, statement, &format!("{visible} AND {never_any}"), wanted)?;
    Ok(found.map(|(latest, count)| Newest { latest, scope, count }))
}

/// The newest of the contexts that meet a condition, and how many of the `wanted` there are.
fn newest(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    statement: Statement,
    condition: &str,
    wanted: usize,
) -> Result<Option<(Latest, usize)>> {
    let statement = statement.with(format!(
        "SELECT c.context_id::pg_catalog.text, c.context::pg_catalog.text, c.creation_time::pg_catalog.timestamptz \
         FROM {} c WHERE {condition} \
         ORDER BY c.creation_time {}, c.context_id LIMIT {wanted}",
        scope.contexts,
        scope.store.newest_first()
    ));
    let (mut latest, mut count) = (None, 0);
    settings::with_index_order(|| {
        reader.scan(&statement, |row| {
            if latest.is_none() {
                latest = Some(Latest {
                    // Null where it stands on an entry of an adopted table that has no id.
                    id: row.text(1)?.unwrap_or_default(),
                    text: row.text(2)?.unwrap_or_default(),
                    created: row.timestamp(3),
                });
            }
            count += 1;
            Ok(())
        })
    })?;
    Ok(latest.map(|latest| (latest, count)))
}

/// The `top_kc` contexts, older than the latest one, that are most relevant to the query.
fn relevant(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    lexemes: &QueryLexemes,
    vector: Option<&[f32]>,
    latest: &Latest,
) -> Result<Vec<ContextResponse>> {
    if vector.is_none() && lexemes.is_empty() {
        return newest_older(reader, scope, latest);
    }
    let mut scored = best_by_signals(reader, scope, lexemes, vector, latest)?;
    let top_kc = scope.plan.top_kc;
    // The same text says the same, however often it was put down: then more are read than are wanted.
    let (mut found, mut seen) = (Vec::new(), HashSet::from([latest.text.clone()]));
    let mut read_at_once = 2 * top_kc;
    while found.len() < top_kc && !scored.is_empty() {
        let rest = scored.split_off(scored.len().min(read_at_once));
        let read = texts(reader, scope, std::mem::replace(&mut scored, rest))?;
        found.extend(read.into_iter().filter(|context| seen.insert(context.context.clone())));
        read_at_once = read_at_once.saturating_mul(8);
    }
    found.truncate(top_kc);
    Ok(found)
}

/// The contexts by relevance, with it.
fn best_by_signals(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    lexemes: &QueryLexemes,
    vector: Option<&[f32]>,
    latest: &Latest,
) -> Result<Vec<(Candidate, f64)>> {
    // One more than wanted: the latest may be among the best.
    let wanted = scope.plan.candidates.max(scope.plan.top_kc + 1);
    let FoundBySignals { mut candidates, words } = source::candidates(
        reader,
        scope,
        &Wanted { searched: Searched::Contexts, vector, lexemes: Some(lexemes), limit: wanted },
    )?;
    candidates.retain(|candidate| candidate.id != latest.id);
    let strategy = if vector.is_some() { Strategy::Hybrid } else { Strategy::Keyword };
    let basis = Basis { now: scope.now, words, ..Basis::default() };
    let winners = ranking::rank(&scope.plan.context_ranking, strategy, &basis, candidates).ranked;
    Ok(winners.into_iter().map(|winner| (winner.candidate, winner.fused.relevance)).collect())
}

/// The newest contexts before the latest, each text once, for a query that asks for nothing. Their scores fall as those
/// of the most recent entries do: from 1 in equal steps.
fn newest_older(reader: &Reader<'_>, scope: &Scope<'_>, latest: &Latest) -> Result<Vec<ContextResponse>> {
    let top_kc = scope.plan.top_kc;
    // Few at first: their texts are read whole.
    let mut limit = 2 * (top_kc + 1);
    loop {
        let mut statement = Statement::default();
        let visible = scope.visible_contexts(&mut statement);
        let latest_id = statement.bind(Param::text(latest.id.as_str()));
        let rows = statement.bind(Param::Integer(Some(limit as i64)));
        let statement = statement.with(format!(
            "SELECT c.context_id::pg_catalog.text, c.context::pg_catalog.text, c.creation_time::pg_catalog.timestamptz \
             FROM {} c WHERE {visible} AND c.context_id::pg_catalog.text OPERATOR(pg_catalog.<>) {latest_id} \
             ORDER BY c.creation_time {}, c.context_id LIMIT {rows}",
            scope.contexts,
            scope.store.newest_first()
        ));
        let (mut found, mut seen, mut read) = (Vec::new(), HashSet::from([latest.text.clone()]), 0);
        settings::with_index_order(|| {
            reader.scan(&statement, |row| {
                read += 1;
                let text = row.text(2)?.unwrap_or_default();
                if found.len() < top_kc && seen.insert(text.clone()) {
                    found.push((row.required_text(1)?, text, row.timestamp(3)));
                }
                Ok(())
            })
        })?;
        // The same text may have been put down often: then there are more to look at.
        if found.len() == top_kc || read < limit {
            let steps = found.len().max(1) as f64;
            let places = found.into_iter().enumerate();
            return Ok(places
                .map(|(rank, (context_id, context, created))| ContextResponse {
                    context_id,
                    context,
                    creation_time: created.map(timestamp::format),
                    score: rounded(1.0 - rank as f64 / steps),
                })
                .collect());
        }
        limit = limit.saturating_mul(8);
    }
}

fn texts(reader: &Reader<'_>, scope: &Scope<'_>, winners: Vec<(Candidate, f64)>) -> Result<Vec<ContextResponse>> {
    if winners.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = Statement::default();
    let of_memory = scope.of_memory(&mut statement, "c");
    let ids = statement.bind(Param::Texts(winners.iter().map(|(winner, _)| winner.id.clone()).collect()));
    let statement = statement.with(format!(
        "SELECT c.context_id::pg_catalog.text, c.context::pg_catalog.text, c.creation_time::pg_catalog.timestamptz \
         FROM {} c WHERE {of_memory} AND {}",
        scope.contexts,
        scope.context_is_among(&ids)
    ));
    let mut texts = std::collections::HashMap::new();
    scope.store.looking_up(|| {
        reader.scan(&statement, |row| {
            texts.insert(row.required_text(1)?, (row.text(2)?.unwrap_or_default(), row.timestamp(3)));
            Ok(())
        })
    })?;
    Ok(winners
        .into_iter()
        .filter_map(|(winner, relevance)| {
            texts.remove(&winner.id).map(|(context, created)| ContextResponse {
                context_id: winner.id,
                context,
                creation_time: created.map(timestamp::format),
                score: rounded(relevance),
            })
        })
        .collect())
}
