//! `memory_passages`: the passages of a long text, each of which has an embedding of its own.

use memory_search_core::text::long_text;
use pgrx::iter::TableIterator;
use pgrx::{name, pg_extern, search_path};

use crate::pg::interrupt;

/// It reads only its argument. There is no row for a text that is not long.
#[pg_extern(immutable, parallel_safe, strict)]
#[search_path(pg_catalog, pg_temp)]
fn memory_passages(raw_entry: String) -> TableIterator<'static, (name!(passage, i32), name!(text, String))> {
    let passages = long_text::passages(&raw_entry, &interrupt::check);
    let rows: Vec<(i32, String)> = (1..).zip(passages.into_iter().map(|range| raw_entry[range].to_owned())).collect();
    TableIterator::new(rows)
}
