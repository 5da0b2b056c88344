//! The cosine distance of a row's embedding to the query's vector, as SQL.

use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// The columns of a statement about a row's embedding.
pub struct DistanceColumns {
    /// float8: the distance; null if it cannot be computed.
    pub sql: String,
    /// boolean: whether the reason is that another embedder than the query's made it.
    pub is_by_another: String,
}

/// The columns for rows of a relation under its alias.
pub fn columns(scope: &Scope<'_>, searched: Searched, vector: &[f32], statement: &mut Statement) -> DistanceColumns {
    let alias = searched.alias();
    let placeholder = statement.bind(Param::Reals(Some(vector.to_vec())));
    // In a subquery the parameter is converted to a vector once; a generic plan would cast it for
    // each row.
    let to_query = format!("{} (SELECT {})", scope.store.cosine_distance(), scope.store.vector(&placeholder));
    let mut distance = format!("{alias}.embedding {to_query}");
    if searched.compares_passages(scope) {
        // A long text is as near as its nearest passage.
        let passages = scope.store.passages(vector.len());
        let to_passage = format!("{} {to_query}", scope.store.vector("p.embedding"));
        distance = format!("LEAST({distance}, (SELECT pg_catalog.min({to_passage}) FROM {passages}))");
    }
    let is_by_another = match scope.embedder.filter(|_| !scope.store.is_view) {
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
    // Contexts are a separate table, which may have embeddings of other dimensions.
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
    DistanceColumns { sql, is_by_another }
}

/// The columns of a statement on entries `e` for their nearest passage; null if they have no embeddings of passages to
/// compare, or if none of them has a direction.
pub struct NearestPassage {
    /// Its number, from 1.
    pub number: String,
    /// The cosine distance of its embedding to the query's vector.
    pub distance: String,
}

/// The passage of entries `e` that is nearest to a vector.
pub fn nearest_passage(scope: &Scope<'_>, vector: &[f32], statement: &mut Statement) -> NearestPassage {
    let placeholder = statement.bind(Param::Reals(Some(vector.to_vec())));
    let by_this = match scope.embedder {
        Some(embedder) => {
            let embedder = statement.bind(Param::text(embedder));
            format!(" AND COALESCE(e.embedding_model OPERATOR(pg_catalog.=) {embedder}, true)")
        }
        None => String::new(),
    };
    let passages = format!("{}{by_this}", scope.store.passages(vector.len()));
    let to_query = format!(
        "{} {} (SELECT {})",
        scope.store.vector("p.embedding"),
        scope.store.cosine_distance(),
        scope.store.vector(&placeholder)
    );
    // The distance of zeros is NaN, which is greater than any number. With OFFSET the server computes no distance for
    // passages of other dimensions, which would be an error.
    let compared = format!(
        "(SELECT p.n, {to_query} AS distance FROM {passages} OFFSET 0) p \
         WHERE p.distance OPERATOR(pg_catalog.<) 'NaN'::pg_catalog.float8"
    );
    NearestPassage {
        number: format!("(SELECT p.n FROM {compared} ORDER BY p.distance, p.n LIMIT 1)"),
        distance: format!("(SELECT pg_catalog.min(p.distance) FROM {compared})"),
    }
}
