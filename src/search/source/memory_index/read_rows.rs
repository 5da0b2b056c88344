//! Rows that may win, read where they lie: ids, creation times, importance, and exact distances. The same as the
//! statement of `fetched` gives, for stores of the extension's own and callers who may read all of a table; a statement
//! takes several times as long, which is most of a search of a small memory.

use std::collections::HashMap;

use memory_search_core::ids::IdKind;
use memory_search_core::{Result, limits};
use memory_search_index::place::Place;
use pgrx::pg_sys;

use super::fetched::Fetched;
use super::open::OpenIndex;
use crate::pg::attribute::Attribute;
use crate::pg::interrupt;
use crate::pg::seen_rows::SeenRows;
use crate::pg::vector_distance::VectorDistance;
use crate::search::scope::Scope;
use crate::search::searched::Searched;

/// Rows read between two looks for a cancel.
const ROWS_A_CHECK: usize = 64;

/// Where a search finds what it asks of rows.
pub struct RowColumns<'a> {
    id: Attribute,
    id_kind: IdKind,
    created: Attribute,
    importance: Attribute,
    compared: Option<Compared<'a>>,
}

/// What is compared with the query's vector.
struct Compared<'a> {
    embedding: Attribute,
    distance: VectorDistance,
    /// The column that names embedders, and the query's: embeddings of others are not compared.
    embedder: Option<(Attribute, &'a str)>,
}

impl<'a> RowColumns<'a> {
    /// Of a search by an index; `None` where a statement must ask: a policy binds the caller, or a column is not as
    /// `memory_create_store()` makes it.
    pub fn of(scope: &Scope<'a>, open: &OpenIndex, vector: Option<&[f32]>) -> Option<RowColumns<'a>> {
        if open.user_id.is_some() || scope.store.is_adopted() {
            return None;
        }
        let table = &open.table;
        let id_kind = Searched::Entries.id_type(scope);
        let compared = match vector {
            None => None,
            Some(vector) => {
                let functions = scope.store.vector_functions?;
                let embedding = Attribute::named(table, c"embedding")?.of_type(functions.vector.into())?;
                let embedder = match scope.embedder.filter(|_| scope.store.names_embedders) {
                    None => None,
                    Some(embedder) => {
                        let model = Attribute::named(table, c"embedding_model")?.of_type(pg_sys::TEXTOID)?;
                        Some((model.of_default_collation()?, embedder))
                    }
                };
                Some(Compared { embedding, distance: VectorDistance::to(functions, vector)?, embedder })
            }
        };
        Some(RowColumns {
            id: Attribute::named(table, c"entry_id")?.of_id(id_kind)?,
            id_kind,
            created: Attribute::named(table, c"creation_time")?.of_type(pg_sys::TIMESTAMPTZOID)?,
            importance: Attribute::named(table, c"importance")?.of_type(pg_sys::INT2OID)?,
            compared,
        })
    }

    /// Reads the rows at these places, each page once. A row that the snapshot does not see has no answer.
    pub fn read(&mut self, rows: &mut SeenRows<'_>, places: &[Place]) -> Result<HashMap<Place, Fetched>> {
        let mut by_block = places.to_vec();
        by_block.sort_unstable();
        let mut found = HashMap::with_capacity(by_block.len());
        for (number, place) in by_block.into_iter().enumerate() {
            if number % ROWS_A_CHECK == 0 {
                interrupt::check();
            }
            let Some(mut row) = rows.row(place) else { continue };
            let Some(id) = row.id(self.id, self.id_kind)? else { continue };
            let distance = self.compared.as_mut().and_then(|compared| {
                let is_by_another =
                    compared.embedder.is_some_and(|(model, embedder)| row.is_text(model, embedder) == Some(false));
                if is_by_another { None } else { row.distance(compared.embedding, &mut compared.distance) }
            });
            let fetched = Fetched {
                id,
                at: row.at(),
                created: row.timestamp(self.created).unwrap_or(i64::MIN),
                importance: row.small_integer(self.importance).map_or(limits::FALLBACK_IMPORTANCE, f64::from),
                distance: distance.filter(|distance| !distance.is_nan()),
                passes: true,
            };
            found.insert(place, fetched);
        }
        Ok(found)
    }
}
