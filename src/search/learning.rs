//! Learning the weights of a store's ranking from judgements: each search is repeated up to its candidates, which are
//! then ranked by many weights.

use std::collections::HashSet;

use memory_search_core::bounds_and_defaults;
use memory_search_core::learn::{self, JudgedQuestion, Learned};
use memory_search_core::rank::choices::Strategy;
use memory_search_core::request::judgements::Judgement;
use memory_search_core::request::names::StoreName;
use memory_search_core::request::presets::Preset;
use memory_search_core::request::search_request::SearchRequest;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::progress::Progress;
use crate::pg::{interrupt, memory_reserve};
use crate::search::pipeline::{self, Gathered};
use crate::search::scopes::Scopes;
use crate::store::definition::Store;

/// The weights that suit the judgements of a store.
///
/// # Errors
///
/// One of the searches fails: as that search, with the place of the judgement.
pub fn learn(store_name: &StoreName, store: &Store, judgements: Vec<Judgement>) -> Result<Learned> {
    let scoring = store.ranking()?.map_or_else(|| Preset::Default.scoring(), |present| present.scoring);
    let given = judgements.len();
    let most_candidates = *bounds_and_defaults::CANDIDATES.end() as usize;
    let _reserve = memory_reserve::hold(memory_reserve::BYTES + memory_reserve::BYTES_OF_CANDIDATE * most_candidates)?;
    let questions = judged(store_name, judgements)?;
    Ok(learn::learn(&questions, given, scoring, &interrupt::check))
}

/// The questions that can teach something, with their candidates.
fn judged(store_name: &StoreName, judgements: Vec<Judgement>) -> Result<Vec<JudgedQuestion>> {
    let mut progress = Progress::new("searched", Some(judgements.len() as u64));
    let (mut questions, mut candidates_of_all) = (Vec::new(), 0);
    for Judgement { path, request, helpful } in judgements {
        let query = match (&request.query, &request.embedding) {
            (Some(query), _) if query.chars().any(char::is_alphanumeric) => query.clone(),
            (_, Some(embedding)) => format!("{embedding:?}"),
            (query, None) => query.clone().unwrap_or_default(),
        };
        let request = SearchRequest { store: Some(store_name.to_string()), ..request };
        let found = pipeline::run(request, |reader, scopes, inputs| {
            let helpful = written(scopes, &helpful);
            Ok(pipeline::gathered(reader, scopes, inputs)?.map(|found| (found, scopes.plan.ranking, helpful)))
        })
        .map_err(|error| Error { message: format!("{path}: {}", error.message), ..error })?;
        progress.advance(1);
        let Some((Gathered { strategy, basis, candidates }, rules, helpful)) = found else { continue };
        if strategy == Strategy::Recent {
            continue;
        }
        let question = JudgedQuestion { query, strategy, basis, rules, candidates, helpful };
        if question.can_teach() {
            candidates_of_all += question.candidates.len();
            if candidates_of_all > bounds_and_defaults::MAX_JUDGED_CANDIDATES {
                let most = bounds_and_defaults::MAX_JUDGED_CANDIDATES;
                let message = format!("{path}: the judgements up to here have more than {most} candidates");
                return Err(Error::new(ErrorKind::LimitExceeded, message)
                    .hint("Give fewer judgements, or fewer candidates in the options of their requests."));
            }
            questions.push(question);
        }
    }
    progress.finish();
    Ok(questions)
}

/// Ids of entries as the store writes them. An id that no entry can have names none.
fn written(scopes: &Scopes<'_>, ids: &[String]) -> HashSet<String> {
    let store: Option<&Store> = scopes.memories.first().map(|scope| scope.store);
    let value = |id: &String| store.and_then(|store| store.ids.entry.value(id)).unwrap_or_else(|| id.clone());
    ids.iter().map(value).collect()
}
