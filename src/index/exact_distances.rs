//! The exact distances of rows, for a scan in their order: the operator's own function computes them from the version
//! of a row that the scan's snapshot sees.
//!
//! The executor would compute them too, and put the rows in order (`xs_recheckorderby`). But a row that it kept aside
//! meanwhile has no `ctid` any more: `FOR UPDATE` then locks, and `DELETE ... WHERE ctid = ...` looks for, a row that
//! does not exist.

use std::cmp::Ordering;

use memory_search_core::Result;
use memory_search_core::error::out_of_memory;
use memory_search_core::place::Place;
use pgrx::pg_sys;

use super::definition::MAX_COLUMNS;
use super::table_access::RowFetch;
use crate::pg::datum::place;

/// A distance as `float8` is ordered: NULL is the greatest, then comes NaN.
#[derive(Debug, Clone, Copy)]
pub struct Distance(pub Option<f64>);

impl Ord for Distance {
    fn cmp(&self, other: &Distance) -> Ordering {
        match (self.0, other.0) {
            (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }
}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Distance) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Distance {
    fn eq(&self, other: &Distance) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Distance {}

/// The distances of a row, in the order in which a scan compares them: to one vector, or rarely to several.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Distances {
    first: Distance,
    others: Vec<Distance>,
}

impl Distances {
    /// Whether no row whose first distance has this lower bound comes before.
    pub fn precede(&self, bound: f64) -> bool {
        let bound = Distance(Some(bound));
        self.first < bound || self.first == bound && self.others.is_empty()
    }

    /// Whether the first distance is less than a lower bound of it.
    pub fn contradict(&self, bound: f64) -> bool {
        self.first < Distance(Some(bound))
    }

    /// Passes the distances to the executor.
    ///
    /// # Safety
    /// The scan must be the one whose orders they are by.
    pub unsafe fn put_into(&self, scan: pg_sys::IndexScanDesc) {
        for (number, distance) in std::iter::once(&self.first).chain(&self.others).enumerate() {
            let bits = distance.0.unwrap_or_default().to_bits();
            // SAFETY: ambeginscan made as many places as there are orders.
            unsafe {
                *(*scan).xs_orderbyvals.add(number) = pg_sys::Datum::from(bits as usize);
                *(*scan).xs_orderbynulls.add(number) = distance.0.is_none();
            }
        }
    }
}

/// The columns of an index that an ordered scan computes of each row: those of its orders, and those of its conditions
/// that the index itself does not answer. It holds no resource of the server: after an ERROR, its memory goes with the
/// scan's context.
pub struct ScannedColumns {
    /// For the evaluation of columns that are expressions.
    executor: *mut pg_sys::EState,
    /// The index with these columns only.
    columns: *mut pg_sys::IndexInfo,
    /// The numbers of the columns in the index.
    numbers: Vec<i16>,
}

impl ScannedColumns {
    /// The columns of a scan, in a memory context that lives as long.
    ///
    /// # Safety
    /// The scan must be open, with its keys.
    pub unsafe fn of(scan: pg_sys::IndexScanDesc, context: pg_sys::MemoryContext) -> Result<ScannedColumns> {
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(MAX_COLUMNS).map_err(|_| out_of_memory())?;
        // SAFETY: by the caller's promise; the lists are the index's own, with an expression for each column without a
        // number in the table.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(context);
            let columns = pg_sys::BuildIndexInfo((*scan).indexRelation);
            let of_table = (*columns).ii_IndexAttrNumbers;
            let expressions = (*columns).ii_Expressions;
            let mut needed = std::ptr::null_mut();
            for number in orders(scan).iter_mut().chain(other_conditions(scan)).map(|key| key.sk_attno) {
                if numbers.contains(&number) {
                    continue;
                }
                let column = usize::try_from(number - 1).unwrap_or(0);
                if of_table[column] == 0 {
                    let place = of_table[..column].iter().filter(|attribute| **attribute == 0).count();
                    needed = pg_sys::lappend(needed, (*(*expressions).elements.add(place)).ptr_value);
                }
                (*columns).ii_IndexAttrNumbers[numbers.len()] = of_table[column];
                numbers.push(number);
            }
            (*columns).ii_NumIndexAttrs = numbers.len() as i32;
            (*columns).ii_Expressions = needed;
            (*columns).ii_ExpressionsState = std::ptr::null_mut();
            let executor = pg_sys::CreateExecutorState();
            pg_sys::MakePerTupleExprContext(executor);
            pg_sys::MemoryContextSwitchTo(before);
            Ok(ScannedColumns { executor, columns, numbers })
        }
    }

