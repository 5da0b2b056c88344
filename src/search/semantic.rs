//! The semantic retrieval: the rows nearest to the query's vector, by an exact scan of the memory.

use memory_search_core::Result;
use memory_search_core::fusion::Signals;
use memory_search_core::rank::Candidate;

use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;

/// A relation that can be searched: entries, or contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Searched {
    Entries,
    Contexts,
}

impl Searched {
    pub fn relation(self, scope: &Scope<'_>) -> String {
        match self {
            Searched::Entries => scope.store.relation("entries"),
            Searched::Contexts => scope.contexts.clone(),
        }
    }

    /// The alias that conditions use.
    pub fn alias(self) -> &'static str {
        match self {
            Searched::Entries => "e",
            Searched::Contexts => "c",
        }
    }

    pub fn id(self) -> &'static str {
        match self {
            Searched::Entries => "e.entry_id",
            Searched::Contexts => "c.context_id",
        }
    }

    pub fn importance(self) -> &'static str {
        match self {
            Searched::Entries => "e.importance::pg_catalog.float8",
            Searched::Contexts => "0::pg_catalog.float8",
        }
    }

    /// What tells apart rows of the same instant by when they came.
    pub fn order(self) -> &'static str {
        match self {
            Searched::Entries => "e.entry_order",
            Searched::Contexts => "0::pg_catalog.int8",
        }
    }

    /// The memory's visible rows: the scope of statistics.
    pub fn visible(self, scope: &Scope<'_>, statement: &mut Statement) -> String {
        match self {
            Searched::Entries => scope.visible_entries(statement),
            Searched::Contexts => scope.visible_contexts(statement),
        }
    }

    /// Which of them may be found.
    pub fn filters(self, scope: &Scope<'_>, statement: &mut Statement) -> String {
        match self {
            Searched::Entries => scope.filters(statement),
            Searched::Contexts => "true".to_owned(),
        }
    }
}

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
         ORDER BY s.distance, s.creation_time DESC, s.id LIMIT {limit}"
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
         WHERE {visible} AND {id} OPERATOR(pg_catalog.=) ANY ({ids}::pg_catalog.uuid[]) AND {comparable}"
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

/// Id, creation time and importance: the first three columns of every retrieval.
pub fn candidate(row: &Row<'_>) -> Result<Candidate> {
    Ok(Candidate {
        id: row.required_text(1)?,
        created: row.timestamp(2).unwrap_or(i64::MIN),
        importance: row.number(3).unwrap_or(0.0),
        access_count: 0,
        signals: Signals::default(),
    })
}
