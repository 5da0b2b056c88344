//! Ids of rows as values of the types of id columns.

use memory_search_core::Result;
use memory_search_core::ids::{IdKind, RowId};
use pgrx::pg_sys;

use crate::pg::datum::{text, varlena};

/// The type.
pub fn type_of(kind: IdKind) -> pg_sys::Oid {
    match kind {
        IdKind::Uuid => pg_sys::UUIDOID,
        IdKind::Int8 => pg_sys::INT8OID,
        IdKind::Int4 => pg_sys::INT4OID,
        IdKind::Int2 => pg_sys::INT2OID,
        IdKind::Text => pg_sys::TEXTOID,
    }
}

/// Whether values of a type can be read as ids of a kind: the type is that of the kind, or has the same memory layout.
pub fn is_of_kind(type_oid: pg_sys::Oid, kind: IdKind) -> bool {
    type_oid == type_of(kind) || kind == IdKind::Text && type_oid == pg_sys::VARCHAROID
}

/// Reads an id. A text that is not UTF-8 is XX001, and one that is too long for any response 54000.
///
/// # Safety
/// The datum must be of a type that [`is_of_kind`], and live as long as the call.
pub unsafe fn read(datum: pg_sys::Datum, kind: IdKind) -> Result<RowId> {
    Ok(match kind {
        // SAFETY: a uuid is passed by reference to its 16 bytes.
        IdKind::Uuid => RowId::Uuid(unsafe { *datum.cast_mut_ptr::<[u8; 16]>() }),
        IdKind::Int8 => RowId::Integer(datum.value() as i64),
        IdKind::Int4 => RowId::Integer(i64::from(datum.value() as i32)),
        IdKind::Int2 => RowId::Integer(i64::from(datum.value() as i16)),
        // SAFETY: by the caller's promise it is a varlena.
        IdKind::Text => RowId::Text(unsafe { varlena::with_bytes(datum, text::copied) }?),
    })
}
