//! Rows that may win, read in place: ids, creation times, importance, and exact distances. The values are the same as
//! from the statement in `fetched`. This needs two things. No policy but the store's own binds the caller, or the
//! executor has shown the rows. And the view or table stores the columns as they are. A statement takes several times
//! as long, which is most of the time of a search of a small memory.

use std::ffi::CStr;

use memory_search_core::ids::IdKind;
use memory_search_core::place::Place;
use memory_search_core::text::author::author_of;
use memory_search_core::{Result, bounds_and_defaults};
use pgrx::pg_sys;

use super::fetched::Fetched;
use super::open::OpenIndex;
use crate::pg::attribute::Attribute;
use crate::pg::interrupt;
use crate::pg::open_relation::OpenRelation;
use crate::pg::seen_rows::{SeenRow, SeenRows};
use crate::pg::vector_distance::VectorDistance;
use crate::search::scope::Scope;
use crate::search::searched::Searched;
use crate::store::definition::Store;

/// Rows read between two looks for a cancel.
const ROWS_A_CHECK: usize = 64;

/// The columns of rows that a search reads.
pub struct RowColumns<'a> {
    /// The user whose rows are visible, under the policy of `memory_enable_row_security()`.
    user: Option<(Attribute, String)>,
    id: Attribute,
    id_kind: IdKind,
    /// `None`, as for the next fields, if it is null in every row.
    created: Option<Attribute>,
    importance: Option<Attribute>,
    /// The importance of rows without one.
    usual_importance: f64,
    compared: Option<Compared<'a>>,
    /// The texts, if ranking reads them and rows hold them unchanged.
    texts: Option<Texts>,
}

/// The columns with the author and the length of an entry.
#[derive(Clone, Copy)]
struct Texts {
    raw_entry: Attribute,
    /// `None`, as for the next fields, if it is null in every row.
    user_id: Option<Attribute>,
    agent_id: Option<Attribute>,
}

impl Texts {
    fn of(column: &impl Fn(&'static CStr) -> Option<Column>) -> Option<Texts> {
        Some(Texts {
            raw_entry: column(c"raw_entry")?.attribute()?.of_type(pg_sys::TEXTOID)?,
            user_id: column(c"user_id")?.of_type(pg_sys::TEXTOID)?,
            agent_id: column(c"agent_id")?.of_type(pg_sys::TEXTOID)?,
        })
    }

    fn read(self, row: &mut SeenRow<'_, '_>) -> Result<(Option<String>, u32)> {
        let (speaker, bytes) =
            row.with_opening(self.raw_entry, |opening, bytes| (author_of(opening, None, None), bytes));
        if speaker.is_some() {
            return Ok((speaker, bytes));
        }
        let mut text = |column: Option<Attribute>| column.map_or(Ok(None), |column| row.text(column));
        // An author that the text names would come before these, but the empty text names none.
        Ok((author_of("", text(self.user_id)?, text(self.agent_id)?), bytes))
    }
}

/// The column that is compared with the query's vector.
struct Compared<'a> {
    embedding: Attribute,
    /// The embeddings of the passages, which contexts and adopted tables do not have.
    passages: Option<Attribute>,
    distance: VectorDistance,
    /// The column that names embedders, and the query's embedder: embeddings of others are not compared.
    embedder: Option<(Attribute, &'a str)>,
}

impl<'a> Compared<'a> {
    /// `Some(None)` if no row has an embedding; `None` if a statement must be used.
    fn of(
        scope: &Scope<'a>,
        searched: Searched,
        column: &impl Fn(&'static CStr) -> Option<Column>,
        vector: &[f32],
    ) -> Option<Option<Compared<'a>>> {
        let functions = scope.store.vector_functions?;
        let distance = VectorDistance::to(functions, vector);
        let Some(embedding) = column(c"embedding")?.of_type(distance.vector_type())? else { return Some(None) };
        let passages = match searched.compares_passages(scope) {
            true => column(c"passage_embeddings")?.of_type(distance.array_type())?,
            false => None,
        };
        let embedder = match scope.embedder.filter(|_| !scope.store.is_view) {
            None => None,
            Some(embedder) => {
                let model = column(c"embedding_model")?.attribute()?.of_type(pg_sys::TEXTOID)?;
                Some((model.of_default_collation()?, embedder))
            }
        };
        Some(Some(Compared { embedding, passages, distance, embedder }))
    }
}

impl Compared<'_> {
    /// The distance of the nearest embedding of a row. Passages count only beside an embedding that can be compared.
    fn nearest(&mut self, row: &mut SeenRow<'_, '_>) -> Option<f64> {
        let whole = row.distance(self.embedding, &mut self.distance)?;
        let passage = self.passages.and_then(|passages| row.least_distance(passages, &mut self.distance));
        [whole].into_iter().chain(passage).filter(|distance| !distance.is_nan()).min_by(f64::total_cmp)
    }
}

/// A column of entries in the rows of a table.
enum Column {
    Null,
    Held(Attribute),
}

