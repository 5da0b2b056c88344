//! The server's reports of changes of its catalogs, in this session or another.

use std::cell::Cell;

use pgrx::pg_sys;

/// A change that may make data from catalogs stale.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    /// A relation's definition, by OID; 0 means any.
    Relation(u32),
    /// The change of a type; see [`Change::is_of_type`].
    Type { hash: u32 },
    /// The change of a schema or a text search configuration.
    Name,
}

impl Change {
    /// Whether it may be a change of this type. Types come and go with every temporary table, so the server's hash of
    /// the changed row is compared; a hash of 0 means any row.
    pub fn is_of_type(self, type_oid: u32) -> bool {
        let Change::Type { hash } = self else { return false };
        hash == 0 || hash == hash_of(pg_sys::SysCacheIdentifier::TYPEOID as i32, type_oid)
    }
}

/// The server's hash of the row with this OID in a catalog's cache.
fn hash_of(cache: i32, oid: u32) -> u32 {
    let nothing = pg_sys::Datum::from(0usize);
    // SAFETY: only computes a hash of its keys; reads no catalog.
    unsafe { pg_sys::GetSysCacheHashValue(cache, pg_sys::Datum::from(oid), nothing, nothing, nothing) }
}

thread_local! {
    static HEARD_BY: Cell<Option<fn(Change)>> = const { Cell::new(None) };
}

/// Calls `hear` at every change from now on, once in a session: the server has no way to unregister. It runs inside the
/// server's invalidation, so it must not fail, and must not ask the server for anything except what [`Change`] tells.
pub fn listen(hear: fn(Change)) {
    if HEARD_BY.replace(Some(hear)).is_some() {
        return;
    }
    let nothing = pg_sys::Datum::from(0usize);
    // SAFETY: the callbacks are functions of this library, which is never unloaded.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(relation_changed), nothing);
        // A renamed schema or configuration, or a type that moved to another schema with its extension.
        for cache in [
            pg_sys::SysCacheIdentifier::NAMESPACEOID,
            pg_sys::SysCacheIdentifier::TSCONFIGOID,
            pg_sys::SysCacheIdentifier::TYPEOID,
        ] {
            pg_sys::CacheRegisterSyscacheCallback(cache as i32, Some(catalog_row_changed), nothing);
        }
    }
}

/// Processes the changes that other sessions committed. They arrive with the locks that a statement takes, and are
/// needed before the first one. Called inside a transaction.
pub fn accept() {
    // SAFETY: called inside a transaction, as every SQL function is.
    unsafe { pg_sys::AcceptInvalidationMessages() };
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn relation_changed(_argument: pg_sys::Datum, relation: pg_sys::Oid) {
    hear(Change::Relation(relation.to_u32()));
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn catalog_row_changed(_argument: pg_sys::Datum, cache: i32, hash: u32) {
    let is_of = |id| cache == id as i32;
    hear(match () {
        () if is_of(pg_sys::SysCacheIdentifier::TYPEOID) => Change::Type { hash },
        () => Change::Name,
    });
}

fn hear(change: Change) {
    if let Some(hear) = HEARD_BY.get() {
        hear(change);
    }
}
