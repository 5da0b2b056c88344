//! A pass over the contexts of a memory, from their rows and without a statement: the same values as from
//! [`super::table`].

use memory_search_core::ids::IdKind;
use memory_search_core::rank::collector::Scanned;
use memory_search_core::text::made_words::{MadeWords, Weight};
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use super::pass::{Pass, Sink};
use crate::pg::attribute::Attribute;
use crate::pg::interrupt;
use crate::pg::seen_rows::SeenRows;
use crate::pg::text_search::words::{Accents, Words};
use crate::pg::vector_distance::VectorDistance;
use crate::search::in_place::contexts::{Contexts, Places};

/// Delivers every visible context of the memory, as the statement of a pass does, and returns the number of those whose
/// embedding came from another embedder than the query's. `None` if a statement must be used; then nothing was
/// delivered.
pub fn deliver(pass: &Pass<'_>, sink: &mut Sink<'_>) -> Result<Option<u64>> {
    let Some(contexts) = Contexts::of(pass.scope) else { return Ok(None) };
    let Some(mut ranked) = Ranked::of(&contexts, pass) else { return Ok(None) };
    let Some(Places { places, are_visible }) = contexts.places()? else { return Ok(None) };
    let mut rows = SeenRows::in_active_snapshot(&contexts.table.rows);
    let mut by_another = 0;
    for place in places {
        interrupt::check();
        let Some(mut row) = contexts.table.row(&mut rows, place) else { continue };
        if !are_visible && !contexts.is_visible(&mut row)?.ok_or_else(|| names_an_entry(pass))? {
            continue;
        }
        let is_by_another = ranked.embedder.is_some_and(|(model, name)| row.is_text(model, name) == Some(false));
        by_another += u64::from(is_by_another);
        let distance = match &mut ranked.distance {
            Some((embedding, distance)) if !is_by_another => row.distance(*embedding, distance),
            _ => None,
        };
        let scanned = Scanned {
            memory: pass.memory,
            created: row.timestamp(contexts.created).unwrap_or(i64::MIN),
            order: 0,
            importance: 0.0,
            passes: true,
            distance: distance.filter(|distance| !distance.is_nan()),
        };
        let id = row.id(contexts.context_id, IdKind::Uuid)?;
        match &mut ranked.words {
            Some((context, words)) => {
                row.with_text(*context, |text| words.add_text(text, Weight::D))?;
                sink.collector.add(scanned, Some(&words.finish()), || Ok(id))?;
            }
            None => sink.collector.add(scanned, None::<&MadeWords>, || Ok(id))?,
        }
    }
    Ok(Some(by_another))
}

fn names_an_entry(pass: &Pass<'_>) -> Error {
    let contexts = pass.scope.store.relation("contexts");
    let message = format!("an index of {contexts} lacks a context that names an entry");
    Error::new(ErrorKind::IndexCorrupted, message)
        .hint(format!("REINDEX TABLE CONCURRENTLY {contexts}: no context is lost."))
}

/// The columns by which a search ranks contexts.
struct Ranked<'a> {
    /// The column of their text, and the source of its words.
    words: Option<(Attribute, Words)>,
    distance: Option<(Attribute, VectorDistance)>,
    /// The column that names embedders, and the query's embedder.
    embedder: Option<(Attribute, &'a str)>,
}

impl<'a> Ranked<'a> {
    fn of(contexts: &Contexts<'_>, pass: &Pass<'a>) -> Option<Ranked<'a>> {
        let (scope, wanted, table) = (pass.scope, pass.wanted, &contexts.table);
        let words = match wanted.lexemes {
            Some(_) => Some((table.column(c"context", pg_sys::TEXTOID)?, scope.store.words(Accents::Folded).ok()?)),
            None => None,
        };
        let Some(vector) = wanted.vector else { return Some(Ranked { words, distance: None, embedder: None }) };
        let functions = scope.store.vector_functions.filter(|functions| functions.may_be_called())?;
        let embedding = table.column(c"embedding", functions.vector.into())?;
        let embedder = match scope.embedder.filter(|_| !scope.store.is_view) {
            None => None,
            Some(name) => Some((table.column(c"embedding_model", pg_sys::TEXTOID)?.of_default_collation()?, name)),
        };
        Some(Ranked { words, distance: Some((embedding, VectorDistance::to(functions, vector))), embedder })
    }
}
