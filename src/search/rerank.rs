//! The reranker: a function of the caller's, or a model of the server, that judges the best entries again, asked once
//! in a search.

use std::cell::Cell;

use memory_search_core::rank::by_entry::{ByEntry, by_memory};
use memory_search_core::rank::ranking::Ranking;
use memory_search_core::rank::reranking;
use memory_search_core::request::arguments::is_qualified_name;
use memory_search_core::request::plan::Plan;
use memory_search_core::request::rerank::{By, OnError, Rerank};
use memory_search_core::{Error, ErrorKind, Result, bounds_and_defaults, error};

use crate::embed::cross_encoder;
use crate::pg::callers_function::{self, CallersFunction};
use crate::pg::datum::text;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::{notice, reworded, settings, subtransaction};
use crate::search::scopes::Scopes;

thread_local! {
    /// The running reranker: the setting does not rerank searches that it makes itself.
    static RUNNING: Cell<Option<CallersFunction>> = const { Cell::new(None) };
}

/// Scores of entries; null for those that the reranker does not judge.
pub type Scores = ByEntry<Option<f32>>;

/// The reranking of a search: by its option, or by the setting; `None` means none.
pub fn asked(plan: &Plan) -> Result<Option<Rerank>> {
    let setting = || {
        if callers_function::asks(&RUNNING) {
            return Ok(None);
        }
        match settings::rerank_function()? {
            name if name.is_empty() => Ok(None),
            name if is_qualified_name(&name) => Ok(Some(name)),
            name => Err(no_function(&name)),
        }
    };
    match &plan.rerank {
        Some(None) => Ok(None),
        None => Ok(setting()?.map(|function| Rerank { by: By::Function(function), ..Rerank::default() })),
        Some(Some(asked)) if asked.by == By::Setting => match setting()? {
            Some(function) => Ok(Some(Rerank { by: By::Function(function), ..asked.clone() })),
            None => Err(Error::invalid(
                "options.rerank names no function and no model, and memory_search.rerank_function is empty",
            )
            .hint(
                "Name a function (query text, entries text[]) returning real[] with its schema, or the folder of a model.",
            )),
        },
        Some(Some(asked)) => Ok(Some(asked.clone())),
    }
}

/// The scores that the reranker gives the best entries.
pub fn scores(reader: &Reader<'_>, scopes: &Scopes<'_>, rerank: &Rerank, ranking: &Ranking) -> Result<Scores> {
    let best = || ranking.ranked.iter().take(rerank.best).map(|ranked| ranked.candidate.key());
    let mut texts = texts(reader, scopes, by_memory(best()))?;
    let (entries, texts): (Vec<_>, Vec<String>) =
        best().filter_map(|entry| texts.remove(entry).map(|text| (entry, text))).unzip();
    if entries.is_empty() {
        return Ok(Scores::default());
    }
    let judged = match &rerank.by {
        By::Model(model) => match cross_encoder::scores(model, &scopes.plan.query.wanted, &texts) {
            Ok(scores) => scores.into_iter().map(Some).collect(),
            Err(failure) if rerank.on_error == OnError::Keep => return Ok(kept(model, &failure.message)),
            Err(failure) => return Err(failure),
        },
        // The setting was resolved when the search began; without a name no function is found.
        By::Setting => call(reader, scopes, "", texts)?,
        By::Function(name) => match rerank.on_error {
            OnError::Fail => call(reader, scopes, name, texts)?,
            OnError::Keep => match subtransaction::attempt(|| call(reader, scopes, name, texts)) {
                Ok(Ok(scores)) => scores,
                Ok(Err(failure)) => return Ok(kept(name, &failure.message)),
                Err(message) => return Ok(kept(name, &message)),
            },
        },
    };
    let mut scores = Scores::default();
    for (entry, score) in entries.into_iter().zip(judged) {
        scores.insert(entry.memory, entry.id.to_owned(), score);
    }
    Ok(scores)
}

/// Warns that the reranker failed, so that the search's own ranking is used.
fn kept(name: &str, message: &str) -> Scores {
    notice::warn(
        &Error::new(
            ErrorKind::WrongState,
            format!("the reranker {} failed: {}", error::shown(name), error::shown(message)),
        )
        .detail("The entries are ranked without it."),
    );
    Scores::default()
}

