//! Builds the index of a table: its rows, sorted by memory and time, become segments and tails.

use std::ffi::c_void;

use memory_search_core::{Error, ErrorKind, Result};
use memory_search_index::memory::bulk::{Embedded, Loader};
use memory_search_index::meta;
use memory_search_index::page::{PAGE_BYTES, Page};
use memory_search_index::tree;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::build_progress::{self, Phase, Written};
use super::built_with::BuiltWith;
use super::configuration;
use super::definition::Definition;
use super::embedding_code;
use super::named_error::without_restart;
use super::operator_class;
use super::options;
use super::relation_pages::{RelationPages, no_random_numbers, random_bytes};
use super::sorted_rows::{SortedRow, SortedRows};
use super::state::{State, Texts};
use super::{row, table_access};
use crate::pg::datum::place;
use crate::pg::error::or_raise;
use crate::pg::text_search::indexed_texts::Options;
use crate::pg::{interrupt, memory_reserve};

#[pg_guard]
pub unsafe extern "C-unwind" fn ambuild(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    info: *mut pg_sys::IndexInfo,
) -> *mut pg_sys::IndexBuildResult {
    // SAFETY: the server passes open relations, locked against writers, and the definition of the index.
    unsafe {
        let (seen, added) = or_raise(build(table, index, info));
        let result = pg_sys::palloc0(size_of::<pg_sys::IndexBuildResult>()).cast::<pg_sys::IndexBuildResult>();
        (*result).heap_tuples = seen;
        (*result).index_tuples = added;
        result
    }
}

/// The key of a new index.
fn new_key() -> Result<[u8; 16]> {
    if pg_sys::BLCKSZ as usize != PAGE_BYTES {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!("a memory index needs pages of {PAGE_BYTES} bytes, and the server's have {}", pg_sys::BLCKSZ),
        )
        .hint("Use a server with the usual pages: SHOW block_size is 8192."));
    }
    random_bytes().ok_or_else(no_random_numbers)
}

/// The state of the callback of the table's scan.
struct Building {
    state: State,
    rows: SortedRows,
    added: u64,
    /// Reset after each row.
    context: pg_sys::MemoryContext,
}

/// # Safety
/// As of [`ambuild`].
unsafe fn build(table: pg_sys::Relation, index: pg_sys::Relation, info: *mut pg_sys::IndexInfo) -> Result<(f64, f64)> {
    // SAFETY: by the caller's promise.
    unsafe {
        let _reserve = memory_reserve::hold(memory_reserve::BYTES)?;
        State::forget(index);
        if !(*info).ii_ExclusionOps.is_null() {
            // Each insertion would ask the index for rows of other transactions, which a scan refuses.
            return Err(Error::new(ErrorKind::Unsupported, "a memory index cannot serve an exclusion constraint")
                .hint("Use btree or gist: EXCLUDE USING gist (...)."));
        }
        // Unsupported columns and options are refused before anything is written.
        let (definition, options) = (Definition::of(index)?, options::of(index));
        operator_class::check_all(index, &definition)?;
        let has_texts = definition.texts().next().is_some();
        if options != Options::default() && !has_texts {
            return Err(Error::invalid("language and weights apply to key columns with text, and the index has none")
                .hint("Leave WITH (...) out."));
        }
        let texts = match has_texts {
            true => Some(Texts::of(&options, &definition, configuration::to_build(table, index, &options)?)?),
            false => None,
        };
        let pages = RelationPages::new(index, table);
        let built_with = BuiltWith::now(&options, texts.map(|texts| texts.configuration));
        tree::create(&pages, new_key()?, &built_with.to_bytes()).map_err(|fault| pages.error_of(fault))?;
        if let Some(Texts { configuration, .. }) = texts {
            configuration::record(index, configuration);
        }
        let mut building = Building {
            state: State::begun(index, definition, texts)?,
            rows: SortedRows::begin(),
            added: 0,
            context: pg_sys::AllocSetContextCreateInternal(
                pg_sys::CurrentMemoryContext,
                c"memory index build".as_ptr(),
                0,
                8 << 10,
                8 << 20,
            ),
        };
        build_progress::begin(Phase::Scanning);
        let seen = table_access::scan_for_index(table, index, info, add_row, (&raw mut building).cast());
        pg_sys::MemoryContextDelete(building.context);
        build_progress::begin(Phase::Sorting);
        building.rows.sort();
        let mut written = Written::of(building.added);
        let mut loader = Loader::new(&pages, building.state.definition.numbers(), embedding_code::rotation)
            .map_err(|fault| pages.error_of(fault))?;
        while let Some(sorted) = building.rows.next()? {
            interrupt::check();
            let embedded = Embedded { document: sorted.document, embeddings: sorted.embeddings };
            loader.add(sorted.memory, embedded).map_err(|fault| pages.error_of(fault))?;
            written.add_one();
        }
        loader.finish().map_err(|fault| pages.error_of(fault))?;
        building.rows.end();
        Ok((seen, building.added as f64))
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn add_row(
    _index: pg_sys::Relation,
    tid: pg_sys::ItemPointer,
    values: *mut pg_sys::Datum,
    nulls: *mut bool,
    _is_alive: bool,
    building: *mut c_void,
) {
    // SAFETY: the scan hands over the pointer that it was given, a row's place, and its values.
    unsafe {
        let building = &mut *building.cast::<Building>();
        let before = pg_sys::MemoryContextSwitchTo(building.context);
        let read = row::read(&building.state, values, nulls, place::from_tid(&*tid));
        pg_sys::MemoryContextSwitchTo(before);
        pg_sys::MemoryContextReset(building.context);
        // The scan checks for interrupts by itself, but does not know of the memory reserve.
        or_raise(memory_reserve::check());
        if let Some(row) = or_raise(read) {
            building.rows.add(&SortedRow { memory: row.memory, document: row.document, embeddings: row.embeddings });
            building.added += 1;
        }
    }
}

/// The index of an unlogged table after a crash: empty. Generic WAL records would log none of it.
#[pg_guard]
pub unsafe extern "C-unwind" fn ambuildempty(index: pg_sys::Relation) {
    // The server builds the index first, so its metapage has the parameters of the build.
    // SAFETY: the index is open.
    let pages = unsafe { RelationPages::new(index, std::ptr::null_mut()) };
    let built_with = or_raise(meta::read(&pages).map_err(|fault| pages.error_of(fault))).options;
    for page in or_raise(new_key().and_then(|key| tree::first_pages(key, &built_with).map_err(without_restart))) {
        // SAFETY: the index is open and new; the page is pinned, locked and logged before anybody else sees it. Nothing
        // between the start and the end of the critical section allocates or can fail.
        unsafe {
            let relation = pg_sys::BufferManagerRelation { rel: index, smgr: std::ptr::null_mut(), relpersistence: 0 };
            let buffer = pg_sys::ExtendBufferedRel(
                relation,
                pg_sys::ForkNumber::INIT_FORKNUM,
                std::ptr::null_mut(),
                pg_sys::ExtendBufferedFlags::EB_LOCK_FIRST,
            );
            pg_sys::CritSectionCount += 1;
            pg_sys::BufferGetPage(buffer).cast::<Page>().copy_from_nonoverlapping(&raw const page, 1);
            pg_sys::MarkBufferDirty(buffer);
            pg_sys::log_newpage_buffer(buffer, true);
            pg_sys::CritSectionCount -= 1;
            pg_sys::UnlockReleaseBuffer(buffer);
        }
    }
}
