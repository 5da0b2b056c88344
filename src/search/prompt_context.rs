//! Prompt text: a search whose result is written for a language model.

use memory_search_core::filter::condition::Condition;
use memory_search_core::output::prompt;
use memory_search_core::rank::by_entry::{ByEntry, EntryKey};
use memory_search_core::request::search_request::{Purpose, SearchRequest};
use memory_search_core::{Error, ErrorKind, Result, bounds_and_defaults};

use crate::pg::datum::text;
use crate::pg::interrupt;
use crate::pg::spi::{Reader, Statement};
use crate::search::contexts;
use crate::search::neighbours::{self, Neighbour};
use crate::search::pipeline;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::search::snippets;

/// Searches, and builds the prompt inside `token_budget`.
pub fn build(request: SearchRequest, system_prompt: &str, token_budget: usize) -> Result<String> {
    let request = SearchRequest { purpose: Purpose::Prompt, ..request };
    pipeline::run(request, |reader, scopes, inputs| {
        let newest = newest(reader, scopes)?;
        let mut found = pipeline::find(reader, scopes, inputs)?;
        if let Some(wanted) = &scopes.plan.newest {
            // The search asked for as many more.
            found.retain(|found| !newest.contains(found.ranked.candidate.key()));
            found.truncate(scopes.plan.top_ke.saturating_sub(wanted.entries));
        }
        if let Some(wanted) = &scopes.plan.snippets {
            let query = (inputs.vector(), inputs.found_by());
            snippets::add(reader, scopes, query, wanted, wanted.marks_of_prompt(), &mut found)?;
        }
        let mut neighbours = neighbours::of(reader, scopes, &found)?.into_iter();
        let mut memories: Vec<prompt::Memory> = Vec::with_capacity(found.len());
        for found in found {
            // In the order of the conversation: the neighbours before it, the entry itself, the neighbours after it.
            let mut beside = neighbours.next().unwrap_or_default();
            let memory = found.ranked.candidate.memory;
            beside.retain(|neighbour| !newest.contains(EntryKey { memory, id: &neighbour.entry_id }));
            let behind = beside.split_off(beside.partition_point(|neighbour| neighbour.place < 0));
            memories.extend(beside.into_iter().map(memory_of_neighbour));
            memories.push(prompt::Memory {
                created: found.created,
                source_type: found.entry.source_type,
                importance: found.entry.importance,
                valid_from: found.interval.0,
                valid_until: found.interval.1,
                summary: found.entry.summary,
                raw_entry: found.entry.raw_entry,
                passage: found.entry.snippet.map(|snippet| snippet.text),
            });
            memories.extend(behind.into_iter().map(memory_of_neighbour));
        }
        let latest = contexts::latest(reader, scopes)?;
        let context = latest.map(|latest| prompt::Context { created: latest.created, text: latest.text });
        let budget = prompt::Budget { tokens: token_budget, characters_of_memory: scopes.plan.max_characters };
        let pinned = pinned(reader, scopes)?;
        prompt::build(system_prompt, &pinned, &newest.in_order, &memories, context.as_ref(), budget, &interrupt::check)
    })
}

fn memory_of_neighbour(neighbour: Neighbour) -> prompt::Memory {
    prompt::Memory {
        created: neighbour.created,
        source_type: neighbour.source_type,
        importance: neighbour.importance,
        valid_from: neighbour.interval.0,
        valid_until: neighbour.interval.1,
        summary: neighbour.summary,
        raw_entry: neighbour.raw_entry,
        passage: None,
    }
}

/// The newest entries, with which a prompt begins.
#[derive(Default)]
struct Newest {
    /// The entries, with the oldest first.
    in_order: Vec<prompt::Memory>,
    ids: ByEntry<()>,
}

impl Newest {
    fn contains(&self, key: EntryKey<'_>) -> bool {
        self.ids.contains(key)
    }
}

