//! Verifies an index: that its own structure is consistent, and that it holds for every row of its table what the row
//! contains.

use std::collections::HashMap;
use std::ffi::c_void;
use std::hash::{DefaultHasher, Hash, Hasher};

use memory_search_core::place::Place;
use memory_search_core::{Error, ErrorKind, Result};
use memory_search_index::document::{Document, encode};
use memory_search_index::fault::damaged_content;
use memory_search_index::hashing::MemoryHash;
use memory_search_index::memory::check;
use memory_search_index::pages::Pages;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::maintenance_lock::MaintenanceLock;
use super::named_error::naming;
use super::relation_pages::RelationPages;
use super::state::State;
use super::{row, table_access};
use crate::pg::as_owner::as_owner;
use crate::pg::datum::place;
use crate::pg::error::or_raise;
use crate::pg::memory_reserve;
use crate::pg::unwinding;

/// A fact about a sound index.
pub type Fact = (&'static str, u64);

/// An open relation; its lock stays until the end of the transaction.
struct Opened(pg_sys::Relation);

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: opened by relation_open, and closed only here.
        unwinding::release(|| unsafe { pg_sys::relation_close(self.0, pg_sys::NoLock as i32) });
    }
}

/// A digest of the index's data of a row: the row's memory, and a hash of the rest.
type Said = (MemoryHash, u64);

fn digest(document: &Document) -> u64 {
    let mut hasher = DefaultHasher::new();
    encode(&Document { codes: Vec::new(), ..document.clone() }).hash(&mut hasher);
    document.codes.len().hash(&mut hasher);
    hasher.finish()
}

/// Verifies an index (XX002 if it is not sound), and returns figures about its parts. No session writes to the table
/// meanwhile.
pub fn prove(index: u32) -> Result<Vec<Fact>> {
    let _reserve = memory_reserve::hold(memory_reserve::BYTES)?;
    let oid = pg_sys::Oid::from(index);
    // SAFETY: opens by OID inside a transaction, the table before its index, as all code that locks both does.
    unsafe {
        let table_oid = pg_sys::IndexGetRelation(oid, true);
        if table_oid == pg_sys::InvalidOid {
            return Err(no_index(index));
        }
        if !pg_sys::object_ownercheck(pg_sys::RelationRelationId, oid, pg_sys::GetUserId()) {
            return Err(Error::new(ErrorKind::InsufficientPrivilege, "you must own an index to check it")
                .hint("SET ROLE to the owner of its table first."));
        }
        let table = Opened(pg_sys::relation_open(table_oid, pg_sys::ShareLock as i32));
        as_owner(table.0, || prove_as_owner(&table, oid))
    }
}

/// Verifies an index of a table as the table's owner: building values for the index runs its expressions, the constant
/// ones before the first row is read.
fn prove_as_owner(table: &Opened, index: pg_sys::Oid) -> Result<Vec<Fact>> {
    // SAFETY: opens by OID inside a transaction, the table before its index; what is no index of ours is refused before
    // anything of it is read.
    unsafe {
        let relation = Opened(pg_sys::relation_open(index, pg_sys::AccessShareLock as i32));
        let method = pg_sys::get_am_name((*(*relation.0).rd_rel).relam);
        let is_ours = !method.is_null() && std::ffi::CStr::from_ptr(method) == c"memory_search";
        if !is_ours || (*(*relation.0).rd_rel).relkind != pg_sys::RELKIND_INDEX as i8 {
            return Err(no_index(index.to_u32()));
        }
        let state = State::of(relation.0)?;
        let pages = RelationPages::new(relation.0, table.0);
        let _alone = MaintenanceLock::exclusive(relation.0);
        let found = check::check(&pages).map_err(|fault| pages.error_of(fault))?;
        let mut said: HashMap<Place, Said> = HashMap::new();
        check::for_each_document(&pages, |memory, document| {
            said.try_reserve(1).map_err(|_| memory_search_core::error::out_of_memory())?;
            match said.insert(document.place, (memory, digest(document))) {
                Some((other, _)) if other != memory => Err(damaged_content("a row is in two memories")),
                _ => Ok(()),
            }
        })
        .map_err(|fault| pages.error_of(fault))?;
        let mut comparing = Comparing {
            name: pages.name(),
            state,
            said,
            rows: 0,
            context: pg_sys::AllocSetContextCreateInternal(
                pg_sys::CurrentMemoryContext,
                c"memory index check".as_ptr(),
                0,
                8 << 10,
                8 << 20,
            ),
        };
        let info = pg_sys::BuildIndexInfo(relation.0);
        table_access::scan_for_index(table.0, relation.0, info, compare, (&raw mut comparing).cast());
        pg_sys::MemoryContextDelete(comparing.context);
        Ok(vec![
            ("rows compared", comparing.rows),
            ("documents of rows that are gone", comparing.said.len() as u64),
            ("memories", found.memories),
            ("documents in tails", found.tail_documents),
            ("documents in segments", found.segment_documents),
            ("segments", found.segments),
            ("dead documents in segments", found.dead_documents),
            ("bytes of segments", found.segment_bytes),
            ("pages", u64::from(pages.blocks().map_err(|fault| pages.error_of(fault))?)),
            ("pages of blobs", found.pages.blob_pages),
            ("pages that nothing points to", found.unlinked_pages),
            ("free pages", found.pages.free_pages + found.pages.empty_pages),
        ])
    }
}