fn call(reader: &Reader<'_>, scopes: &Scopes<'_>, name: &str, texts: Vec<String>) -> Result<Vec<Option<f32>>> {
    let Reranker { function, definer } = reranker(reader, name)?;
    let entries = texts.len();
    let mut statement = Statement::default();
    let query = statement.bind(Param::text(&scopes.plan.query.wanted));
    let texts = statement.bind(Param::Texts(texts));
    // OFFSET keeps the planner from calling the function a second time, to estimate the number of its elements.
    let statement = statement.with(format!(
        "SELECT r.score, pg_catalog.array_ndims(f.scores::pg_catalog.float8[])::pg_catalog.int8 FROM (SELECT {function}({query}, {texts}) AS scores OFFSET 0) f, \
           pg_catalog.unnest(f.scores::pg_catalog.float8[]) WITH ORDINALITY r (score, place) ORDER BY r.place"
    ));
    let (mut scores, mut is_list) = (Vec::new(), true);
    reworded::raised_in(&format!("{function}(text, text[])"), "the reranker of the search", || {
        callers_function::while_noted(&RUNNING, definer, || {
            reader.scan(&statement, |row| {
                is_list &= row.integer(2) == Some(1);
                // The check refuses too many scores, however many there are.
                if scores.len() <= entries {
                    scores.push(row.number(1).map(|score| score as f32));
                }
                Ok(())
            })
        })
    })?;
    reranking::check(entries, &scores, is_list)
        .map_err(|refusal| refusal.detail(format!("It came from {function}(text, text[]).")))?;
    Ok(scores)
}

/// A function that reranks.
struct Reranker {
    /// Its qualified name, quoted.
    function: String,
    /// The owner's OID if the function is SECURITY DEFINER.
    definer: Option<u32>,
}

fn reranker(reader: &Reader<'_>, name: &str) -> Result<Reranker> {
    let mut statement = Statement::default();
    let signature = statement.bind(Param::text(format!("{name}(pg_catalog.text, pg_catalog.text[])")));
    let statement = statement.with(format!(
        "SELECT pg_catalog.format('%I.%I', n.nspname, p.proname), \
           CASE WHEN p.prosecdef THEN p.proowner::pg_catalog.int8 END \
         FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace \
         WHERE p.oid OPERATOR(pg_catalog.=) pg_catalog.to_regprocedure({signature})"
    ));
    let found = reader.first(&statement, |row| {
        let definer = row.integer(2).and_then(|owner| u32::try_from(owner).ok());
        Ok(Reranker { function: row.required_text(1)?, definer })
    })?;
    found.ok_or_else(|| no_function(name))
}

fn no_function(name: &str) -> Error {
    Error::new(
        ErrorKind::UndefinedObject,
        format!("the reranker \"{}\" is no function (text, text[])", error::shown(name)),
    )
    .hint("Name an existing function (query text, entries text[]) returning real[] with its schema: \"public.rerank\".")
}

/// The texts of entries, whose ids are given for each memory.
fn texts(reader: &Reader<'_>, scopes: &Scopes<'_>, ids: Vec<(u32, Vec<String>)>) -> Result<ByEntry<String>> {
    let (mut texts, mut bytes) = (ByEntry::default(), 0);
    for (memory, ids) in ids {
        let scope = scopes.memory(memory);
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "e");
        let ids = statement.bind(Param::Texts(ids));
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.text, e.raw_entry::pg_catalog.text FROM {}",
            scope.store.wanted(&ids, &of_memory)
        ));
        scope.store.looking_up(|| {
            reader.scan(&statement, |row| {
                let raw_entry = row.text(2)?.unwrap_or_default();
                bytes += raw_entry.len();
                if bytes > bounds_and_defaults::MAX_RESPONSE_BYTES {
                    return Err(text::too_much(bytes));
                }
                texts.insert(memory, row.required_text(1)?, raw_entry);
                Ok(())
            })
        })?;
    }
    Ok(texts)
}
