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
    let distance =
        format!("{alias}.embedding {} (SELECT {})", scope.store.cosine_distance(), scope.store.vector(&placeholder));
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
