//! Scans by plain SQL: `memory_id = 'x'`, as a bitmap or in the order of an embedding's distance. The index has a lower
//! bound of each row's distance: rows are read in the order of these bounds, and one is returned when no other can have
//! a lesser exact distance.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use memory_search_core::place::Place;
use memory_search_core::{Error, ErrorKind, Result};
use memory_search_index::fault::Outcome;
use memory_search_index::hashing::MemoryHash;
use memory_search_index::memory::contents::Contents;
use memory_search_index::memory::restart::until_settled;
use memory_search_index::quantization::{Query, is_unusual};
use pgrx::prelude::*;
use pgrx::{PgMemoryContexts, pg_sys};

use super::definition::{Kept, VectorType};
use super::exact_distances::{Distances, ExactDistances, ScannedColumns, other_conditions};
use super::named_error::name_of;
use super::operator_class;
use super::relation_pages::RelationPages;
use super::row;
use super::state::State;
use crate::pg::datum::place;
use crate::pg::error::or_raise;
use crate::pg::interrupt;

/// The lower bound of a cosine, in standard deviations below its estimate: for rows that nobody made to lie outside, no
/// distance is below its bound, among any realistic number of rows.
const DEVIATIONS: f64 = 9.0;
/// The largest rounding error of a distance computed here.
const ROUNDING: f64 = 1e-5;
/// pgvector's rounding error for each dimension: half a unit in the last place of single precision for each product
/// that it adds, and the same for the lengths.
const ROUNDING_A_DIMENSION: f64 = f32::EPSILON as f64;

/// A scan: the rows that it found, and its position.
struct Scan {
    /// The memory context that lives as long as the scan.
    context: pg_sys::MemoryContext,
    /// Rows, the nearest first, with the lower bounds of their distances.
    found: Option<Vec<(f64, Place)>>,
    next: usize,
    /// Rows before `next` that may be farther than one after it: their exact distances, and their numbers in `found`.
    waiting: BinaryHeap<Reverse<(Distances, usize)>>,
    /// The columns that exact distances are computed from; the first row makes them.
    columns: Option<ScannedColumns>,
    /// The distances of the row that was returned last.
    returned: Option<Distances>,
}

impl Scan {
    /// A scan before its first row.
    fn new(context: pg_sys::MemoryContext) -> Scan {
        Scan { context, found: None, next: 0, waiting: BinaryHeap::new(), columns: None, returned: None }
    }

    /// Forgets the rows that were found: the keys change.
    fn restart(&mut self) {
        (self.found, self.next, self.waiting, self.returned) = (None, 0, BinaryHeap::new(), None);
    }

    /// The next row of an unordered scan.
    fn next(&mut self) -> Option<Place> {
        let (_, at) = self.found.as_deref()?.get(self.next)?;
        self.next += 1;
        Some(*at)
    }

    /// The next row in the order of the exact distances, and these.
    ///
    /// # Errors
    /// If a row is nearer than one that was returned before it (XX002).
    ///
    /// # Safety
    /// The scan must be open, and its state be this.
    unsafe fn next_nearest(&mut self, scan: pg_sys::IndexScanDesc) -> Result<Option<(&Distances, Place)>> {
        let Scan { context, found: Some(found), next, waiting, columns, returned } = self else { return Ok(None) };
        let columns = match columns {
            Some(columns) => columns,
            // SAFETY: by the caller's promise.
            None => columns.insert(unsafe { ScannedColumns::of(scan, *context)? }),
        };
        let mut rows = None;
        loop {
            interrupt::check();
            let read_next = found.get(*next).copied();
            let is_nearest = |Reverse((distances, _)): &Reverse<(Distances, usize)>| {
                read_next.is_none_or(|(bound, _)| distances.precede(bound))
            };
            if waiting.peek().is_some_and(is_nearest) {
                let nearest = waiting.pop();
                return Ok(nearest.map(|Reverse((distances, number))| (&*returned.insert(distances), found[number].1)));
            }
            let Some((bound, at)) = read_next else { return Ok(None) };
            // SAFETY: by the caller's promise.
            let rows = rows.get_or_insert_with(|| unsafe { ExactDistances::of(scan, columns) });
            if let Some(distances) = rows.of_row(at)? {
                if returned.as_ref().is_some_and(|returned| distances < *returned) {
                    // SAFETY: by the caller's promise.
                    return Err(unsafe { too_near((*scan).indexRelation, at) });
                }
                if distances.contradict(bound) {
                    // The bounds do not hold for this question: all other rows are read before the next is returned.
                    found[*next..].iter_mut().for_each(|(bound, _)| *bound = 0.0);
                }
                waiting.try_reserve(1).map_err(|_| memory_search_core::error::out_of_memory())?;
                waiting.push(Reverse((distances, *next)));
            }
            *next += 1;
        }
    }
}

