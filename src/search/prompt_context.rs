//! Prompt text: a search whose result is written for a language model.

use memory_search_core::output::prompt;
use memory_search_core::request::search_request::{Purpose, SearchRequest};
use memory_search_core::{Error, ErrorKind, Result, limits};

use crate::pg::datum::text;
use crate::pg::interrupt;
use crate::pg::spi::{Reader, Statement};
use crate::search::contexts;
use crate::search::neighbours::{self, Neighbour};
use crate::search::pipeline;
use crate::search::scope::Scope;
use crate::search::snippets;

/// Searches, and builds the prompt inside `token_budget`.
pub fn build(request: SearchRequest, system_prompt: &str, token_budget: usize) -> Result<String> {
    let request = SearchRequest { purpose: Purpose::Prompt, ..request };
    pipeline::run(request, |reader, scope, inputs| {
        let mut found = pipeline::find(reader, scope, inputs)?;
        if let Some(wanted) = &scope.plan.snippets {
            snippets::add(reader, scope, &inputs.lexemes, wanted, wanted.marks_of_prompt(), &mut found)?;
        }
        let mut neighbours = neighbours::of(reader, scope, &found)?.into_iter();
        let mut memories: Vec<prompt::Memory> = Vec::with_capacity(found.len());
        for found in found {
            // As it was said: what stands before it, itself, what stands behind it.
            let mut beside = neighbours.next().unwrap_or_default();
            let behind = beside.split_off(beside.partition_point(|neighbour| neighbour.place < 0));
            memories.extend(beside.into_iter().map(memory_of_neighbour));
            memories.push(prompt::Memory {
                created: found.created,
                source_type: found.entry.source_type,
                importance: found.entry.importance,
                summary: found.entry.summary,
                raw_entry: found.entry.raw_entry,
                passage: found.entry.snippet.map(|snippet| snippet.text),
            });
            memories.extend(behind.into_iter().map(memory_of_neighbour));
        }
        let latest = contexts::latest(reader, scope)?;
        let context = latest.map(|latest| prompt::Context { created: latest.created, text: latest.text });
        let budget = prompt::Budget { tokens: token_budget, characters_of_memory: scope.plan.max_characters };
        let pinned = pinned(reader, scope)?;
        prompt::build(system_prompt, &pinned, &memories, context.as_ref(), budget, &interrupt::check)
    })
}

fn memory_of_neighbour(neighbour: Neighbour) -> prompt::Memory {
    prompt::Memory {
        created: neighbour.created,
        source_type: neighbour.source_type,
        importance: neighbour.importance,
        summary: neighbour.summary,
        raw_entry: neighbour.raw_entry,
        passage: None,
    }
}

/// What the prompt has always: the most important first, then the newest.
fn pinned(reader: &Reader<'_>, scope: &Scope<'_>) -> Result<Vec<prompt::Memory>> {
    let Some(pinned) = &scope.plan.pinned else { return Ok(Vec::new()) };
    let mut statement = Statement::default();
    let are_pinned = scope.visible_entries_that_meet(&mut statement, &pinned.condition());
    let statement = statement.with(format!(
        "SELECT e.creation_time::pg_catalog.timestamptz, e.source_type::pg_catalog.text, e.importance::pg_catalog.int8, \
                e.summary::pg_catalog.text, e.raw_entry::pg_catalog.text \
         FROM {} e WHERE {are_pinned} \
         ORDER BY e.importance DESC NULLS LAST, e.creation_time DESC NULLS LAST, {} LIMIT {}",
        scope.store.relation("entries"),
        scope.store.id_order("e.entry_id"),
        limits::MAX_PINNED + 1
    ));
    let (mut memories, mut bytes) = (Vec::new(), 0);
    reader.scan(&statement, |row| {
        let memory = prompt::Memory {
            created: row.timestamp(1),
            source_type: row.text(2)?,
            importance: row.integer(3),
            summary: row.text(4)?,
            raw_entry: row.text(5)?.unwrap_or_default(),
            passage: None,
        };
        bytes += memory.raw_entry.len() + memory.summary.as_ref().map_or(0, String::len);
        if bytes > limits::MAX_RESPONSE_BYTES {
            return Err(text::too_much(bytes));
        }
        memories.push(memory);
        Ok(())
    })?;
    if memories.len() > limits::MAX_PINNED {
        return Err(Error::new(
            ErrorKind::LimitExceeded,
            format!("options.pinned names more than {} entries", limits::MAX_PINNED),
        )
        .hint("All of them would be in every prompt: pin fewer."));
    }
    Ok(memories)
}
