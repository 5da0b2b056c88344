//! The memory index of a store's contexts, and the contexts in it whose entries are still present.

use std::collections::HashSet;
use std::rc::Rc;

use memory_search_core::Result;
use memory_search_core::filter::condition::{TextField, TimeField};
use memory_search_core::ids::RowId;
use memory_search_index::fault::Outcome;
use memory_search_index::filter::Layout;

use super::conditions::{Conditions, Opened};
use super::counted::Counted;
use super::open::{Asked, OpenIndex, RankedBy, SeenBy};
use crate::index::{Index, PinnedPages};
use crate::pg::open_relation::{self, OpenRelation};
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::in_place::contexts::Contexts;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::store::definition::memory_index::column;

/// Opens the index of the contexts of a memory. `None` if their rows may not be read in place, if the contexts are
/// those in entries, or if the index lacks a column that the search needs: then the rows are read.
pub fn open(scope: &Scope<'_>, pinned: &Rc<PinnedPages>, by_meaning: bool) -> Result<Option<Opened>> {
    let Some(definition) = &scope.store.contexts_index else { return Ok(None) };
    if !open_relation::may_scan_indexes() {
        return Ok(None);
    }
    let Some(contexts) = Contexts::of(scope) else { return Ok(None) };
    let part = match scope.store.partition {
        None => Some(definition.oid),
        Some(partition) => partition.contexts_index,
    };
    let table = OpenRelation::new(contexts.table.rows.oid());
    let (Some(oid), Some(table)) = (part, table) else { return Ok(None) };
    let Some(index) = Index::open(oid, &table, pinned)? else { return Ok(None) };
    let number = |name| definition.position(name).and_then(|place| index.number_of(place));
    let term = |name| definition.position(name).filter(|place| index.is_term(*place)).map(|place| place as u16 + 1);
    let (Some(created), Some(deleted)) = (number(column::CREATION_TIME), number(column::DELETION_SCHEDULED_TIME))
    else {
        return Ok(None);
    };
    let (user_id, embedder) = (term(column::USER_ID), term(column::EMBEDDING_MODEL));
    let user = contexts.table.user().map(str::to_owned);
    let asks_users = user.is_some() || contexts.visible.looks_at(TextField::UserId);
    let asks_embedders = by_meaning && scope.embedder.is_some() && !scope.store.is_view;
    if asks_users && user_id.is_none() || asks_embedders && embedder.is_none() {
        return Ok(None);
    }
    let mut layout = Layout::new(*index.hashes())
        .with_time(TimeField::Creation, created)
        .with_time(TimeField::DeletionScheduled, deleted);
    if let Some(user_id) = user_id {
        layout = layout.with_text(TextField::UserId, user_id);
    }
    let open = OpenIndex {
        layout,
        ranked_by: RankedBy { created: Some(created), order: None },
        embedder,
        has_words: definition.has_words && index.makes_words_so(scope.store.configuration()?, &definition.weights),
        has_embeddings: definition.position(column::EMBEDDING).is_some(),
        looked_up_by: None,
        // Contexts that a statement must be asked about are not opened.
        seen_by: match user {
            Some(user) => SeenBy::User(user, Asked::Nothing),
            None => SeenBy::Snapshot(Asked::Nothing),
        },
        index,
        table,
    };
    let conditions = Conditions::of_contexts(scope, &open, contexts.visible, by_meaning);
    Ok(Some(Opened { index: open, conditions }))
}

/// Removes contexts whose entry is not present, unless another entry has the same context. Returns false if only a
/// statement can decide.
pub fn leave_out_those_without_entries(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    counted: &mut Counted<'_>,
) -> Outcome<bool> {
    // All contexts of a memory at once, because each takes less time when many are looked up together.
    for parts in counted.parts_by_memory() {
        let documents = counted.counting(&counted.parts[parts.clone()])?;
        let Some(&first) = documents.first() else { continue };
        let scope = scopes.memory(counted.memory(first));
        let Some(contexts) = Contexts::of(scope) else { return Ok(false) };
        if !contexts.may_name_entries() {
            continue;
        }
        let places = documents.iter().map(|&document| counted.place(document)).collect::<Outcome<Vec<_>>>()?;
        let all = counted.parts[parts.clone()].iter().map(|part| part.counts.size() as usize).sum();
        let Some(without) =
            contexts.without_their_entries(&places, all, scopes.present.of(scope.memory_id).as_ref())?
        else {
            return Ok(false);
        };
        if without.is_empty() {
            continue;
        }
        let standing = standing_among(reader, scope, without.iter().map(|(_, id)| id.to_text()).collect())?;
        for (number, _) in without.iter().filter(|(_, id)| !standing.contains(id)) {
            counted.count_no_more(documents[*number]);
        }
    }
    Ok(true)
}

/// The visible ones of some contexts, by a statement.
fn standing_among(reader: &Reader<'_>, scope: &Scope<'_>, ids: Vec<String>) -> Result<HashSet<RowId>> {
    let mut statement = Statement::default();
    let standing = scope.contexts_that_stand(&mut statement);
    let ids = statement.bind(Param::Texts(ids));
    let id_type = scope.context_id_type();
    let statement = statement.with(format!(
        "SELECT c.context_id::pg_catalog.{id_type} FROM {} c WHERE {standing} AND {}",
        scope.contexts(),
        scope.context_is_among(&ids)
    ));
    let mut found = HashSet::new();
    scope.store.looking_up(|| {
        reader.scan(&statement, |row| {
            found.extend(row.id(1, id_type)?);
            Ok(())
        })
    })?;
    Ok(found)
}
