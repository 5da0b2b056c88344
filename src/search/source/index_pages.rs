//! Reads the part of `entries_scan` that holds one memory, page by page, without the executor.
//!
//! A search looks at every entry of its memory. The executor takes about 0.4 microseconds for each, to
//! copy a tuple, take it apart and hand it on; where the tuples stand side by side on a page that is not
//! needed. Only where all of it is certain to give what a plain query would: everything else is the
//! executor's (`open` gives `None`): policies other than the store's own, privileges on columns,
//! serializable transactions, tables whose rows lie elsewhere (partitions, children, shards), indexes
//! that are another than the store's own.

use std::cmp::Ordering;

use memory_search_core::{Error, ErrorKind, Result};
use memory_search_pgformat::btree_page::{self, IndexPage};
use memory_search_pgformat::entries_scan::ScanTuple;
use memory_search_pgformat::index_tuple::{FirstKey, IndexTuple, Tid};
use memory_search_pgformat::varlena::Varlena;

use crate::pg::btree_index::{BtreeIndex, TextKey};
use crate::pg::buffers::{PageCopy, Visibility};
use crate::pg::datum::varlena::decompressed;
use crate::pg::open_relation::{self, OpenRelation};
use crate::pg::{interrupt, settings};
use crate::store::definition::Store;

/// `entries_scan`, open to be read by the current user in the active snapshot.
pub struct ScanIndex {
    index: OfMemories,
    table: OpenRelation,
    /// Under the policy of `memory_enable_row_security()`: whose entries are seen.
    user_id: Option<Vec<u8>>,
}

/// A visible entry of the memory.
pub struct Entry<'a> {
    pub columns: ScanTuple<'a>,
    pub tid: Tid,
}

/// Whether a memory may have entries that are too long for `entries_scan`: not when their index holds none,
/// which two pages tell, where a planner without statistics might read the whole memory for it. It says
/// nothing of any row.
pub fn may_have_long(store: &Store, memory_id: &str) -> Result<bool> {
    let Some((_, oid)) = store.scan_indexes else { return Ok(true) };
    // Locked before its index, as everybody does who wants both.
    let Some(_table) = whole_table(store) else { return Ok(true) };
    let Some(index) = OfMemories::open(oid, store.read_from.entries) else { return Ok(true) };
    let mut holds_any = false;
    let could_look = index.each_tuple(memory_id, &mut |_| {
        holds_any = true;
        Ok(Next::Stop)
    })?;
    Ok(holds_any || !could_look)
}

/// The store's table of entries, open, where its pages hold all of its rows and reading them without the
/// executor is what a query would do.
fn whole_table(store: &Store) -> Option<OpenRelation> {
    if open_relation::is_serializable() || store.is_distributed {
        return None;
    }
    OpenRelation::new(store.read_from.entries).filter(OpenRelation::holds_all_rows)
}

impl ScanIndex {
    /// The store's index, where the current user may read all of the table's rows through it. The caller holds
    /// the table's lock and read `store` under it, so that no policy can have come meanwhile.
    pub fn open(store: &Store) -> Option<ScanIndex> {
        let (index_oid, _) = store.scan_indexes?;
        let table = whole_table(store)?;
        // Any other policy is the executor's to apply. This one is an equality, and what it lets through here
        // passes it again in SQL before anything of it is shown.
        let user_id = match (table.is_under_policy()?, &store.user_setting) {
            (false, _) => None,
            (true, None) => return None,
            (true, Some(setting)) => Some(settings::current(setting).filter(|user| !user.is_empty())?),
        };
        let index = OfMemories::open(index_oid, store.read_from.entries)?;
        Some(ScanIndex { index, table, user_id })
    }

    /// Calls `each` with every entry of the memory that the snapshot sees, in the order of time.
    /// `false` when the index cannot be read so; nothing was called then.
    pub fn entries(&self, memory_id: &str, each: &mut dyn FnMut(Entry<'_>) -> Result<()>) -> Result<bool> {
        let mut visibility = Visibility::in_active_snapshot(&self.table);
        self.index.each_tuple(memory_id, &mut |tuple| {
            let tid = tuple.tid().ok_or_else(damaged)?;
            let columns = ScanTuple::of(tuple).ok_or_else(damaged)?;
            let is_seen = match (&self.user_id, columns.user_id) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(wanted), Some(user_id)) => decompressed(user_id, |user_id| user_id == wanted),
            };
            if is_seen && let Some(tid) = visibility.visible(tid) {
                each(Entry { columns, tid })?;
            }
            Ok(Next::Go)
        })
    }
}

