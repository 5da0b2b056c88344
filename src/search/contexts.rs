//! The contexts of a response: the latest one, and the older ones that match the query best.

use std::cmp::Reverse;
use std::collections::HashSet;

use memory_search_core::Result;
use memory_search_core::output::response::{ContextResponse, rounded};
use memory_search_core::rank::by_entry::{ByEntry, by_memory};
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::choices::Strategy;
use memory_search_core::rank::ranking::{self, Basis};
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::timestamp::{self, Micros};

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::in_place;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::searched::Searched;
use crate::search::source::{self, FoundBySignals, Wanted};

/// The newest context of the memories; only those of a user, if one is given.
pub struct Latest {
    /// Its id.
    pub id: String,
    /// The number of its memory.
    memory: u32,
    /// Its text.
    pub text: String,
    /// The time when it was made; `None` if an adopted table has none.
    pub created: Option<Micros>,
}

/// The latest context, and the older ones that are most relevant to the query.
pub fn latest_and_relevant(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    lexemes: &QueryLexemes,
    vector: Option<&[f32]>,
) -> Result<(Option<Latest>, Vec<ContextResponse>)> {
    let wanted = if scopes.plan.top_kc == 0 { 1 } else { 2 };
    match newest_of_all(reader, scopes, wanted)? {
        Some(AllNewest { latest, scopes, count }) => {
            // Most small memories have one context: then there is nothing to search.
            let relevant = if count > 1 { relevant(reader, &scopes, lexemes, vector, &latest)? } else { Vec::new() };
            Ok((Some(latest), relevant))
        }
        None => Ok((None, Vec::new())),
    }
}

/// The latest context.
pub fn latest(reader: &Reader<'_>, scopes: &Scopes<'_>) -> Result<Option<Latest>> {
    Ok(newest_of_all(reader, scopes, 1)?.map(|newest| newest.latest))
}

/// The newest contexts of a memory.
struct Newest<'a> {
    latest: Latest,
    /// The place where they were found: among the contexts of the store or, if the memory has none, among those in its
    /// entries.
    scope: Scope<'a>,
    /// Their number, counted up to the wanted one.
    count: usize,
}

/// The newest contexts of several memories.
struct AllNewest<'a> {
    latest: Latest,
    /// The memories that have contexts. The number of the latest one's memory is its position among these.
    scopes: Scopes<'a>,
    count: usize,
}

fn newest_of_all<'a>(reader: &Reader<'_>, scopes: &Scopes<'a>, wanted: usize) -> Result<Option<AllNewest<'a>>> {
    let (mut all, mut memories, mut count) = (Vec::new(), Vec::new(), 0);
    for scope in &scopes.memories {
        if let Some(newest) = newest_of_memory(reader, scope, wanted)? {
            all.push(Latest { memory: memories.len() as u32, ..newest.latest });
            memories.push(newest.scope);
            count += newest.count;
        }
    }
    let latest = all.into_iter().min_by(|a, b| {
        Reverse(a.created).cmp(&Reverse(b.created)).then_with(|| a.id.cmp(&b.id)).then_with(|| a.memory.cmp(&b.memory))
    });
    Ok(latest.map(|latest| AllNewest { latest, scopes: scopes.over(memories), count }))
}

/// Looks for the `wanted` newest contexts of a memory: in the table, then in its entries.
fn newest_of_memory<'a>(reader: &Reader<'_>, scope: &Scope<'a>, wanted: usize) -> Result<Option<Newest<'a>>> {
    if let Some(found) = in_place::contexts::newest(scope, wanted)? {
        return Ok(found.latest.map(|latest| Newest {
            latest: Latest { id: latest.id.to_text(), memory: 0, text: latest.text, created: latest.created },
            scope: *scope,
            count: found.count,
        }));
    }
    let mut statement = Statement::default();
    let visible = scope.visible_contexts(&mut statement);
    if let Some((latest, count)) = newest(reader, scope, statement, &visible, wanted)? {
        return Ok(Some(Newest { latest, scope: *scope, count }));
    }
    // Contexts that do not exist yet at that time must not be found again in the entries.
    let mut statement = Statement::default();
    let undeleted = scope.undeleted_contexts(&mut statement);
    let statement = statement.with(format!("SELECT EXISTS (SELECT FROM {} c WHERE {undeleted})", scope.contexts()));
    if scope.store.in_index_order(|| reader.only(&statement, |row| Ok(row.boolean(1))))? == Some(true) {
        return Ok(None);
    }
    let scope = scope.with_contexts_of_entries();
    let mut statement = Statement::default();
    let visible = scope.visible_contexts(&mut statement);
    let found = newest(reader, &scope, statement, &visible, wanted)?;
    Ok(found.map(|(latest, count)| Newest { latest, scope, count }))
}

