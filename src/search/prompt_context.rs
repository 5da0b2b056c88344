//! Prompt text: a search whose result is written for a language model.

use memory_search_core::Result;
use memory_search_core::output::prompt;
use memory_search_core::request::search_request::{Purpose, SearchRequest};

use crate::pg::interrupt;
use crate::search::contexts;
use crate::search::pipeline;

/// Searches, and builds the prompt inside `token_budget`.
pub fn build(request: SearchRequest, system_prompt: &str, token_budget: usize) -> Result<String> {
    let request = SearchRequest { purpose: Purpose::Prompt, ..request };
    pipeline::run(request, |reader, scope, inputs| {
        let found = pipeline::find(reader, scope, inputs)?;
        let memories: Vec<prompt::Memory> = found
            .into_iter()
            .map(|found| prompt::Memory {
                created: found.created,
                source_type: found.entry.source_type,
                importance: found.entry.importance,
                summary: found.entry.summary,
                raw_entry: found.entry.raw_entry,
            })
            .collect();
        let latest = contexts::latest(reader, scope)?;
        let context = latest.map(|latest| prompt::Context { created: latest.created, text: latest.text });
        let budget = prompt::Budget { tokens: token_budget, characters_of_memory: scope.plan.max_characters };
        prompt::build(system_prompt, &memories, context.as_ref(), budget, &interrupt::check)
    })
}