fn no_index(oid: u32) -> Error {
    // SAFETY: a look into the catalogs inside a transaction; the server gives null for what is not there, and C strings
    // in the current memory context.
    let relation = unsafe {
        let name = pg_sys::get_rel_name(oid.into());
        match name.is_null() {
            true => format!("the relation with the OID {oid}"),
            false => {
                let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(oid.into()));
                let name = pg_sys::quote_qualified_identifier(schema, name);
                std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned()
            }
        }
    };
    Error::new(ErrorKind::WrongObjectType, format!("{relation} is no memory index")).hint(
        "psql lists the indexes of a table with \\d; CREATE INDEX ... USING memory_search makes a memory index. \
         Each partition of a table has an index of its own.",
    )
}

struct Comparing {
    /// The name of the index.
    name: String,
    state: State,
    said: HashMap<Place, Said>,
    rows: u64,
    /// Reset after each row.
    context: pg_sys::MemoryContext,
}

#[pg_guard]
unsafe extern "C-unwind" fn compare(
    _index: pg_sys::Relation,
    tid: pg_sys::ItemPointer,
    values: *mut pg_sys::Datum,
    nulls: *mut bool,
    is_alive: bool,
    comparing: *mut c_void,
) {
    // SAFETY: the scan hands over the pointer that it was given, a row's place, and its values.
    unsafe {
        let comparing = &mut *comparing.cast::<Comparing>();
        let before = pg_sys::MemoryContextSwitchTo(comparing.context);
        let at = place::from_tid(&*tid);
        let read = row::read(&comparing.state, values, nulls, at);
        pg_sys::MemoryContextSwitchTo(before);
        pg_sys::MemoryContextReset(comparing.context);
        let Some(mut row) = or_raise(read.map_err(|error| naming(&comparing.name, error))) else { return };
        // The number of its codes: an embedding without a direction has none.
        row.document.codes = super::embedding_code::of_all(&row.embeddings);
        comparing.rows += 1;
        let wanted = (row.memory, digest(&row.document));
        let what = match comparing.said.remove(&at) {
            Some(said) if said == wanted => return,
            Some((memory, _)) if memory != row.memory => "the index has the row in another memory",
            Some(_) => "the index has other values of the row",
            // An index that was built concurrently lacks rows that no snapshot could see any more.
            None if !is_alive => return,
            None => "the index lacks the row",
        };
        let name = &comparing.name;
        or_raise::<()>(Err(Error::new(
            ErrorKind::IndexCorrupted,
            format!("index {name} does not agree with the row at ({},{}): {what}", at.block, at.offset),
        )
        .hint(format!("REINDEX INDEX CONCURRENTLY {name}: it is rebuilt from the table, and no memory is lost."))));
    }
}