fn newest(reader: &Reader<'_>, scopes: &Scopes<'_>) -> Result<Newest> {
    let Some(wanted) = &scopes.plan.newest else { return Ok(Newest::default()) };
    let those = Condition::all([wanted.filters.condition(), scopes.plan.filters.condition()]);
    let (mut found, mut bytes) = (Vec::new(), 0);
    for (number, scope) in scopes.numbered() {
        let mut statement = Statement::default();
        let are_meant = scope.visible_entries_that_meet(&mut statement, &those);
        let rows = format!(
            "{} e WHERE {are_meant} AND e.entry_id IS NOT NULL \
             ORDER BY e.creation_time {}, e.entry_order DESC NULLS LAST, {} LIMIT {}",
            scope.store.relation("entries"),
            scope.store.newest_first(),
            scope.store.id_order("e.entry_id"),
            wanted.entries
        );
        entries(reader, scope, statement, &rows, &mut bytes, |id, memory| {
            found.push((number, id, memory));
        })?;
    }
    if scopes.memories.len() > 1 {
        // A stable sort: entries of one memory keep their order.
        found.sort_by(|(a_memory, _, a), (b_memory, _, b)| {
            b.created.cmp(&a.created).then_with(|| a_memory.cmp(b_memory))
        });
        found.truncate(wanted.entries);
    }
    let mut newest = Newest::default();
    for (number, id, memory) in found.into_iter().rev() {
        newest.ids.insert(number, id, ());
        newest.in_order.push(memory);
    }
    Ok(newest)
}

/// The entries that every prompt contains: the most important first, then the newest. Of the search's filters only the
/// one on users applies, because they are in the prompt whatever it is about.
fn pinned(reader: &Reader<'_>, scopes: &Scopes<'_>) -> Result<Vec<prompt::Memory>> {
    let Some(filters) = &scopes.plan.pinned else { return Ok(Vec::new()) };
    let those = Condition::all([filters.condition()].into_iter().chain(scopes.plan.filters.user().cloned()));
    let (mut pinned, mut bytes) = (Vec::new(), 0);
    for scope in &scopes.memories {
        let mut statement = Statement::default();
        let are_pinned = scope.visible_entries_that_meet(&mut statement, &those);
        let rows = format!(
            "{} e WHERE {are_pinned} \
             ORDER BY e.importance DESC NULLS LAST, e.creation_time DESC NULLS LAST, {} LIMIT {}",
            scope.store.relation("entries"),
            scope.store.id_order("e.entry_id"),
            bounds_and_defaults::MAX_PINNED + 1
        );
        entries(reader, scope, statement, &rows, &mut bytes, |id, memory| {
            pinned.push((id, memory));
        })?;
        if pinned.len() > bounds_and_defaults::MAX_PINNED {
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!("options.pinned names more than {} entries", bounds_and_defaults::MAX_PINNED),
            )
            .hint("All of them would be in every prompt: pin fewer."));
        }
    }
    if scopes.memories.len() > 1 {
        // Nulls come last; of equals, those of the first memory come first.
        pinned.sort_by(|(a_id, a), (b_id, b)| {
            b.importance.cmp(&a.importance).then_with(|| b.created.cmp(&a.created)).then_with(|| a_id.cmp(b_id))
        });
    }
    Ok(pinned.into_iter().map(|(_, memory)| memory).collect())
}

/// The entries `e` that a FROM, an order and a limit select, with their ids; `bytes` adds up the length of their texts.
fn entries(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    statement: Statement,
    rows: &str,
    bytes: &mut usize,
    mut each: impl FnMut(String, prompt::Memory),
) -> Result<()> {
    let statement = statement.with(format!(
        "SELECT e.creation_time::pg_catalog.timestamptz, e.source_type::pg_catalog.text, e.importance::pg_catalog.int8, \
                e.summary::pg_catalog.text, e.raw_entry::pg_catalog.text, e.entry_id::pg_catalog.text, {} FROM {rows}",
        scope.store.interval("e"),
    ));
    reader.scan(&statement, |row| {
        let memory = prompt::Memory {
            created: row.timestamp(1),
            source_type: row.text(2)?,
            importance: row.integer(3),
            valid_from: row.timestamp(7),
            valid_until: row.timestamp(8),
            summary: row.text(4)?,
            raw_entry: row.text(5)?.unwrap_or_default(),
            passage: None,
        };
        *bytes += memory.raw_entry.len() + memory.summary.as_ref().map_or(0, String::len);
        if *bytes > bounds_and_defaults::MAX_RESPONSE_BYTES {
            return Err(text::too_much(*bytes));
        }
        each(row.text(6)?.unwrap_or_default(), memory);
        Ok(())
    })
}