impl Column {
    /// The column with a name; `None` if rows do not hold it unchanged.
    fn of(store: &Store, table: &OpenRelation, name: &CStr) -> Option<Column> {
        if !store.is_adopted() {
            return Attribute::named(table, name).map(Column::Held);
        }
        let column = store.adopted_rows()?.column(name.to_str().ok()?)?;
        match column.is_null {
            true => Some(Column::Null),
            false => Attribute::numbered(table, column.attribute?).map(Column::Held),
        }
    }

    /// The attribute, if it has a type, or `Some(None)` for a column that is null; `None` for another type.
    fn of_type(self, type_oid: pg_sys::Oid) -> Option<Option<Attribute>> {
        match self {
            Column::Null => Some(None),
            Column::Held(attribute) => attribute.of_type(type_oid).map(Some),
        }
    }

    fn attribute(self) -> Option<Attribute> {
        match self {
            Column::Null => None,
            Column::Held(attribute) => Some(attribute),
        }
    }
}

impl<'a> RowColumns<'a> {
    /// The columns for a search by an index; `None` if a statement must be used, because a column is not as
    /// `memory_create_store()` makes it.
    pub fn of(scope: &Scope<'a>, open: &OpenIndex, vector: Option<&[f32]>) -> Option<RowColumns<'a>> {
        let column = |name| Column::of(scope.store, &open.table, name);
        let user = match open.user() {
            None => None,
            Some(user) => {
                let column = column(c"user_id")?.attribute()?.of_type(pg_sys::TEXTOID)?;
                Some((column.of_default_collation()?, user.to_owned()))
            }
        };
        let id_kind = Searched::Entries.id_type(scope);
        let compared = match vector {
            None => None,
            Some(vector) => Compared::of(scope, Searched::Entries, &column, vector)?,
        };
        Some(RowColumns {
            user,
            id: match open.looked_up_by {
                Some((id, _)) => id,
                None => column(c"entry_id")?.attribute()?.of_id(id_kind)?,
            },
            id_kind,
            created: column(c"creation_time")?.of_type(pg_sys::TIMESTAMPTZOID)?,
            importance: column(c"importance")?.of_type(pg_sys::INT2OID)?,
            usual_importance: bounds_and_defaults::FALLBACK_IMPORTANCE,
            compared,
            // If the executor checks privileges, it did not check them for these columns: a statement does.
            texts: match scope.plan.ranking.scoring.looks_at_texts() && open.may_be_read_whole() {
                true => Texts::of(&column),
                false => None,
            },
        })
    }

    /// The columns of contexts, which have no importance of their own in any store.
    pub fn of_contexts(scope: &Scope<'a>, open: &OpenIndex, vector: Option<&[f32]>) -> Option<RowColumns<'a>> {
        let column = |name| Attribute::named(&open.table, name).map(Column::Held);
        let text = |name| column(name)?.attribute()?.of_type(pg_sys::TEXTOID)?.of_default_collation();
        let user = match open.user() {
            None => None,
            Some(user) => Some((text(c"user_id")?, user.to_owned())),
        };
        let compared = match vector {
            None => None,
            Some(vector) => Compared::of(scope, Searched::Contexts, &column, vector)?,
        };
        let id_kind = Searched::Contexts.id_type(scope);
        Some(RowColumns {
            user,
            id: column(c"context_id")?.attribute()?.of_id(id_kind)?,
            id_kind,
            created: column(c"creation_time")?.of_type(pg_sys::TIMESTAMPTZOID)?,
            importance: None,
            usual_importance: 0.0,
            compared,
            texts: None,
        })
    }

    /// Reads the rows at these places, each page once; returns an answer for each place, `None` if the snapshot sees no
    /// row.
    pub fn read(&mut self, rows: &mut SeenRows<'_>, places: &[Place]) -> Result<Vec<Option<Fetched>>> {
        let mut by_block: Vec<usize> = (0..places.len()).collect();
        by_block.sort_unstable_by_key(|&asked| places[asked]);
        let mut found = vec![None; places.len()];
        for (number, asked) in by_block.into_iter().enumerate() {
            if number % ROWS_A_CHECK == 0 {
                interrupt::check();
            }
            let Some(mut row) = rows.row(places[asked]) else { continue };
            // The policy's condition, on the row itself.
            if self.user.as_ref().is_some_and(|(column, user)| row.is_text(*column, user) != Some(true)) {
                continue;
            }
            let Some(id) = row.id(self.id, self.id_kind)? else { continue };
            let distance = self.compared.as_mut().and_then(|compared| {
                let is_by_another =
                    compared.embedder.is_some_and(|(model, embedder)| row.is_text(model, embedder) == Some(false));
                if is_by_another { None } else { compared.nearest(&mut row) }
            });
            let created = self.created.and_then(|created| row.timestamp(created));
            let importance = self.importance.and_then(|importance| row.small_integer(importance));
            let (author, text_bytes) = match self.texts {
                Some(texts) => texts.read(&mut row).map(|(author, bytes)| (author, Some(bytes)))?,
                None => (None, None),
            };
            let fetched = Fetched {
                id,
                at: row.at(),
                created: created.unwrap_or(i64::MIN),
                importance: importance.map_or(self.usual_importance, f64::from),
                distance: distance.filter(|distance| !distance.is_nan()),
                author,
                text_bytes,
                passes: true,
            };
            found[asked] = Some(fetched);
        }
        Ok(found)
    }
}
