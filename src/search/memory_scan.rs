//! One pass over a memory that gives what both signals need: the distance to the query's vector, the
//! query's words in each row, and the statistics behind BM25.
//!
//! Nothing but the memory's own rows is read, so the cost follows the memory and not the store. All that
//! looks into a row stands in the select list: under row-level security no condition has to wait for a
//! policy, and the same plan serves with one and without ([ADR-0015]).
//!
//! [ADR-0015]: ../../adr/0015-one-pass-over-the-memory.md

use std::cmp::Ordering;

use memory_search_core::Result;
use memory_search_core::bm25::{self, Collection, Matches, Score};
use memory_search_core::fusion::Signals;
use memory_search_core::ids::RowId;
use memory_search_core::lexemes::QueryLexemes;
use memory_search_core::nearby;
use memory_search_core::options::WordMatch;
use memory_search_core::rank::Candidate;
use memory_search_core::timestamp::Micros;

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// A row that may be found.
struct Scanned {
    id: RowId,
    created: Micros,
    importance: f64,
    /// Cosine distance, where the row has an embedding that can be compared.
    distance: Option<f64>,
    /// Its number among the rows that hold a word of the query.
    matching: Option<usize>,
    /// Whether it holds as many of the words as the query asks for.
    has_words: bool,
}

/// The `limit` best rows by meaning and the `limit` best by words, each with both of its signals.
/// Without a vector nothing is found by meaning, without lexemes nothing by words.
pub fn candidates(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    searched: Searched,
    vector: Option<&[f32]>,
    lexemes: Option<&QueryLexemes>,
    limit: usize,
) -> Result<Vec<Candidate>> {
    let lexemes = lexemes.filter(|lexemes| !lexemes.is_empty());
    if vector.is_none() && lexemes.is_none() {
        return Ok(Vec::new());
    }
    let statement = statement(scope, searched, vector, lexemes.is_some());
    let mut matches = lexemes.map(|lexemes| Matches::new(lexemes, scope.plan.bm25));
    let wanted_words = match (searched, scope.plan.word_match) {
        (Searched::Entries, WordMatch::All) => lexemes.map_or(0, QueryLexemes::len),
        _ => 1,
    };
    let id_type = searched.id_type(scope);
    let mut collection = Collection::default();
    let mut rows: Vec<Scanned> = Vec::new();
    reader.scan(&statement, |row| {
        let created = row.timestamp(2).unwrap_or(i64::MIN);
        let mut held = 0;
        let mut matching = None;
        if let Some(matches) = matches.as_mut() {
            collection.entries += 1;
            let order = match row.integer(7).unwrap_or(0) {
                // An adopted table may say nothing of the order within an instant. Any will do that does
                // not depend on where rows lie.
                0 if scope.store.adopted_from.is_some() => row.id(1, id_type)?.map_or(0, |id| id.any_order()),
                order => order,
            };
            let moment = nearby::Moment { created, order };
            let number = matches.len();
            row.tsvector(6, |lexemes| {
                collection.total_length += lexemes.len() as u64;
                held = matches.add(lexemes, moment)?;
                Ok(())
            })?;
            matching = (held > 0).then_some(number);
        }
        let distance = row.number(5).filter(|distance| !distance.is_nan());
        // Rows that the filters remove still count for document frequencies: a filter must not change
        // what is a rare word.
        if row.boolean(4) == Some(true)
            && (distance.is_some() || matching.is_some())
            // Only an adopted table can lack an id; a row without one cannot be named.
            && let Some(id) = row.id(1, id_type)?
        {
            // A memory may hold more rows than this backend can: an ERROR, not an abort.
            rows.try_reserve(1).map_err(|_| bm25::out_of_memory())?;
            let importance = row.number(3).unwrap_or(0.0);
            rows.push(Scanned { id, created, importance, distance, matching, has_words: held >= wanted_words });
        }
        Ok(())
    })?;
    interrupt::check();
    let scores = match matches {
        Some(matches) if !matches.is_empty() => {
            matches.scores(collection, searched == Searched::Entries, &interrupt::check)?
        }
        _ => Vec::new(),
    };
    interrupt::check();
    best(&rows, &scores, limit)
}

