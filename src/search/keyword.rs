//! The keyword retrieval: every row of the memory that holds a word of the query, scored by BM25
//! with the statistics of the memory as the caller sees it.

use std::collections::{HashMap, HashSet};

use memory_search_core::Result;
use memory_search_core::bm25::{self, Collection, Matches, Score};
use memory_search_core::lexemes::{self, QueryLexemes};
use memory_search_core::nearby::Moment;
use memory_search_core::options::WordMatch;
use memory_search_core::plan::Plan;
use memory_search_core::rank::{self, Candidate};
use memory_search_core::tsvector::TsVector;

use crate::pg::catalog::Store;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;
use crate::search::searched::{Searched, candidate};

/// The lexemes of the query in the store's language.
pub fn lexemes(reader: &Reader<'_>, store: &Store, plan: &Plan) -> Result<QueryLexemes> {
    let found = with_tsvector(reader, store, &plan.query.wanted, QueryLexemes::from_tsvector)?;
    Ok(found.unwrap_or_default())
}

/// What the query demands of every entry, as a tsquery: its phrases, and none of its excluded words.
pub fn demands(reader: &Reader<'_>, store: &Store, plan: &Plan) -> Result<Option<String>> {
    let mut demands = Vec::new();
    for (texts, operator) in [(&plan.query.phrases, ""), (&plan.query.excluded, "!")] {
        for text in texts {
            if let Some(phrase) = with_tsvector(reader, store, text, lexemes::phrase)?.flatten() {
                demands.push(format!("{operator}{phrase}"));
            }
        }
    }
    Ok((!demands.is_empty()).then(|| demands.join(" & ")))
}

fn with_tsvector<T>(
    reader: &Reader<'_>,
    store: &Store,
    text: &str,
    read: impl FnOnce(TsVector<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut statement = Statement::default();
    let text = statement.bind(Param::text(text));
    let statement = statement.with(format!("SELECT {}", store.tsvector(&text)));
    let mut read = Some(read);
    let found = reader.first(&statement, |row| match read.take() {
        Some(read) => row.tsvector(1, read),
        None => Ok(None),
    })?;
    Ok(found.flatten())
}

/// What the keyword retrieval found.
pub struct Found {
    /// The best by words, best first.
    pub best: Vec<Candidate>,
    /// The scores of the rows that were asked for by id.
    pub asked: HashMap<String, Score>,
}

/// The `limit` best rows by words, and the scores of every row in `asked` that matches at all.
pub fn best(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    searched: Searched,
    lexemes: &QueryLexemes,
    asked: &[Candidate],
    limit: usize,
) -> Result<Found> {
    let mut found = Found { best: Vec::new(), asked: HashMap::new() };
    if lexemes.is_empty() {
        return Ok(found);
    }
    let mut statement = Statement::default();
    let visible = searched.visible(scope, &mut statement);
    let filters = searched.filters(scope, &mut statement);
    let query = statement.bind(Param::text(lexemes.any_of()));
    let filters = match (searched, scope.plan.word_match) {
        (Searched::Contexts, _) | (_, WordMatch::Any) => filters,
        (Searched::Entries, WordMatch::All) => {
            let all = statement.bind(Param::text(lexemes.all_of()));
            format!(
                "{filters} AND {alias}.search_vector OPERATOR(pg_catalog.@@) {all}::pg_catalog.tsquery",
                alias = searched.alias()
            )
        }
    };
    let (relation, alias, id, importance, order) =
        (searched.relation(scope), searched.alias(), searched.id(), searched.importance(), searched.order());
    // Rows that the filters remove still count for document frequencies: a filter must not change
    // what is a rare word.
    let statement = statement.with(format!(
        "SELECT {id}::pg_catalog.text, {alias}.creation_time, {importance}, {filters}, {alias}.search_vector, {order} \
         FROM {relation} {alias} \
         WHERE {visible} AND {alias}.search_vector OPERATOR(pg_catalog.@@) {query}::pg_catalog.tsquery"
    ));
    let mut matches = Matches::new(lexemes, scope.plan.bm25);
    let mut rows: Vec<(Candidate, bool)> = Vec::new();
    reader.scan(&statement, |row| {
        let candidate = candidate(&row)?;
        let moment = Moment { created: candidate.created, order: row.integer(6).unwrap_or(0) };
        if row.tsvector(5, |vector| matches.add(vector, moment))?.is_some() {
            // A memory may hold more matches than this backend can: an ERROR, not an abort.
            rows.try_reserve(1).map_err(|_| bm25::out_of_memory())?;
            rows.push((candidate, row.boolean(4) == Some(true)));
        }
        Ok(())
    })?;
    if rows.is_empty() {
        return Ok(found);
    }
    let scores = matches.scores(collection(reader, scope, searched)?, searched == Searched::Entries)?;
    let asked: HashSet<&str> = asked.iter().map(|candidate| candidate.id.as_str()).collect();
    for ((mut candidate, passes), score) in rows.into_iter().zip(scores) {
        if asked.contains(candidate.id.as_str()) {
            found.asked.insert(candidate.id.clone(), score);
        }
        if passes {
            candidate.signals.bm25 = Some(score.bm25);
            candidate.signals.words = Some(score.words);
            found.best.push(candidate);
        }
    }
    let score = |candidate: &Candidate| candidate.signals.words.unwrap_or(0.0);
    let order = |a: &Candidate, b: &Candidate| score(b).total_cmp(&score(a)).then_with(|| rank::newer_first(a, b));
    if found.best.len() > limit {
        found.best.select_nth_unstable_by(limit, order);
        found.best.truncate(limit);
    }
    found.best.sort_by(order);
    for (place, candidate) in found.best.iter_mut().enumerate() {
        candidate.signals.keyword_rank = Some(place + 1);
    }
    Ok(found)
}

/// How many rows the memory has for this caller, and how long they are.
fn collection(reader: &Reader<'_>, scope: &Scope<'_>, searched: Searched) -> Result<Collection> {
    let mut statement = Statement::default();
    let visible = searched.visible(scope, &mut statement);
    let (relation, alias) = (searched.relation(scope), searched.alias());
    let statement = statement.with(format!(
        "SELECT pg_catalog.count(*), pg_catalog.sum(pg_catalog.length({alias}.search_vector))::pg_catalog.int8 \
         FROM {relation} {alias} WHERE {visible}"
    ));
    let found = reader.first(&statement, |row| {
        Ok(Collection {
            entries: row.integer(1).unwrap_or(0).unsigned_abs(),
            total_length: row.integer(2).unwrap_or(0).unsigned_abs(),
        })
    })?;
    Ok(found.unwrap_or_default())
}