/// Whether to go on.
#[derive(PartialEq)]
enum Next {
    Go,
    Stop,
}

/// An index whose first column is `memory_id`.
struct OfMemories(BtreeIndex);

impl OfMemories {
    fn open(oid: u32, table: u32) -> Option<OfMemories> {
        BtreeIndex::open(oid, table).map(OfMemories)
    }

    /// Calls `each` with every tuple of the memory, in order, until it says stop. `false` when the index
    /// cannot be read so; nothing was called then.
    fn each_tuple(&self, memory_id: &str, each: &mut dyn FnMut(&IndexTuple<'_>) -> Result<Next>) -> Result<bool> {
        let key = TextKey::new(memory_id)?;
        // An id that TOAST compressed in its row stays so in the index: the form in which it was last found.
        let mut compressed = Vec::new();
        let mut page = PageCopy::new();
        drop(page.read(self.0.relation(), 0));
        let Some(root) = btree_page::root(page.bytes()) else { return Ok(false) };
        let mut next = self.first_leaf(root, &key, &mut page)?;
        while let Some(block) = next {
            interrupt::check();
            // The pin stays while the page's rows are looked at: VACUUM waits for it before it gives their
            // line pointers to other rows (nbtree/README, "Making concurrent TID recycling safe").
            let pin = page.read(self.0.relation(), block);
            let leaf = IndexPage::new(page.bytes()).ok_or_else(damaged)?;
            next = leaf.next();
            if leaf.is_ignored() {
                continue;
            }
            for tuple in leaf.tuples() {
                let tuple = tuple.ok_or_else(damaged)?;
                let is_of_memory = match tuple.first_key().ok_or_else(damaged)? {
                    FirstKey::Text { value: Varlena::Plain(id), .. } => id == memory_id.as_bytes(),
                    FirstKey::Text { value: value @ Varlena::Compressed(whole), .. } => {
                        let is_same = whole == compressed || decompressed(value, |id| id == memory_id.as_bytes());
                        if is_same && whole != compressed {
                            compressed = whole.to_vec();
                        }
                        is_same
                    }
                    FirstKey::MinusInfinity | FirstKey::Null => false,
                };
                if is_of_memory {
                    if each(&tuple)? == Next::Stop {
                        return Ok(true);
                    }
                } else if !self.is_before(&tuple, &key)? {
                    next = None;
                    break;
                }
            }
            drop(pin);
        }
        Ok(true)
    }

    /// The first leaf that may hold the memory: down from the root, to the right of what is less.
    fn first_leaf(&self, root: u32, key: &TextKey, page: &mut PageCopy) -> Result<Option<u32>> {
        let mut block = root;
        while block != 0 {
            interrupt::check();
            drop(page.read(self.0.relation(), block));
            let here = IndexPage::new(page.bytes()).ok_or_else(damaged)?;
            // Who split or emptied the page since the way here was read has put its rows to the right. A page
            // that was deleted has no keys: what stands in their place is another thing.
            let is_passed = match here.high_key() {
                Some(bound) if !here.is_ignored() => self.is_before(&bound, key)?,
                _ => here.is_ignored(),
            };
            if is_passed {
                block = here.next().unwrap_or(0);
                continue;
            }
            if here.is_leaf() {
                return Ok(Some(block));
            }
            // The first child is for all that is less than the second's key, whatever its own says.
            let mut child = None;
            for tuple in here.tuples() {
                let tuple = tuple.ok_or_else(damaged)?;
                if child.is_some() && !self.is_before(&tuple, key)? {
                    break;
                }
                child = tuple.tid().map(|tid| tid.block);
            }
            block = child.ok_or_else(damaged)?;
        }
        Ok(None)
    }

    /// Whether a tuple stands before all of the memory's.
    fn is_before(&self, tuple: &IndexTuple<'_>, key: &TextKey) -> Result<bool> {
        Ok(match tuple.first_key().ok_or_else(damaged)? {
            FirstKey::MinusInfinity => true,
            FirstKey::Null => false,
            FirstKey::Text { whole, .. } => self.0.compare(whole, key) == Ordering::Less,
        })
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::Corrupted, "a page of the index entries_scan is damaged")
        .hint("REINDEX INDEX CONCURRENTLY the store's entries_scan.")
}