    /// Frees what the server made.
    pub fn end(self) {
        // SAFETY: made by `of`, and used by nobody after this.
        unsafe { pg_sys::FreeExecutorState(self.executor) };
    }
}

/// Reads rows of the table during one call of the scan, so that no page is pinned between calls.
pub struct ExactDistances<'a> {
    scan: pg_sys::IndexScanDesc,
    columns: &'a ScannedColumns,
    rows: RowFetch,
}

impl<'a> ExactDistances<'a> {
    /// A reader.
    ///
    /// # Safety
    /// The scan must be open, as long as the reader lives, and the columns be its own.
    pub unsafe fn of(scan: pg_sys::IndexScanDesc, columns: &'a ScannedColumns) -> Self {
        // SAFETY: by the caller's promise; the executor opened the table too.
        let rows = unsafe { RowFetch::of((*scan).heapRelation) };
        ExactDistances { scan, columns, rows }
    }

    /// The distances of a row; `None` if the snapshot sees no version of it, or this does not meet a condition.
    pub fn of_row(&mut self, at: Place) -> Result<Option<Distances>> {
        let mut others = Vec::new();
        // SAFETY: the scan is open, with its keys; FormIndexDatum fills as many values as there are columns, of the
        // types that the keys' functions take. What they allocate lies in the context that is reset for each row.
        unsafe {
            let orders = orders(self.scan);
            others.try_reserve_exact(orders.len().saturating_sub(1)).map_err(|_| out_of_memory())?;
            if !self.rows.fetch(&mut place::to_tid(at), (*self.scan).xs_snapshot) {
                return Ok(None);
            }
            let context = (*self.columns.executor).es_per_tuple_exprcontext;
            (*context).ecxt_scantuple = self.rows.slot();
            pg_sys::MemoryContextReset((*context).ecxt_per_tuple_memory);
            let before = pg_sys::MemoryContextSwitchTo((*context).ecxt_per_tuple_memory);
            let (mut values, mut nulls) = ([pg_sys::Datum::null(); MAX_COLUMNS], [true; MAX_COLUMNS]);
            pg_sys::FormIndexDatum(
                self.columns.columns,
                self.rows.slot(),
                self.columns.executor,
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            );
            let value = |number: i16| {
                let place = self.columns.numbers.iter().position(|of_column| *of_column == number)?;
                (!nulls[place]).then_some(values[place])
            };
            let call = |key: &mut pg_sys::ScanKeyData| {
                let value = value(key.sk_attno).filter(|_| key.sk_flags & pg_sys::SK_ISNULL as i32 == 0)?;
                Some(pg_sys::FunctionCall2Coll(&mut key.sk_func, key.sk_collation, value, key.sk_argument))
            };
            let distance = |key| Distance(call(key).map(|distance| f64::from_bits(distance.value() as u64)));
            let is_met = |key| call(key).is_some_and(|answer| answer.value() != 0);
            let mut first = None;
            if other_conditions(self.scan).all(is_met) {
                let mut distances = orders.iter_mut().map(distance);
                first = distances.next();
                others.extend(distances);
            }
            pg_sys::MemoryContextSwitchTo(before);
            Ok(first.map(|first| Distances { first, others }))
        }
    }
}

/// The orders of a scan.
///
/// # Safety
/// The scan must be open, and nobody else use its orders.
unsafe fn orders<'a>(scan: pg_sys::IndexScanDesc) -> &'a mut [pg_sys::ScanKeyData] {
    // SAFETY: by the caller's promise.
    unsafe {
        match (*scan).numberOfOrderBys {
            0 => &mut [],
            count => std::slice::from_raw_parts_mut((*scan).orderByData, count as usize),
        }
    }
}

/// The conditions of a scan on other columns than the first.
///
/// # Safety
/// The scan must be open, and nobody else use its conditions.
pub unsafe fn other_conditions<'a>(scan: pg_sys::IndexScanDesc) -> impl Iterator<Item = &'a mut pg_sys::ScanKeyData> {
    // SAFETY: by the caller's promise.
    let keys = unsafe {
        match (*scan).numberOfKeys {
            0 => &mut [][..],
            count => std::slice::from_raw_parts_mut((*scan).keyData, count as usize),
        }
    };
    keys.iter_mut().filter(|key| key.sk_attno != 1)
}
