//! The pages of one index, as the server keeps them, or a test.

use std::ops::Range;

use crate::fault::Outcome;
use crate::page::Page;

/// Pages that one change may touch (MAX_GENERIC_XLOG_PAGES).
pub const PAGES_A_CHANGE: usize = 4;

/// The root of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    /// Its block.
    pub block: u32,
    /// Its level: 0 when it is a leaf.
    pub level: u32,
}

/// The pages of one index.
pub trait Pages {
    /// A change that is being made.
    type Change<'a>: Change
    where
        Self: 'a;

    /// The number of pages.
    fn blocks(&self) -> Outcome<u32>;

    /// Calls `look` with a page, which no process changes meanwhile. `look` must be short, and read no other page.
    fn read<T>(&self, block: u32, look: impl FnOnce(&Page) -> Outcome<T>) -> Outcome<T>;

    /// Notes that a page will be read after the next one, so that it may be pinned.
    fn expect(&self, _block: u32) {}

    /// Lets the processor fetch some bytes of an expected page while it works on another one. May be called while
    /// another page is held.
    fn prefetch(&self, _block: u32, _bytes: Range<usize>) {}

    /// The root of the tree, if it was noted. An outdated root still leads to every record.
    fn known_root(&self) -> Option<Root> {
        None
    }

    /// Notes the root of the tree, so that the metapage need not be read again.
    fn note_root(&self, _root: Root) {}

    /// Begins a change. An uncommitted change has not happened.
    fn change(&self) -> Self::Change<'_>;

    /// Notes that a page may be given out by [`Change::allocate`]: its kind is [`crate::page::Kind::Free`]. A hint,
    /// which a crash forgets.
    fn note_free(&self, block: u32) -> Outcome<()>;

    /// A number that no blob of this index has had. An error if there are no random numbers.
    fn fresh_id(&self) -> Outcome<u64>;

    /// The transaction that would be the next to begin. No later transaction can know an address that is unlinked now.
    fn next_transaction(&self) -> u64;

    /// Whether all transactions that began before this one have ended.
    fn has_ended(&self, transaction: u64) -> bool;

    /// Lets the caller's interrupts in. Called where no page is held.
    fn tick(&self) -> Outcome<()>;
}

/// A page within a change, by the order in which it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot(pub usize);

/// A change of at most [`PAGES_A_CHANGE`] pages. Its pages are locked against all other processes until it ends. If it
/// is dropped without [`Change::commit`], it changes nothing.
pub trait Change {
    /// Takes a page. A caller that takes several takes the left of two siblings first, and a child before its parent.
    fn lock(&mut self, block: u32) -> Outcome<Slot>;

    /// Takes a free page, or adds one. Its bytes are arbitrary: the caller overwrites them by [`crate::page::init`].
    fn allocate(&mut self) -> Outcome<(u32, Slot)>;

    /// A page with the changes made so far.
    fn page(&self, slot: Slot) -> &Page;

    /// The page, to be changed.
    fn page_mut(&mut self, slot: Slot) -> Outcome<&mut Page>;

    /// Releases a page that this change did not alter. An altered page is refused, because it must stay locked until
    /// the end.
    fn unlock(&mut self, slot: Slot) -> Outcome<()>;

    /// Makes the whole change take effect, and releases its pages.
    fn commit(self) -> Outcome<()>;
}
