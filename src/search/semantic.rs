//! The semantic retrieval: the rows nearest to the query's vector, by an exact scan of the memory.

use memory_search_core::Result;
use memory_search_core::rank::Candidate;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;
use crate::search::searched::{Searched, candidate};

/// The query vector, with what a statement needs to compare it with a column.
struct Distance {
    expression: String,
    /// Rows whose vector can be compared at all.
    comparable: String,
}

fn distance(scope: &Scope<'_>, searched: Searched, vector: &[f32], statement: &mut Statement) -> Distance {
    let alias = searched.alias();
    let placeholder = statement.bind(Param::Reals(Some(vector.to_vec())));
    let mut comparable = format!("{alias}.embedding IS NOT NULL");
    if scope.store.embedding.dimensions.is_none() {
        let dimensions = statement.bind(Param::Integer(Some(vector.len() as i64)));
        comparable.push_str(&format!(
            " AND {}.vector_dims({alias}.embedding)::pg_catalog.int8 OPERATOR(pg_catalog.=) {dimensions}",
            scope.store.vector_schema
        ));
    }
    Distance {
        expression: format!("{alias}.embedding {} {}", scope.store.cosine_distance(), scope.store.vector(&placeholder)),
        comparable,
    }
}

/// The `limit` nearest rows, nearest first.
pub fn nearest(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    searched: Searched,
    vector: &[f32],
    limit: usize,
) -> Result<Vec<Candidate>> {
    let mut statement = Statement::default();
    let visible = searched.visible(scope, &mut statement);
    let filters = searched.filters(scope, &mut statement);
    let Distance { expression, comparable } = distance(scope, searched, vector, &mut statement);
    let limit = statement.bind(Param::Integer(Some(limit as i64)));
    let (relation, alias, id, importance) =
        (searched.relation(scope), searched.alias(), searched.id(), searched.importance());
    // OFFSET 0 keeps the planner from taking a vector index: filtered by memory, an index walks
    // through every other memory's vectors and still misses some of this one's.
    let statement = statement.with(format!(
        "SELECT s.id::pg_catalog.text, s.creation_time, s.importance, s.distance FROM ( \
           SELECT {id} AS id, {alias}.creation_time, {importance} AS importance, {expression} AS distance \
           FROM {relation} {alias} WHERE {visible} AND {filters} AND {comparable} OFFSET 0) s \
         WHERE s.distance OPERATOR(pg_catalog.<) 'NaN'::pg_catalog.float8 \
         ORDER BY s.distance, s.creation_time {newest_first}, s.id LIMIT {limit}",
        newest_first = scope.store.newest_first()
    ));
    let mut found = Vec::new();
    reader.rows(&statement, |row| {
        let mut candidate = candidate(&row)?;
        candidate.signals.cosine = row.number(4).map(|distance| 1.0 - distance);
        candidate.signals.semantic_rank = Some(found.len() + 1);
        found.push(candidate);
        Ok(())
    })?;
    Ok(found)
}

/// Looks up the similarity of candidates that another signal found.
pub fn add_similarities(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    searched: Searched,
    vector: &[f32],
    candidates: &mut [Candidate],
) -> Result<()> {
    let missing: Vec<String> = candidates.iter().filter(|c| c.signals.cosine.is_none()).map(|c| c.id.clone()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut statement = Statement::default();
    let visible = searched.visible(scope, &mut statement);
    let Distance { expression, comparable } = distance(scope, searched, vector, &mut statement);
    let ids = statement.bind(Param::Texts(missing));
    let (relation, alias, id) = (searched.relation(scope), searched.alias(), searched.id());
    let statement = statement.with(format!(
        "SELECT {id}::pg_catalog.text, {expression} FROM {relation} {alias} \
         WHERE {visible} AND {} AND {comparable}",
        searched.is_among(scope, &ids)
    ));
    let mut similarities = std::collections::HashMap::new();
    reader.rows(&statement, |row| {
        if let Some(distance) = row.number(2).filter(|distance| !distance.is_nan()) {
            similarities.insert(row.required_text(1)?, 1.0 - distance);
        }
        Ok(())
    })?;
    for candidate in candidates.iter_mut().filter(|c| c.signals.cosine.is_none()) {
        candidate.signals.cosine = similarities.get(&candidate.id).copied();
    }
    Ok(())
}