/// The error about a row that is so much nearer than its code allows that it should have been returned before.
///
/// # Safety
/// The index must be open.
unsafe fn too_near(index: pg_sys::Relation, Place { block, offset }: Place) -> Error {
    // SAFETY: by the caller's promise.
    let name = unsafe { name_of(index) };
    let message = format!("the row at ({block},{offset}) is nearer than its code in index {name} allows");
    Error::new(ErrorKind::IndexCorrupted, message).hint(format!(
        "REINDEX INDEX CONCURRENTLY {name}. If it indexes an expression, the function there must be immutable. If the \
         row's embedding was made to deceive the index, read without it: SET enable_indexscan = off."
    ))
}

#[pg_guard]
pub unsafe extern "C-unwind" fn ambeginscan(
    index: pg_sys::Relation,
    keys: i32,
    order_bys: i32,
) -> pg_sys::IndexScanDesc {
    // SAFETY: the index is open; what is allocated lives in the executor's memory context.
    unsafe {
        let scan = pg_sys::RelationGetIndexScan(index, keys, order_bys);
        if order_bys > 0 {
            (*scan).xs_orderbyvals = pg_sys::palloc0(size_of::<pg_sys::Datum>() * order_bys as usize).cast();
            (*scan).xs_orderbynulls = pg_sys::palloc0(order_bys as usize).cast();
        }
        let state = Scan::new(pg_sys::CurrentMemoryContext);
        (*scan).opaque = PgMemoryContexts::CurrentMemoryContext.leak_and_drop_on_delete(state).cast();
        scan
    }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amrescan(
    scan: pg_sys::IndexScanDesc,
    keys: pg_sys::ScanKey,
    key_count: i32,
    order_bys: pg_sys::ScanKey,
    order_by_count: i32,
) {
    // SAFETY: the scan has room for as many as it was begun with.
    unsafe {
        if !keys.is_null() && key_count > 0 {
            std::ptr::copy(keys, (*scan).keyData, key_count as usize);
        }
        if !order_bys.is_null() && order_by_count > 0 {
            std::ptr::copy(order_bys, (*scan).orderByData, order_by_count as usize);
        }
        (*(*scan).opaque.cast::<Scan>()).restart();
    }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amendscan(scan: pg_sys::IndexScanDesc) {
    // SAFETY: the scan is one that ambeginscan made.
    let state = unsafe { &mut *(*scan).opaque.cast::<Scan>() };
    state.restart();
    if let Some(columns) = state.columns.take() {
        columns.end();
    }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amgetbitmap(scan: pg_sys::IndexScanDesc, bitmap: *mut pg_sys::TIDBitmap) -> i64 {
    // SAFETY: an open scan, and a bitmap to fill.
    unsafe {
        let found = or_raise(find(scan));
        for chunk in found.chunks(1024) {
            interrupt::check();
            let mut tids: Vec<_> = chunk.iter().map(|(_, at)| place::to_tid(*at)).collect();
            pg_sys::tbm_add_tuples(bitmap, tids.as_mut_ptr(), tids.len() as i32, asks_other_columns(scan));
        }
        found.len() as i64
    }
}

#[pg_guard]
pub unsafe extern "C-unwind" fn amgettuple(
    scan: pg_sys::IndexScanDesc,
    _direction: pg_sys::ScanDirection::Type,
) -> bool {
    // SAFETY: an open scan that ambeginscan made.
    unsafe {
        let state = &mut *(*scan).opaque.cast::<Scan>();
        if state.found.is_none() {
            state.found = Some(or_raise(find(scan)));
        }
        let at = match (*scan).numberOfOrderBys {
            0 => state.next(),
            _ => or_raise(state.next_nearest(scan)).map(|(distances, at)| {
                distances.put_into(scan);
                at
            }),
        };
        let Some(at) = at else { return false };
        (*scan).xs_heaptid = place::to_tid(at);
        (*scan).xs_recheck = asks_other_columns(scan);
        (*scan).xs_recheckorderby = false;
        true
    }
}

/// All rows that match the scan's keys.
///
/// # Safety
/// The scan must be open.
unsafe fn find(scan: pg_sys::IndexScanDesc) -> Result<Vec<(f64, Place)>> {
    // SAFETY: by the caller's promise: its fields are those of a scan with so many keys.
    unsafe {
        let index = (*scan).indexRelation;
        // A reader without an MVCC snapshot might see another row at the same place.
        if !(*scan).xs_snapshot.is_null() && (*(*scan).xs_snapshot).snapshot_type != pg_sys::SnapshotType::SNAPSHOT_MVCC
        {
            let message = format!("index {} is read without the snapshot of a query", name_of(index));
            return Err(Error::new(ErrorKind::Unsupported, message).hint(
                "Only queries read a memory index: let the extension that asks use another index of the table.",
            ));
        }
        count_scan(scan);
        let state = State::of(index)?;
        let keys = match (*scan).numberOfKeys {
            0 => &[][..],
            count => std::slice::from_raw_parts((*scan).keyData, count as usize),
        };
        let mut memory: Option<MemoryHash> = None;
        for key in keys {
            if key.sk_flags & pg_sys::SK_ISNULL as i32 != 0 {
                return Ok(Vec::new());
            }
            // The executor tests the other columns of the rows.
            if key.sk_attno != 1 && (*scan).numberOfKeys > 1 {
                continue;
            }
            if key.sk_attno != 1 || key.sk_func.fn_oid.to_u32() != operator_class::equality(state.definition.memory()) {
                return Err(foreign_operator());
            }
            let asked = row::memory(&state.hashes, state.definition.memory(), key.sk_argument);
            // No row has two different ids.
            if memory.is_some_and(|memory| memory != asked) {
                return Ok(Vec::new());
            }
            memory = Some(asked);
        }
        let memory = memory.ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, "a scan of a memory index needs a condition on one memory")
                .hint("Compare its first column with one value by =.")
        })?;
        let order = match (*scan).numberOfOrderBys {
            0 => Order::None,
            _ => {
                let key = &*(*scan).orderByData;
                // The value has the column's own type, and the operator is the one that was checked with the class.
                if key.sk_subtype != *(*index).rd_opcintype.add(key.sk_attno.max(1) as usize - 1) {
                    return Err(foreign_operator());
                }
                order_by(&state, key)
            }
        };
        let pages = RelationPages::new(index, std::ptr::null_mut());
        until_settled(&pages, |pages| collect(pages, memory, &order)).map_err(|fault| pages.error_of(fault))
    }
}

