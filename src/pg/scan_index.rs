//! Reads the part of `entries_scan` that holds one memory, page by page, without the executor.
//!
//! A search looks at every entry of its memory. The executor takes about 0.4 microseconds for each, to
//! copy a tuple, take it apart and hand it on; where the tuples stand side by side on a page that is not
//! needed. Only where all of it is certain to give what a plain query would: everything else is the
//! executor's (`open` gives `None`): policies other than the store's own, privileges on columns,
//! serializable transactions, tables whose rows lie elsewhere (partitions, children, shards), indexes
//! that are another than the store's own.

use std::ffi::CString;

use memory_search_core::index_page::{self, IndexPage, IndexTuple, MemoryId, ScanTuple, Tid, Varlena};
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::catalog::Store;
use crate::pg::datum::varlena;
use crate::pg::{guc, interrupt, unwinding};

const PAGE_BYTES: usize = pg_sys::BLCKSZ as usize;
/// The support function of a B-tree's column that compares two values (nbtree.h, BTORDER_PROC).
const COMPARISON: u16 = 1;
/// `check_enable_rls`: policies apply.
const RLS_ENABLED: i32 = 2;
/// `visibilitymap_get_status`: every row of a block is visible to everybody.
const ALL_VISIBLE: u8 = 1;

/// A relation that is open, with the lock that a query takes.
struct Open(pg_sys::Relation);

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: opened by try_relation_open. The lock stays until the end of the transaction, as a
        // query's does.
        unwinding::release(|| unsafe { pg_sys::relation_close(self.0, pg_sys::NoLock as i32) });
    }
}

impl Open {
    fn new(oid: pg_sys::Oid) -> Option<Open> {
        // SAFETY: opens by OID inside a transaction; null when there is no such relation any more.
        let relation = unsafe { pg_sys::try_relation_open(oid, pg_sys::AccessShareLock as i32) };
        // Not then_some: it would make one of null, and close it.
        (!relation.is_null()).then(|| Open(relation))
    }
}

/// Takes the lock that a query takes on a relation, to the end of the transaction, and hears what others
/// committed before it. Nobody changes its definition or its policies from then on. `false` when it has gone.
pub fn lock(oid: u32) -> bool {
    Open::new(pg_sys::Oid::from(oid)).is_some()
}

/// A buffer that is pinned.
struct Pinned(pg_sys::Buffer);

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: pinned once by ReadBuffer, and released only here.
        unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(self.0) });
    }
}

impl Pinned {
    fn read(relation: &Open, block: u32) -> Pinned {
        // SAFETY: the relation is open and has storage; gives a pinned buffer or an ERROR.
        Pinned(unsafe { pg_sys::ReadBuffer(relation.0, block) })
    }
}

/// A page of the visibility map that may be pinned: 0 or a buffer, which `visibilitymap_get_status` exchanges.
struct MapPage(pg_sys::Buffer);

impl Drop for MapPage {
    fn drop(&mut self) {
        if self.0 != 0 {
            // SAFETY: the server pinned it when it put it here, and takes back what it exchanges.
            unwinding::release(|| unsafe { pg_sys::ReleaseBuffer(self.0) });
        }
    }
}

/// A page's bytes, aligned as in a buffer: the server's functions read values in it.
#[repr(align(8))]
struct PageCopy([u8; PAGE_BYTES]);

/// An index whose first column is `memory_id`, open.
struct OfMemories {
    index: Open,
    collation: pg_sys::Oid,
}

/// `entries_scan`, open to be read by the current user in the active snapshot.
pub struct ScanIndex {
    index: OfMemories,
    table: Open,
    snapshot: pg_sys::Snapshot,
    /// Under the policy of `memory_enable_row_security()`: whose entries are seen.
    user_id: Option<Vec<u8>>,
}

/// A visible entry of the memory.
pub struct Entry<'a> {
    pub columns: ScanTuple<'a>,
    pub tid: Tid,
}

