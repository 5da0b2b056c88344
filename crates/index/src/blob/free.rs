//! Freeing blobs: a blob that was unlinked, and blobs that nothing points to after a crash or an error.

use std::collections::HashSet;

use memory_search_core::error::out_of_memory;

use super::{Blob, Part};
use crate::fault::{Fault, Outcome, damaged};
use crate::page::{self, Kind, NO_BLOCK, Page, Special};
use crate::pages::{Change, PAGES_A_CHANGE, Pages};

/// The result of [`free_unlinked`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freed {
    /// Pages that it freed.
    pub pages: u64,
    /// Pages that were free already, and are noted again, because a crash loses the notes.
    pub known: u64,
}

/// Frees a blob that nothing points to any more. Does nothing if another process has freed it.
pub fn free(pages: &impl Pages, root: u32, id: u64) -> Outcome<()> {
    let blob = match Blob::open(pages, root, id) {
        Err(Fault::Moved) => return Ok(()),
        opened => opened?,
    };
    let mut parts = blob.parts().peekable();
    while parts.peek().is_some() {
        pages.tick()?;
        let mut freed = Vec::with_capacity(PAGES_A_CHANGE);
        let mut change = pages.change();
        for part in parts.by_ref().take(PAGES_A_CHANGE) {
            if freed.contains(&part.block) {
                return Err(damaged(part.block, "a list names it twice"));
            }
            if free_part(pages, &mut change, part)? {
                freed.push(part.block);
            }
        }
        if !freed.is_empty() {
            change.commit()?;
        }
        freed.into_iter().try_for_each(|block| pages.note_free(block))?;
    }
    Ok(())
}

/// Frees the pages of blobs to which nothing points and nothing will, and pages that were never written to. For one
/// VACUUM at a time, whose own transaction is not writing a blob.
///
/// `strike_linked` is called once at most, with ids of blobs, and removes those that the tree points to.
///
/// No blob is freed that a process is writing or linking, for this reason: an id gets into the set only if all
/// transactions that had begun when the blob was written have ended, its writer among them. Only its writer links a
/// blob. So when `strike_linked` is called, each of these blobs has been linked or never will be, and a walk over the
/// tree that starts then finds every lasting link, as long as links do not move from key to key: the walk finds a link
/// that stays under its key, although leaves are split meanwhile. A set of linked ids from before the walk over the
/// pages would not do: a writer might have linked its blob and ended between the two.
pub fn free_unlinked(
    pages: &impl Pages,
    strike_linked: impl FnOnce(&mut HashSet<u64>) -> Outcome<()>,
) -> Outcome<Freed> {
    let mut freed = Freed::default();
    let mut ids = HashSet::new();
    let blocks = pages.blocks()?;
    for block in 1..blocks {
        pages.tick()?;
        match pages.read(block, |page| use_of(page, block))? {
            Use::Blob { id, made_at } => {
                if !ids.contains(&id) && pages.has_ended(made_at) {
                    ids.try_reserve(1).map_err(|_| Fault::Error(out_of_memory()))?;
                    ids.insert(id);
                }
            }
            // A process that adds a page to the file locks it until it is written. If the page can be locked and is
            // still empty, no process uses it.
            Use::None if free_one(pages, block, page::is_new)? => freed.pages += 1,
            Use::Free => {
                pages.note_free(block)?;
                freed.known += 1;
            }
            Use::None | Use::Other => {}
        }
    }
    if ids.is_empty() {
        return Ok(freed);
    }
    strike_linked(&mut ids)?;
    if ids.is_empty() {
        return Ok(freed);
    }
    let is_unlinked = |page: &Page, block| matches!(use_of(page, block), Ok(Use::Blob { id, .. }) if ids.contains(&id));
    for block in 1..blocks {
        pages.tick()?;
        let is_candidate = pages.read(block, |page| Ok(is_unlinked(page, block)))?;
        if is_candidate && free_one(pages, block, |page| is_unlinked(page, block))? {
            freed.pages += 1;
        }
    }
    Ok(freed)
}

enum Use {
    Blob {
        id: u64,
        made_at: u64,
    },
    Free,
    /// Never written to.
    None,
    Other,
}

fn use_of(page: &Page, block: u32) -> Outcome<Use> {
    if page::is_new(page) {
        return Ok(Use::None);
    }
    let special = page::special(page, block)?;
    Ok(match special.kind {
        Kind::Blob | Kind::BlobRoot => Use::Blob { id: special.owner, made_at: special.made_at },
        Kind::Free => Use::Free,
        Kind::Meta | Kind::Inner | Kind::Leaf => Use::Other,
    })
}

/// Frees a page if it is garbage, tested again under its lock. One page in each change: a process that holds only one
/// page cannot be part of a deadlock.
fn free_one(pages: &impl Pages, block: u32, is_garbage: impl FnOnce(&Page) -> bool) -> Outcome<bool> {
    let mut change = pages.change();
    let slot = change.lock(block)?;
    if !is_garbage(change.page(slot)) {
        return Ok(false);
    }
    stamp(change.page_mut(slot)?, pages.next_transaction());
    change.commit()?;
    pages.note_free(block)?;
    Ok(true)
}

/// Frees a page within a change if it is the blob's.
fn free_part<P: Pages>(pages: &P, change: &mut P::Change<'_>, part: Part) -> Outcome<bool> {
    let slot = change.lock(part.block)?;
    match part.special(change.page(slot)) {
        Ok(_) => {
            stamp(change.page_mut(slot)?, pages.next_transaction());
            Ok(true)
        }
        Err(Fault::Moved) => {
            change.unlock(slot)?;
            Ok(false)
        }
        Err(fault) => Err(fault),
    }
}

fn stamp(page: &mut Page, transaction: u64) {
    page::init(page, Special { kind: Kind::Free, next: NO_BLOCK, position: 0, owner: transaction, made_at: 0 });
}