/// The newest of the contexts that meet a condition, and how many of the `wanted` exist.
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
        scope.contexts(),
        scope.store.newest_first()
    ));
    let (mut latest, mut count) = (None, 0);
    scope.store.in_index_order(|| {
        reader.scan(&statement, |row| {
            if latest.is_none() {
                latest = Some(Latest {
                    // Null if it is in an entry of an adopted table that has no id.
                    id: row.text(1)?.unwrap_or_default(),
                    memory: 0,
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
    scopes: &Scopes<'_>,
    lexemes: &QueryLexemes,
    vector: Option<&[f32]>,
    latest: &Latest,
) -> Result<Vec<ContextResponse>> {
    if vector.is_none() && lexemes.is_empty() {
        return newest_older(reader, scopes, latest);
    }
    let mut scored = best_by_signals(reader, scopes, lexemes, vector, latest)?;
    let top_kc = scopes.plan.top_kc;
    // A text counts once, however often it was stored: so more rows are read than are wanted.
    let (mut found, mut seen) = (Vec::new(), HashSet::from([latest.text.clone()]));
    let mut read_at_once = 2 * top_kc;
    while found.len() < top_kc && !scored.is_empty() {
        let rest = scored.split_off(scored.len().min(read_at_once));
        let read = with_texts(reader, scopes, std::mem::replace(&mut scored, rest))?;
        found.extend(read.into_iter().filter(|context| seen.insert(context.context.clone())));
        read_at_once = read_at_once.saturating_mul(8);
    }
    found.truncate(top_kc);
    Ok(found)
}

/// The contexts by relevance, including the latest one.
fn best_by_signals(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    lexemes: &QueryLexemes,
    vector: Option<&[f32]>,
    latest: &Latest,
) -> Result<Vec<(Candidate, f64)>> {
    // One more than wanted, because the latest may be among the best.
    let wanted = scopes.plan.candidates.max(scopes.plan.top_kc + 1);
    let FoundBySignals { mut candidates, words, .. } = source::candidates(
        reader,
        scopes,
        &Wanted {
            searched: Searched::Contexts,
            vector,
            lexemes: Some(lexemes),
            typos: None,
            limit: wanted,
            look_further: None,
        },
    )?;
    candidates.retain(|candidate| candidate.id != latest.id || candidate.memory != latest.memory);
    let strategy = if vector.is_some() { Strategy::Hybrid } else { Strategy::Keyword };
    let basis = Basis { now: scopes.ages_at, words, ..Basis::default() };
    let winners = ranking::rank(&scopes.plan.context_ranking, strategy, &basis, candidates).ranked;
    Ok(winners.into_iter().map(|winner| (winner.candidate, winner.fused.relevance)).collect())
}

/// A stored context.
struct Stored {
    id: String,
    memory: u32,
    text: String,
    created: Option<Micros>,
}

impl Stored {
    fn response(self, scopes: &Scopes<'_>, score: f64) -> ContextResponse {
        ContextResponse {
            context_id: self.id,
            memory_id: scopes.memory(self.memory).memory_id.to_string(),
            context: self.text,
            creation_time: self.created.map(timestamp::format),
            score: rounded(score),
        }
    }
}

/// The newest contexts before the latest, each text once, for a query without words or a vector. Their scores decrease
/// like the scores of the most recent entries: from 1 in equal steps.
fn newest_older(reader: &Reader<'_>, scopes: &Scopes<'_>, latest: &Latest) -> Result<Vec<ContextResponse>> {
    let mut found = Vec::new();
    for (memory, scope) in scopes.numbered() {
        found.append(&mut newest_older_of_memory(reader, scope, memory, latest)?);
    }
    if scopes.memories.len() > 1 {
        found.sort_by(|a, b| {
            let by_time = Reverse(a.created).cmp(&Reverse(b.created));
            by_time.then_with(|| a.id.cmp(&b.id)).then_with(|| a.memory.cmp(&b.memory))
        });
        let mut seen = HashSet::new();
        found.retain(|context| seen.insert(context.text.clone()));
        found.truncate(scopes.plan.top_kc);
    }
    let steps = found.len().max(1) as f64;
    let places = found.into_iter().enumerate();
    Ok(places.map(|(rank, context)| context.response(scopes, 1.0 - rank as f64 / steps)).collect())
}

fn newest_older_of_memory(reader: &Reader<'_>, scope: &Scope<'_>, memory: u32, latest: &Latest) -> Result<Vec<Stored>> {
    let top_kc = scope.plan.top_kc;
    // The first round reads few rows, because it reads whole texts.
    let mut limit = 2 * (top_kc + 1);
    loop {
        let mut statement = Statement::default();
        let visible = scope.visible_contexts(&mut statement);
        let is_older = match memory == latest.memory {
            true => {
                let latest_id = statement.bind(Param::text(latest.id.as_str()));
                format!(" AND c.context_id::pg_catalog.text OPERATOR(pg_catalog.<>) {latest_id}")
            }
            false => String::new(),
        };
        let rows = statement.bind(Param::Integer(Some(limit as i64)));
        let statement = statement.with(format!(
            "SELECT c.context_id::pg_catalog.text, c.context::pg_catalog.text, c.creation_time::pg_catalog.timestamptz \
             FROM {} c WHERE {visible}{is_older} ORDER BY c.creation_time {}, c.context_id LIMIT {rows}",
            scope.contexts(),
            scope.store.newest_first()
        ));
        let (mut found, mut seen, mut read) = (Vec::new(), HashSet::from([latest.text.clone()]), 0);
        scope.store.in_index_order(|| {
            reader.scan(&statement, |row| {
                read += 1;
                let text = row.text(2)?.unwrap_or_default();
                if found.len() < top_kc && seen.insert(text.clone()) {
                    found.push(Stored { id: row.required_text(1)?, memory, text, created: row.timestamp(3) });
                }
                Ok(())
            })
        })?;
        // If a text was stored often, too few different ones were found: then more rows are read.
        if found.len() == top_kc || read < limit {
            return Ok(found);
        }
        limit = limit.saturating_mul(8);
    }
}

fn with_texts(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    winners: Vec<(Candidate, f64)>,
) -> Result<Vec<ContextResponse>> {
    let mut texts = ByEntry::default();
    for (memory, ids) in by_memory(winners.iter().map(|(winner, _)| winner.key())) {
        let scope = scopes.memory(memory);
        if let Some(found) = in_place::contexts::with_ids(scope, &ids)? {
            for context in found {
                texts.insert(memory, context.id.to_text(), (context.text, context.created));
            }
            continue;
        }
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "c");
        let ids = statement.bind(Param::Texts(ids));
        let statement = statement.with(format!(
            "SELECT c.context_id::pg_catalog.text, c.context::pg_catalog.text, c.creation_time::pg_catalog.timestamptz \
             FROM {} c WHERE {of_memory} AND {}",
            scope.contexts(),
            scope.context_is_among(&ids)
        ));
        scope.store.looking_up(|| {
            reader.scan(&statement, |row| {
                texts.insert(memory, row.required_text(1)?, (row.text(2)?.unwrap_or_default(), row.timestamp(3)));
                Ok(())
            })
        })?;
    }
    let stored = winners.into_iter().filter_map(|(winner, relevance)| {
        let (text, created) = texts.remove(winner.key())?;
        Some(Stored { id: winner.id, memory: winner.memory, text, created }.response(scopes, relevance))
    });
    Ok(stored.collect())
}
