//! The passages of found entries that match the query. Only the entries that a search returns are read, token by token,
//! in the way in which their words were made.

use memory_search_core::Result;
use memory_search_core::output::snippet::Snippet;
use memory_search_core::rank::by_entry::ByEntry;
use memory_search_core::rank::choices::Strategy;
use memory_search_core::request::snippets::Snippets;
use memory_search_core::text::passage::{Passage, passages};
use memory_search_core::text::query_lexemes::QueryLexemes;

use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::pg::text_search::words::Accents;
use crate::search::fetch::Found;
use crate::search::nearest_passages;
use crate::search::query_words;
use crate::search::scopes::Scopes;

/// Adds to each entry the passages that match the query: its words, and in a long text its vector.
pub fn add(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    (vector, lexemes): (Option<&[f32]>, &QueryLexemes),
    snippets: &Snippets,
    marks: (&str, &str),
    found: &mut [Found],
) -> Result<()> {
    // All memories are of one store, whose text search configuration makes their words.
    let Some(scope) = scopes.memories.first() else { return Ok(()) };
    // A search by meaning alone has not made the words of the query.
    let own: QueryLexemes;
    let lexemes = match lexemes.is_empty() {
        true => {
            own = query_words::lexemes(scope.store, scope.plan)?;
            &own
        }
        false => lexemes,
    };
    let mut words = scope.store.words(Accents::Folded)?;
    let nearest = match vector.filter(|_| scopes.plan.strategy != Strategy::Keyword) {
        Some(vector) => nearest_passages::of(reader, scopes, vector, found)?,
        None => ByEntry::default(),
    };
    for found in found {
        interrupt::check();
        let text = &found.entry.raw_entry;
        let hits = if lexemes.is_empty() { Vec::new() } else { query_words::hits(&mut words, text, lexemes) };
        let near = nearest.get(found.ranked.candidate.key()).map(|range| Passage { from: range.start, to: range.end });
        let passages = passages(text, &hits, snippets.max_characters, snippets.per_entry, near);
        found.entry.snippet = Some(Snippet::new(text, &passages, &hits, marks));
    }
    Ok(())
}
