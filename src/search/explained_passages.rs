//! The passage of a long entry that an explanation shows: the one whose embedding is nearest to the query's vector.

use std::collections::HashMap;

use memory_search_core::output::explanation::Explained;
use memory_search_core::output::response::rounded;
use memory_search_core::rank::choices::Strategy;
use memory_search_core::text::long_text;
use memory_search_core::{Error, ErrorKind, Result};
use serde_json::{Value, json};

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::source::distance;

/// Characters of a passage that are shown, as many as of an entry.
const SHOWN_CHARACTERS: usize = 60;

/// Adds the nearest passage to the details of rows whose entries have embeddings of passages that are compared.
pub fn add_passages(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    vector: Option<&[f32]>,
    rows: &mut [Explained],
) -> Result<()> {
    let Some(vector) = vector.filter(|_| scopes.plan.strategy != Strategy::Keyword) else { return Ok(()) };
    for (memory, scope) in scopes.numbered().filter(|(_, scope)| !scope.store.is_adopted()) {
        let of_memory = rows.iter_mut().filter(|row| row.memory == Some(memory));
        let mut by_id: HashMap<String, &mut Explained> =
            of_memory.filter_map(|row| Some((row.entry_id.clone()?, row))).collect();
        if by_id.is_empty() {
            continue;
        }
        let statement = statement(scope, vector, by_id.keys().cloned().collect());
        // Texts may be long: each is read when the one before is done.
        scope.store.looking_up(|| {
            reader.scan(&statement, |found| {
                interrupt::check();
                if let Some(row) = by_id.get_mut(&found.required_text(1)?)
                    && let Some(passage) = passage(&found)?
                {
                    row.details = row.details.take().map(|details| with_passage(&details, passage)).transpose()?;
                }
                Ok(())
            })
        })?;
    }
    Ok(())
}

fn statement(scope: &Scope<'_>, vector: &[f32], ids: Vec<String>) -> Statement {
    let mut statement = Statement::default();
    let nearest = distance::nearest_passage(scope, vector, &mut statement);
    let of_memory = scope.of_memory(&mut statement, "e");
    let ids = statement.bind(Param::Texts(ids));
    statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text, e.raw_entry::pg_catalog.text, \
                pg_catalog.cardinality(e.passage_embeddings)::pg_catalog.int8, {}, {} \
         FROM {}",
        nearest.number,
        nearest.distance,
        scope.store.columns_wanted("e.*", &ids, &of_memory, " AND e.passage_embeddings IS NOT NULL")
    ))
}

/// The nearest passage: its number from 1 in the order of the text, the number of passages, its similarity, and its
/// place in the text, if the text has as many passages as there are embeddings. None if no embedding is compared.
fn passage(row: &Row<'_>) -> Result<Option<Value>> {
    let (Some(count), Some(number), Some(distance)) = (row.integer(3), row.integer(4), row.number(5)) else {
        return Ok(None);
    };
    let mut passage = json!({"number": number, "of": count, "cosine": rounded(1.0 - distance)});
    let text = row.required_text(2)?;
    let passages = long_text::passages(&text, &interrupt::check);
    let at = usize::try_from(number - 1).ok();
    if i64::try_from(passages.len()) == Ok(count)
        && let Some(range) = at.and_then(|at| passages.get(at))
    {
        let from = text[..range.start].chars().count();
        let own = &text[range.clone()];
        passage["range"] = json!([from, from + own.chars().count()]);
        passage["text"] = json!(own.chars().take(SHOWN_CHARACTERS).collect::<String>());
    }
    Ok(Some(passage))
}

fn with_passage(details: &str, passage: Value) -> Result<String> {
    let unread = |error| Error::new(ErrorKind::Internal, format!("details of an explanation are no JSON: {error}"));
    let mut details: Value = serde_json::from_str(details).map_err(unread)?;
    // An entry whose similarity the search has not computed was not ranked by its passages either.
    if details["semantic"]["cosine"].is_number() {
        details["semantic"]["passage"] = passage;
    }
    Ok(details.to_string())
}
