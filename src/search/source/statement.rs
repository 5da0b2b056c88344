//! The statement that reads a memory's rows for ranking, and what becomes of its rows.
//!
//! Nothing but the memory's own rows is read, so the cost follows the memory and not the store. All that
//! looks into a row stands in the select list: under row-level security no condition has to wait for a
//! policy, and the same plan serves with one and without ([ADR-0015]).
//!
//! [ADR-0015]: ../../../adr/0015-one-pass-over-the-memory.md

use memory_search_core::Result;
use memory_search_core::rank::collector::{Nearness, Scanned};

use super::pass::{NO_WORDS, Pass, Sink, Wanted};
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// The statement that reads the memory's visible rows; `nearness` is what it says of their embeddings. With a
/// condition on what `entries_scan` holds it reads nothing else.
pub fn of_rows(
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    mut statement: Statement,
    nearness: &NearnessColumns,
    in_index: Option<&str>,
) -> Statement {
    let searched = wanted.searched;
    let mut standing = searched.that_stand(scope, &mut statement);
    if let Some(condition) = in_index {
        standing.push_str(&format!(" AND {condition}"));
    }
    let is_corrected = scope.is_corrected(&mut statement, searched.alias());
    let filters = searched.filters(scope, &mut statement);
    let with_words = wanted.lexemes.is_some();
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
        "SELECT {id}::pg_catalog.{id_type}, {alias}.creation_time::pg_catalog.timestamptz, {importance}, {passes}, \
           {nearness}, {lexemes}, {order}, {is_corrected}, {is_by_another} \
         FROM {relation} {alias} WHERE {standing}{filtered}",
        nearness = nearness.sql,
        is_by_another = nearness.is_by_another,
        id = searched.id(),
        id_type = searched.id_type(scope),
        importance = searched.importance(),
        order = searched.order(),
        relation = searched.relation(scope)
    ))
}

/// What a statement says of a row's embedding: how near it is, null where it cannot be compared, and whether that is
/// because another embedder than the query's made it.
pub struct NearnessColumns {
    /// float8, or varbit where it is estimated.
    pub sql: String,
    /// boolean
    pub is_by_another: String,
}

/// The cosine distance to the query's vector.
pub fn distance(scope: &Scope<'_>, searched: Searched, vector: &[f32], statement: &mut Statement) -> NearnessColumns {
    let alias = searched.alias();
    let placeholder = statement.bind(Param::Reals(Some(vector.to_vec())));
    // As a subquery the parameter becomes a vector once; a generic plan would cast it for each row.
    let distance =
        format!("{alias}.embedding {} (SELECT {})", scope.store.cosine_distance(), scope.store.vector(&placeholder));
    let is_by_another = match scope.embedder.filter(|_| scope.store.names_embedders) {
        Some(embedder) => {
            let embedder = statement.bind(Param::text(embedder));
            format!("COALESCE({alias}.embedding_model OPERATOR(pg_catalog.<>) {embedder}, false)")
        }
        None => "false".to_owned(),
    };
    let mut conditions = Vec::new();
    if is_by_another != "false" {
        conditions.push(format!("NOT {is_by_another}"));
    }
    // Contexts are a table of their own, which may hold other dimensions.
    if searched == Searched::Contexts || scope.store.embedding.dimensions.is_none() {
        let dimensions = statement.bind(Param::Integer(Some(vector.len() as i64)));
        conditions.push(format!(
            "{}.vector_dims({alias}.embedding)::pg_catalog.int8 OPERATOR(pg_catalog.=) {dimensions}",
            scope.store.vector_schema
        ));
    }
    let sql = match conditions.is_empty() {
        true => distance,
        false => format!("CASE WHEN {} THEN {distance} END", conditions.join(" AND ")),
    };
    NearnessColumns { sql, is_by_another }
}

/// Delivers the rows of a statement made by [`of_rows`]; `nearness` reads its column 5. Gives how many rows another
/// embedder made.
pub fn deliver(
    reader: &Reader<'_>,
    statement: &Statement,
    pass: &Pass<'_>,
    sink: &mut Sink<'_>,
    nearness: impl Fn(&Row<'_>) -> Nearness,
) -> Result<u64> {
    let id_type = pass.wanted.searched.id_type(pass.scope);
    let mut by_another = 0;
    reader.scan(statement, |row| {
        // Only an adopted table can lack an id.
        let id = || row.id(1, id_type);
        if row.boolean(8) == Some(true) && sink.corrected.hides(id()?)? {
            return Ok(());
        }
        by_another += u64::from(row.boolean(9) == Some(true));
        let order = match row.integer(7).unwrap_or(0) {
            // An adopted table may say nothing of the order within an instant. Any will do that does
            // not depend on where rows lie.
            0 if pass.scope.store.adopted_from.is_some() => id()?.map_or(0, |id| id.any_order()),
            order => order,
        };
        let scanned = Scanned {
            created: row.timestamp(2).unwrap_or(i64::MIN),
            order,
            importance: row.number(3).unwrap_or(0.0),
            passes: row.boolean(4) == Some(true),
            nearness: nearness(&row),
            place: None,
        };
        match row.tsvector(6, |words| sink.collector.add(scanned, Some(&words), id))? {
            Some(()) => Ok(()),
            None => sink.collector.add(scanned, NO_WORDS, id),
        }
    })?;
    Ok(by_another)
}