fn statement(scope: &Scope<'_>, searched: Searched, vector: Option<&[f32]>, with_words: bool) -> Statement {
    let mut statement = Statement::default();
    let visible = searched.visible(scope, &mut statement);
    let filters = searched.filters(scope, &mut statement);
    let distance = match vector {
        Some(vector) => distance(scope, searched, vector, &mut statement),
        None => "NULL::pg_catalog.float8".to_owned(),
    };
    // Where no statistic needs the rows that the filters remove, they need not be looked at.
    let (passes, filtered) =
        if with_words { (filters, String::new()) } else { ("true".to_owned(), format!(" AND {filters}")) };
    let alias = searched.alias();
    let lexemes = if with_words {
        format!("{alias}.search_vector::pg_catalog.tsvector")
    } else {
        "NULL::pg_catalog.tsvector".to_owned()
    };
    statement.with(format!(
        "SELECT {id}::pg_catalog.{id_type}, {alias}.creation_time::pg_catalog.timestamptz, {importance}, {passes}, {distance}, {lexemes}, {order} \
         FROM {relation} {alias} WHERE {visible}{filtered}",
        id = searched.id(),
        id_type = searched.id_type(scope),
        importance = searched.importance(),
        order = searched.order(),
        relation = searched.relation(scope)
    ))
}

/// The cosine distance as SQL; null where a row's vector cannot be compared.
fn distance(scope: &Scope<'_>, searched: Searched, vector: &[f32], statement: &mut Statement) -> String {
    let alias = searched.alias();
    let placeholder = statement.bind(Param::Reals(Some(vector.to_vec())));
    // As a subquery the parameter becomes a vector once; a generic plan would cast it for each row.
    let distance =
        format!("{alias}.embedding {} (SELECT {})", scope.store.cosine_distance(), scope.store.vector(&placeholder));
    // Contexts are a table of their own, which may hold other dimensions.
    if searched == Searched::Entries && scope.store.embedding.dimensions.is_some() {
        return distance;
    }
    let dimensions = statement.bind(Param::Integer(Some(vector.len() as i64)));
    format!(
        "CASE WHEN {}.vector_dims({alias}.embedding)::pg_catalog.int8 OPERATOR(pg_catalog.=) {dimensions} \
         THEN {distance} END",
        scope.store.vector_schema
    )
}

fn best(rows: &[Scanned], scores: &[Score], limit: usize) -> Result<Vec<Candidate>> {
    let newer_first = |a: &Scanned, b: &Scanned| b.created.cmp(&a.created).then_with(|| a.id.text_order(&b.id));
    let by_distance = |a: &Scanned, b: &Scanned| {
        let distance = |row: &Scanned| row.distance.unwrap_or(f64::INFINITY);
        distance(a).total_cmp(&distance(b)).then_with(|| newer_first(a, b))
    };
    let by_words = |a: &Scanned, b: &Scanned| {
        let words = |row: &Scanned| row.matching.map_or(0.0, |number| scores[number].words);
        words(b).total_cmp(&words(a)).then_with(|| newer_first(a, b))
    };
    let nearest = top(rows, |row| row.distance.is_some(), by_distance, limit)?;
    let wordiest = top(rows, |row| row.matching.is_some() && row.has_words, by_words, limit)?;
    let mut places: std::collections::BTreeMap<usize, (Option<usize>, Option<usize>)> =
        nearest.iter().enumerate().map(|(place, &row)| (row, (Some(place + 1), None))).collect();
    for (place, &row) in wordiest.iter().enumerate() {
        places.entry(row).or_default().1 = Some(place + 1);
    }
    Ok(places
        .into_iter()
        .map(|(row, (semantic_rank, keyword_rank))| {
            let row = &rows[row];
            let score = row.matching.map(|number| scores[number]);
            Candidate {
                id: row.id.to_text(),
                created: row.created,
                importance: row.importance,
                access_count: 0,
                signals: Signals {
                    cosine: row.distance.map(|distance| 1.0 - distance),
                    semantic_rank,
                    bm25: score.map(|score| score.bm25),
                    words: score.map(|score| score.words),
                    keyword_rank,
                },
            }
        })
        .collect())
}

/// The `limit` first of the rows that are eligible, in order.
fn top(
    rows: &[Scanned],
    is_eligible: impl Fn(&Scanned) -> bool,
    order: impl Fn(&Scanned, &Scanned) -> Ordering,
    limit: usize,
) -> Result<Vec<usize>> {
    let mut places: Vec<usize> = Vec::new();
    places.try_reserve_exact(rows.len()).map_err(|_| bm25::out_of_memory())?;
    places.extend((0..rows.len()).filter(|&row| is_eligible(&rows[row])));
    let order = |a: &usize, b: &usize| order(&rows[*a], &rows[*b]);
    if places.len() > limit {
        places.select_nth_unstable_by(limit, order);
        places.truncate(limit);
    }
    places.sort_by(order);
    Ok(places)
}