/// Reads a value on a page, decompressed if need be.
pub fn bytes<T>(value: Varlena<'_>, read: impl FnOnce(&[u8]) -> T) -> T {
    match value {
        Varlena::Plain(bytes) => read(bytes),
        // SAFETY: a varlena on a page, whole: its length was checked, and it is aligned as it was there.
        Varlena::Compressed(whole) => unsafe { varlena::with_bytes(pg_sys::Datum::from(whole.as_ptr()), read) },
    }
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
/// executor is what a query would do. (A serializable transaction must leave a trace of what it read.)
fn whole_table(store: &Store) -> Option<Open> {
    // SAFETY: a plain global, set when the transaction begins.
    if unsafe { pg_sys::XactIsoLevel } == pg_sys::XACT_SERIALIZABLE as i32 || store.is_distributed {
        return None;
    }
    let table = Open::new(pg_sys::Oid::from(store.read_from.entries))?;
    // SAFETY: the relation is open, so its row of pg_class is there; RecoveryInProgress reads shared state.
    let holds_all = unsafe {
        let definition = &*(*table.0).rd_rel;
        definition.relkind == pg_sys::RELKIND_RELATION as i8
            && definition.relam == pg_sys::HEAP_TABLE_AM_OID
            && !definition.relhassubclass
            && (definition.relpersistence == pg_sys::RELPERSISTENCE_PERMANENT as i8
                || definition.relpersistence == pg_sys::RELPERSISTENCE_UNLOGGED as i8 && !pg_sys::RecoveryInProgress())
    };
    holds_all.then_some(table)
}

impl ScanIndex {
    /// The store's index, where the current user may read all of the table's rows through it. The caller holds
    /// the table's lock and read `store` under it, so that no policy can have come meanwhile.
    pub fn open(store: &Store) -> Option<ScanIndex> {
        let (index_oid, _) = store.scan_indexes?;
        let table = whole_table(store)?;
        let table_oid = pg_sys::Oid::from(store.read_from.entries);
        // SAFETY: reads globals and catalog caches inside a transaction.
        let is_under_policy = unsafe {
            let may_read = pg_sys::pg_class_aclcheck(table_oid, pg_sys::GetUserId(), pg_sys::ACL_SELECT.into())
                == pg_sys::AclResult::ACLCHECK_OK;
            if !may_read {
                return None;
            }
            pg_sys::check_enable_rls(table_oid, pg_sys::InvalidOid, false) == RLS_ENABLED
        };
        // Any other policy is the executor's to apply. This one is an equality, and what it lets through here
        // passes it again in SQL before anything of it is shown.
        let user_id = match (is_under_policy, &store.user_setting) {
            (false, _) => None,
            (true, None) => return None,
            (true, Some(setting)) => Some(guc::current(setting).filter(|user| !user.is_empty())?),
        };
        let index = OfMemories::open(index_oid, store.read_from.entries)?;
        // SAFETY: a statement is running, so a snapshot is active, and stays so through the search.
        Some(ScanIndex { index, table, snapshot: unsafe { pg_sys::GetActiveSnapshot() }, user_id })
    }

    /// Calls `each` with every entry of the memory that the snapshot sees, in the order of time.
    /// `false` when the index cannot be read so; nothing was called then.
    pub fn entries(&self, memory_id: &str, each: &mut dyn FnMut(Entry<'_>) -> Result<()>) -> Result<bool> {
        let mut visibility = Visibility::new(self);
        self.index.each_tuple(memory_id, &mut |tuple| {
            let tid = tuple.tid().ok_or_else(damaged)?;
            let columns = tuple.columns().ok_or_else(damaged)?;
            let is_seen = match (&self.user_id, columns.user_id) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(wanted), Some(user_id)) => bytes(user_id, |user_id| user_id == wanted),
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

impl OfMemories {
    /// The index, with the lock that a query takes; `None` when it has gone, is not complete, or not yet for
    /// every snapshot. What could have changed before the lock is looked at after it.
    fn open(oid: u32, table: u32) -> Option<OfMemories> {
        if cfg!(target_endian = "big") {
            return None;
        }
        let index = Open::new(pg_sys::Oid::from(oid))?;
        // SAFETY: the relation is open; rd_index and rd_indcollation are those of an index, null for others.
        unsafe {
            let definition = (*index.0).rd_index.as_ref()?;
            let serves = (*(*index.0).rd_rel).relam == pg_sys::BTREE_AM_OID
                && definition.indrelid == pg_sys::Oid::from(table)
                && definition.indisvalid
                && definition.indisready
                && !definition.indcheckxmin;
            let collation = *(*index.0).rd_indcollation.as_ref()?;
            if !serves || !pg_sys::get_collation_isdeterministic(collation) {
                return None;
            }
            // So that pg_stat_user_indexes shows that it is used.
            if (*index.0).pgstat_info.is_null() && (*index.0).pgstat_enabled {
                pg_sys::pgstat_assoc_relation(index.0);
            }
            if let Some(counts) = (*index.0).pgstat_info.as_mut() {
                counts.counts.numscans += 1;
            }
            Some(OfMemories { index, collation })
        }
    }

    /// Calls `each` with every tuple of the memory, in order, until it says stop. `false` when the index
    /// cannot be read so; nothing was called then.
    fn each_tuple(&self, memory_id: &str, each: &mut dyn FnMut(&IndexTuple<'_>) -> Result<Next>) -> Result<bool> {
        let wanted = Wanted::new(memory_id)?;
        // An id that TOAST compressed in its row stays so in the index: the form in which it was last found.
        let mut compressed = Vec::new();
        let mut page = Box::new(PageCopy([0; PAGE_BYTES]));
        drop(self.read(0, &mut page)?);
        let Some(root) = index_page::root(&page.0) else { return Ok(false) };
        let mut next = self.first_leaf(root, &wanted, &mut page)?;
        while let Some(block) = next {
            interrupt::check();
            // The pin stays while the page's rows are looked at: VACUUM waits for it before it gives their
            // places to other rows (nbtree/README, "Making concurrent TID recycling safe").
            let pin = self.read(block, &mut page)?;
            let leaf = IndexPage::new(&page.0).ok_or_else(damaged)?;
            next = leaf.next();
            if leaf.is_ignored() {
                continue;
            }
            for tuple in leaf.tuples() {
                let tuple = tuple.ok_or_else(damaged)?;
                let is_of_memory = match tuple.memory_id().ok_or_else(damaged)? {
                    MemoryId::Text { value: Varlena::Plain(id), .. } => id == memory_id.as_bytes(),
                    MemoryId::Text { value: value @ Varlena::Compressed(whole), .. } => {
                        let is_same = whole == compressed || bytes(value, |id| id == memory_id.as_bytes());
                        if is_same && whole != compressed {
                            compressed = whole.to_vec();
                        }
                        is_same
                    }
                    MemoryId::BeforeAll | MemoryId::Null => false,
                };
                if is_of_memory {
                    if each(&tuple)? == Next::Stop {
                        return Ok(true);
                    }
                } else if !self.is_before(&tuple, &wanted)? {
                    next = None;
                    break;
                }
            }
            drop(pin);
        }
        Ok(true)
    }

    /// The first leaf that may hold the memory: down from the root, to the right of what is less.
    fn first_leaf(&self, root: u32, wanted: &Wanted, page: &mut PageCopy) -> Result<Option<u32>> {
        let mut block = root;
        while block != 0 {
            interrupt::check();
            drop(self.read(block, page)?);
            let here = IndexPage::new(&page.0).ok_or_else(damaged)?;
            // Who split or emptied the page since the way here was read has put its rows to the right. A page
            // that was deleted has no keys: what stands in their place is another thing.
            let is_passed = match here.high_key() {
                Some(bound) if !here.is_ignored() => self.is_before(&bound, wanted)?,
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
                if child.is_some() && !self.is_before(&tuple, wanted)? {
                    break;
                }
                child = tuple.tid().map(|tid| tid.block);
            }
            block = child.ok_or_else(damaged)?;
        }
        Ok(None)
    }

    /// Whether a tuple stands before all of the memory's.
    fn is_before(&self, tuple: &IndexTuple<'_>, wanted: &Wanted) -> Result<bool> {
        let column = match tuple.memory_id().ok_or_else(damaged)? {
            MemoryId::BeforeAll => return Ok(true),
            MemoryId::Null => return Ok(false),
            MemoryId::Text { whole, .. } => whole,
        };
        // SAFETY: the index's own comparison of its first column, a text, with another text: a varlena
        // whose length was checked, aligned as it was on its page.
        unsafe {
            let compare = pg_sys::index_getprocinfo(self.index.0, 1, COMPARISON);
            let order =
                pg_sys::FunctionCall2Coll(compare, self.collation, pg_sys::Datum::from(column.as_ptr()), wanted.0);
            Ok((order.value() as i32) < 0)
        }
    }

    /// Copies a page; its buffer stays pinned.
    fn read(&self, block: u32, copy: &mut PageCopy) -> Result<Pinned> {
        let pin = Pinned::read(&self.index, block);
        // SAFETY: the buffer is pinned. Its page has PAGE_BYTES bytes, which do not change while it is locked.
        unsafe {
            pg_sys::LockBuffer(pin.0, pg_sys::BUFFER_LOCK_SHARE as i32);
            let page = pg_sys::BufferGetPage(pin.0).cast::<u8>();
            std::ptr::copy_nonoverlapping(page, copy.0.as_mut_ptr(), PAGE_BYTES);
            pg_sys::LockBuffer(pin.0, pg_sys::BUFFER_LOCK_UNLOCK as i32);
        }
        Ok(pin)
    }
}

/// The memory's id as the index's comparison takes it, in the memory context of the call.
struct Wanted(pg_sys::Datum);

impl Wanted {
    fn new(memory_id: &str) -> Result<Self> {
        let text =
            CString::new(memory_id).map_err(|_| Error::new(ErrorKind::Internal, "a memory's id holds a NUL byte"))?;
        // SAFETY: the text lives through the call, which copies it.
        Ok(Wanted(unsafe { pg_sys::Datum::from(pg_sys::cstring_to_text(text.as_ptr())) }))
    }
}

/// Whether rows are visible: by the visibility map where it says so of their block, else by the row.
struct Visibility<'a> {
    index: &'a ScanIndex,
    /// The page of the map that was looked at last.
    map: MapPage,
    /// The page of the table that was looked at last, and its block.
    rows: Option<(u32, Pinned)>,
}

impl<'a> Visibility<'a> {
    fn new(index: &'a ScanIndex) -> Self {
        Visibility { index, map: MapPage(0), rows: None }
    }

    /// Where the version of the row is that the snapshot sees; `None` without one.
    fn visible(&mut self, tid: Tid) -> Option<Tid> {
        // Asked anew for each row, after its index page was copied: a row that is inserted into the same block
        // clears the mark before its tuple is in the index, so what was read for an earlier page says nothing.
        // SAFETY: the table is open; the buffer is 0 or the one that the call pinned before, which it releases,
        // and forgets here, before it reads another.
        let status = unsafe { pg_sys::visibilitymap_get_status(self.index.table.0, tid.block, &mut self.map.0) };
        if status & ALL_VISIBLE != 0 { Some(tid) } else { self.by_row(tid) }
    }

    fn by_row(&mut self, tid: Tid) -> Option<Tid> {
        // Given back before the next one is asked for: the server's call that exchanges them fails half done.
        self.rows.take_if(|(block, _)| *block != tid.block);
        let (_, page) = self.rows.get_or_insert_with(|| (tid.block, Pinned::read(&self.index.table, tid.block)));
        let mut found = pg_sys::ItemPointerData {
            ip_blkid: pg_sys::BlockIdData { bi_hi: (tid.block >> 16) as u16, bi_lo: tid.block as u16 },
            ip_posid: tid.place,
        };
        // SAFETY: the table is a heap and open; the buffer is pinned, and locked while the row is looked for. An
        // ERROR leaves the lock to the abort. The tuple's header is filled and not used.
        unsafe {
            let mut tuple = pg_sys::HeapTupleData::default();
            pg_sys::LockBuffer(page.0, pg_sys::BUFFER_LOCK_SHARE as i32);
            let is_visible = pg_sys::heap_hot_search_buffer(
                &mut found,
                self.index.table.0,
                page.0,
                self.index.snapshot,
                &mut tuple,
                std::ptr::null_mut(),
                true,
            );
            pg_sys::LockBuffer(page.0, pg_sys::BUFFER_LOCK_UNLOCK as i32);
            is_visible.then_some(Tid { block: tid.block, place: found.ip_posid })
        }
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::Corrupted, "a page of the index entries_scan is damaged")
        .hint("REINDEX INDEX CONCURRENTLY the store's entries_scan.")
}
