//! A page of a search: the part of its single ranking that no previous page has shown.

use std::collections::HashSet;

use memory_search_core::Result;
use memory_search_core::output::response::NextCursor;
use memory_search_core::rank::ranking::Ranked;
use memory_search_core::request::names::StoreName;
use memory_search_core::request::plan::Plan;
use memory_search_core::request::rerank::Rerank;
use memory_search_core::request::search_cursor::SearchCursor;
use memory_search_core::request::search_page::{AskedPage, SearchOf};
use memory_search_core::timestamp::Micros;

use crate::search::scope::Scope;

/// The requested page.
pub struct Page {
    /// The most entries on it.
    size: usize,
    /// The most entries of all pages together.
    depth: usize,
    /// The arguments of the search.
    of: SearchOf,
    /// The entries on the previous pages.
    pub shown: SearchCursor,
}

/// The page that a plan requests, if it requests one, at the instant `now`. The settings that affect a search must be
/// as they were on the previous page, or it is another search.
pub fn asked(
    plan: &Plan,
    store: &StoreName,
    embedder: Option<&str>,
    rerank: Option<&Rerank>,
    now: Micros,
) -> Result<Option<Page>> {
    let Some(page) = &plan.page else { return Ok(None) };
    let of = page
        .of
        .clone()
        .and("store", store)
        .and("the embedding model", embedder.unwrap_or_default())
        .and("the reranker", &format!("{rerank:?}"));
    let shown = match &page.asked {
        AskedPage::First => SearchCursor { first_asked: now, ..SearchCursor::default() },
        AskedPage::Behind(cursor) => SearchCursor::read(cursor, &of)?,
    };
    Ok(Some(Page { size: page.size, depth: plan.top_ke, of, shown }))
}

/// The winners of a search over memories that belong to its page, and the cursor of the next page; all winners if it
/// has no pages.
pub fn cut(page: Option<&Page>, memories: &[Scope<'_>], mut winners: Vec<Ranked>) -> (Vec<Ranked>, Option<NextCursor>) {
    let Some(page) = page else { return (winners, None) };
    let names: Vec<String> = memories.iter().map(|scope| scope.store.canonical_memory_id(scope.memory_id)).collect();
    let memory_of = |winner: &Ranked| &names[winner.candidate.memory as usize];
    let shown =
        page.shown.shown.iter().flat_map(|(memory, ids)| ids.iter().map(move |id| (memory.as_str(), id.as_str())));
    let shown: HashSet<(&str, &str)> = shown.collect();
    winners.retain(|winner| !shown.contains(&(memory_of(winner).as_str(), winner.candidate.id.as_str())));
    // However entries move meanwhile, no search shows more entries than it ranks.
    let room = page.depth.saturating_sub(page.shown.count());
    let is_last = winners.len() <= page.size || room <= page.size;
    winners.truncate(page.size.min(room));
    if is_last {
        return (winners, Some(NextCursor(None)));
    }
    let mut next = page.shown.clone();
    for winner in &winners {
        next.shown.entry(memory_of(winner).clone()).or_default().push(winner.candidate.id.clone());
    }
    let next = next.written(&page.of);
    (winners, Some(NextCursor(Some(next))))
}
