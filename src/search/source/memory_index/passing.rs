//! Tests whether any document passes the filters, before anything else is read: in a memory in which none passes, a
//! search reads a few pages. Here the documents of rows that the caller does not see count too. If only such rows pass,
//! the search goes on, and must give the same answer and diagnostics as if it had ended here.

use memory_search_index::fault::Outcome;
use memory_search_index::filter::{DocumentRow, over_segment};
use memory_search_index::memory::contents::Contents;

use super::conditions::{Conditions, Opened};
use super::counted::Wanted;
use super::open::OpenIndex;
use crate::index::RelationPages;
use crate::pg::interrupt;

/// Whether it is certain that none passes; false if only rows can tell.
pub fn is_none(pages: &[&RelationPages], opened: &[Opened], memories: &[Wanted]) -> Outcome<bool> {
    // For rows that the executor named it is not known yet whether each has a document.
    if memories.iter().any(|wanted| wanted.rows.is_some()) {
        return Ok(false);
    }
    for wanted in memories {
        let Opened { index, conditions } = &opened[wanted.index];
        let contents = Contents::read(pages[wanted.index], wanted.memory, &mut |_| false)?;
        if may_any_pass(&contents, index, conditions)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a document passes, visible or not. The segments come first: for each a few terms are looked up, but in the
/// tail every document is read.
fn may_any_pass(contents: &Contents<'_, RelationPages>, index: &OpenIndex, conditions: &Conditions) -> Outcome<bool> {
    let asked = conditions.asked.as_ref();
    for open in &contents.segments {
        interrupt::check();
        let mut may_pass = over_segment(&conditions.filters, &index.layout, &open.segment)?.is_true;
        if let Some(asked) = asked.filter(|_| !may_pass.is_empty()) {
            may_pass.intersect(&over_segment(asked, &index.layout, &open.segment)?.not_false);
        }
        if !may_pass.is_empty() {
            return Ok(true);
        }
    }
    for document in 0..contents.tail_documents() {
        let (_, _, view) = contents.tail_document(document)?;
        let row = DocumentRow { view: &view, layout: &index.layout };
        let may_pass = asked.is_none_or(|asked| asked.evaluate(&row) != Some(false));
        if may_pass && conditions.filters.evaluate(&row) == Some(true) {
            return Ok(true);
        }
    }
    Ok(false)
}
