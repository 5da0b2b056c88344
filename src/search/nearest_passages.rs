//! The passages of long entries whose embeddings are nearest to the query's vector.

use std::ops::Range;

use memory_search_core::Result;
use memory_search_core::rank::by_entry::{ByEntry, EntryKey, by_memory};
use memory_search_core::text::long_text;

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::fetch::Found;
use crate::search::scopes::Scopes;
use crate::search::source::distance;

/// The nearest passage of each found entry with a long text, as a range of its bytes. An entry has none if its text was
/// embedded as a whole only, or if its passages are others than its embeddings are for.
pub fn of(reader: &Reader<'_>, scopes: &Scopes<'_>, vector: &[f32], found: &[Found]) -> Result<ByEntry<Range<usize>>> {
    let (mut all, mut nearest) = (ByEntry::default(), ByEntry::default());
    let mut long = Vec::new();
    for found in found {
        let key = found.ranked.candidate.key();
        let passages = long_text::passages(&found.entry.raw_entry, &interrupt::check);
        if !passages.is_empty() && !scopes.memory(key.memory).store.is_adopted() {
            all.insert(key.memory, key.id.to_owned(), passages);
            long.push(key);
        }
    }
    for (memory, ids) in by_memory(long.into_iter()) {
        let scope = scopes.memory(memory);
        let mut statement = Statement::default();
        let number = distance::nearest_passage(scope, vector, &mut statement).number;
        let of_memory = scope.of_memory(&mut statement, "e");
        let ids = statement.bind(Param::Texts(ids));
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.text, pg_catalog.cardinality(e.passage_embeddings)::pg_catalog.int8, {number} \
             FROM {}",
            scope.store.wanted(&ids, &of_memory)
        ));
        scope.store.looking_up(|| {
            reader.rows(&statement, |row| {
                let id = row.required_text(1)?;
                let of_text: Option<&Vec<Range<usize>>> = all.get(EntryKey { memory, id: &id });
                let count = row.integer(2).and_then(|count| usize::try_from(count).ok());
                if let (Some(passages), Some(number)) = (of_text, row.integer(3))
                    && count == Some(passages.len())
                    && let Some(passage) = usize::try_from(number - 1).ok().and_then(|at| passages.get(at))
                {
                    nearest.insert(memory, id, passage.clone());
                }
                Ok(())
            })
        })?;
    }
    Ok(nearest)
}