/// Whether keys ask for something that the index does not answer, so that the executor has to recheck.
///
/// # Safety
/// The scan must be open.
unsafe fn asks_other_columns(scan: pg_sys::IndexScanDesc) -> bool {
    // SAFETY: by the caller's promise.
    unsafe { other_conditions(scan) }.next().is_some()
}

/// The error about an operator that somebody added to an operator family.
fn foreign_operator() -> Error {
    Error::new(ErrorKind::Unsupported, "a memory index supports only the operators of the extension's operator classes")
        .hint("Drop the operator that was added: ALTER OPERATOR FAMILY ... USING memory_search DROP OPERATOR ...")
}

/// The order of rows.
enum Order {
    /// No order: none is requested, or it is by the distance to a vector that is null or has no direction, which no row
    /// has.
    None,
    /// By the distance to a vector; the codes give its lower bound.
    Foreseen { query: Query, rounding: f64 },
    /// By the distance to a vector whose length the server cannot compute with: any distance is possible.
    Unforeseen,
}

/// The order of a scan.
///
/// # Safety
/// The key must be one of an order by the definition's vector.
unsafe fn order_by(state: &State, key: &pg_sys::ScanKeyData) -> Order {
    if key.sk_flags & pg_sys::SK_ISNULL as i32 != 0 {
        return Order::None;
    }
    let vector_type = state.definition.columns().find_map(|kept| match kept {
        Kept::Embedding(vector_type) => Some(vector_type),
        _ => None,
    });
    // SAFETY: by the caller's promise.
    let vector = unsafe { row::embedding(vector_type.unwrap_or(VectorType::Halfvec), key.sk_argument) };
    let Some(vector) = vector else { return Order::None };
    match Query::new(&vector) {
        Some(query) => Order::Foreseen { query, rounding: ROUNDING + ROUNDING_A_DIMENSION * vector.len() as f64 },
        None if is_unusual(&vector) => Order::Unforeseen,
        None => Order::None,
    }
}

fn collect(pages: &RelationPages, memory: MemoryHash, order: &Order) -> Outcome<Vec<(f64, Place)>> {
    let contents = Contents::read(pages, memory, &mut |_| false)?;
    let mut found: Vec<(f64, Place)> = Vec::new();
    found.try_reserve_exact(contents.documents() as usize).map_err(|_| memory_search_core::error::out_of_memory())?;
    let least = if let Order::Unforeseen = order { 0.0 } else { f64::INFINITY };
    contents.each_place(&mut |_, at| found.push((least, at)))?;
    if let Order::Foreseen { query, rounding } = order {
        contents.estimates(query, &mut |part, document, estimate| {
            let document = document + part.checked_sub(1).map_or(0, |segment| contents.segments[segment].first);
            let most = f64::from(estimate.cosine) + DEVIATIONS * f64::from(estimate.error) + rounding;
            if let Some(row) = found.get_mut(document as usize) {
                // Also if the estimate is not a number: then any distance is possible. A row has a code for its
                // embedding and one for each passage; that of its embedding has a bound that is no less.
                row.0 = row.0.min((1.0 - most).max(0.0));
            }
            Ok(())
        })?;
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    found.retain(|(_, at)| at.is_row());
    Ok(found)
}

/// Counts the scan for EXPLAIN and pg_stat_user_indexes.
///
/// # Safety
/// The scan must be open.
unsafe fn count_scan(scan: pg_sys::IndexScanDesc) {
    // SAFETY: by the caller's promise.
    unsafe {
        super::open::count_scan((*scan).indexRelation);
        #[cfg(feature = "pg18")]
        if let Some(instrument) = (*scan).instrument.as_mut() {
            instrument.nsearches += 1;
        }
    }
}
