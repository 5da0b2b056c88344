//! Prompt text: a search whose result is written for a language model.

use memory_search_core::Result;
use memory_search_core::output::prompt;
use memory_search_core::request::search_request::SearchRequest;

use crate::pg::interrupt;
use crate::pg::settings;
use crate::search::contexts;
use crate::search::pipeline;

/// Similarity above which two memories say the same, where the caller does not say.
const DEDUP_THRESHOLD: f64 = 0.95;

/// Searches, and builds the prompt inside `token_budget`. Without `top_ke` as many entries as
/// allowed compete for the budget.
pub fn build(mut request: SearchRequest, system_prompt: &str, token_budget: usize) -> Result<String> {
    request.top_ke = request.top_ke.or(Some(settings::bounds().max_top_ke));
    pipeline::run(request, |reader, scope, inputs| {
        let dedup_threshold = scope.plan.dedup_threshold.or(Some(DEDUP_THRESHOLD));
        let plan = memory_search_core::request::plan::Plan { dedup_threshold, ..scope.plan.clone() };
        let found = pipeline::find(reader, &scope.with_plan(&plan), inputs)?;
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
        let latest = contexts::latest(reader, scope)?.map(|(latest, _)| latest);
        let context = latest.map(|latest| prompt::Context { created: latest.created, text: latest.text });
        prompt::build(system_prompt, &memories, context.as_ref(), token_budget, &interrupt::check)
    })
}
