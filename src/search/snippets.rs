//! What of a found entry fits the query. Only the entries that a search returns are looked at, word by word, by the text
//! search configuration that made their lexemes.

use memory_search_core::Result;
use memory_search_core::output::snippet::Snippet;
use memory_search_core::request::snippets::Snippets;
use memory_search_core::text::passage::passages;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::text::word_finder::WordFinder;
use memory_search_core::text::words_in_text::WordsInText;

use crate::pg::interrupt;
use crate::pg::spi::Reader;
use crate::search::fetch::Found;
use crate::search::query_words;
use crate::search::scopes::Scopes;

/// Adds its snippet to each entry.
pub fn add(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    lexemes: &QueryLexemes,
    snippets: &Snippets,
    marks: (&str, &str),
    found: &mut [Found],
) -> Result<()> {
    // Their words are of one configuration: that of the store.
    let Some(scope) = scopes.memories.first() else { return Ok(()) };
    // A search by meaning alone has not asked for them.
    let own: QueryLexemes;
    let lexemes = match lexemes.is_empty() {
        true => {
            own = query_words::lexemes(reader, scope.store, scope.plan)?;
            &own
        }
        false => lexemes,
    };
    let finder = WordFinder::new(lexemes);
    let mut ask = |text: &str| query_words::held(reader, scope.store, text, &finder);
    let mut words = WordsInText::new(&mut ask, &interrupt::check);
    for found in found {
        interrupt::check();
        let text = &found.entry.raw_entry;
        let hits = if finder.is_empty() { Vec::new() } else { words.hits(text)? };
        let passages = passages(text, &hits, snippets.max_characters, snippets.per_entry);
        found.entry.snippet = Some(Snippet::new(text, &passages, &hits, marks));
    }
    Ok(())
}
